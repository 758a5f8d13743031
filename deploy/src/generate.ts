// `pnpm --filter @signet/deploy generate:deploy`: writes the files of deploy/ that follow from the code.
import { readFileSync, writeFileSync } from 'node:fs'
import { isMap, isScalar, type Node, type Pair, parseDocument, stringify, type YAMLMap } from 'yaml'
import { composeEdge } from './compose-edge.ts'
import { chartFacts } from './suite.ts'

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

/**
 * The table of a chart's values: a row for each value of values.yaml, with the comment that begins with `--` above it.
 * A map has a row of its own only when it has such a comment.
 */
function valuesTable(valuesYaml: string): string {
  const { contents } = parseDocument(valuesYaml)
  const rows = isMap(contents) ? rowsOf(contents as YAMLMap<Node, Node>, []) : []
  return ['| value | default | meaning |', '|---|---|---|', ...rows, ''].join('\n')
}

function rowsOf(map: YAMLMap<Node, Node>, above: readonly string[]): readonly string[] {
  return map.items.flatMap(({ key, value }: Pair<Node, Node>, index) => {
    // A comment above the first key of a map is attached to the map.
    const comment = key.commentBefore ?? (index === 0 ? map.commentBefore : undefined)
    const path = [...above, isScalar(key) ? `${key.value}` : '']
    if (value === null) throw new Error(`${path.join('.')}: write the default`)
    if (!isBlock(value)) return [row(path, inline(value), comment)]
    const inside = rowsOf(value, path)
    return isDescription(comment) ? [row(path, '…', comment), ...inside] : inside
  })
}

function row(path: readonly string[], fallback: string, comment: string | null | undefined): string {
  const text = isDescription(comment)
    ? comment.slice(comment.indexOf(' -- ') + 4).replaceAll(/\n\s*/g, ' ')
    : ''
  return `| \`${path.join('.')}\` | \`${fallback}\` | ${text} |`.replaceAll('\n', ' ')
}

function isDescription(comment: string | null | undefined): comment is string {
  return comment?.includes(' -- ') === true
}

function isBlock(value: Node): value is YAMLMap<Node, Node> {
  return isMap(value) && value.items.length > 0 && value.flow !== true
}

function inline(value: Node): string {
  return stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trim()
}
