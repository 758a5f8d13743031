// `pnpm --filter @signet/deploy generate:deploy`: writes the files of deploy/ that follow from the code.
import { readFileSync, writeFileSync } from 'node:fs'
import { composeEdge } from './compose-edge.ts'
import { chartFacts } from './suite.ts'
import { valuesTable } from './values-table.ts'

const ROOT = new URL('../../', import.meta.url)
const README = 'deploy/helm/signet/README.md'
const VALUES_HEADING = '## Values\n\n'

/** Path from the root of the repository → content. */
export function generatedFiles(): Readonly<Record<string, string>> {
  const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8')
  const [introduction = ''] = read(README).split(VALUES_HEADING)
  return {
    'deploy/helm/signet/files/suite.json': chartFacts(),
    'deploy/compose/nginx.conf': composeEdge(),
    [README]: `${introduction}${VALUES_HEADING}${valuesTable(read('deploy/helm/signet/values.yaml'))}`,
  }
}

if (import.meta.main) {
  for (const [path, content] of Object.entries(generatedFiles())) writeFileSync(new URL(path, ROOT), content)
}
