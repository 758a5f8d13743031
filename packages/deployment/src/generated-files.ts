import { readFileSync } from 'node:fs'
import { alertRules } from './alert-rules.ts'
import { chartFacts } from './chart-facts.ts'
import { composeEdge } from './compose-edge.ts'
import { dashboards } from './dashboards.ts'
import { valuesTable } from './values-reference.ts'

const README = 'deploy/helm/signet/README.md'
const VALUES_HEADING = '## Values\n\n'

/** Every file, or end of a file, of deploy/ that follows from the code: path below `root` → content. */
export function generatedFiles(root: URL): Readonly<Record<string, string>> {
  const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
  const [introduction = ''] = read(README).split(VALUES_HEADING)
  return {
    'deploy/helm/signet/files/suite.json': chartFacts(),
    'deploy/helm/signet/files/rules.json': alertRules(),
    'deploy/helm/signet/files/dashboards.json': dashboards(),
    'deploy/compose/nginx.conf': composeEdge(),
    [README]: `${introduction}${VALUES_HEADING}${valuesTable(read('deploy/helm/signet/values.yaml'))}`,
  }
}
