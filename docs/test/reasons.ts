import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** `reason: 'x'`, also with a value in front of it; a leading part that is a value is written `…`. */
const PROPERTY = /\breason: (?:'([a-z0-9_]+)'|`\$\{[^}]+\}(_[a-z_]+)`|`([a-z_]+_)\$\{)/g
/** The functions that make an error out of a label, and those that return one. */
const CALL =
  /\b(?:refused|denied|failed|notActive|invalidToken|invalidCode|unavailable)\((?:[^;{}]*?, *|\s*)'([a-z]+_[a-z_]+)'/g

/** The labels that the services give to refusals and failures, from their sources. */
export function reasonsOfSources(): readonly string[] {
  const files = globSync(
    '{apps/{directory,introspection,keys,login,migration,token},packages/*}/src/**/*.ts',
    {
      cwd: ROOT,
    },
  ).filter((file) => !/\.test\.ts$|\/gen\/|^packages\/(testing|dev-stack)\//.test(file))
  const found = new Set<string>()
  for (const file of files) {
    const source = readFileSync(`${ROOT}${file}`, 'utf8')
    for (const [, whole, end, start] of source.matchAll(PROPERTY))
      found.add(whole ?? (end === undefined ? `${start}…` : `…${end}`))
    for (const [, label = ''] of source.matchAll(CALL)) found.add(label)
  }
  return [...found].sort()
}
