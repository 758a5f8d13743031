import type { FileProblem } from './file-problem.ts'
import { isOpaque, memberPath } from './member-path.ts'

/**
 * The same value with lowerCamelCase keys at every depth. A key written both ways in one object is reported by path.
 */
export function camelKeys(value: unknown, problems: FileProblem[], path = ''): unknown {
  if (Array.isArray(value))
    return value.map((entry, index) => camelKeys(entry, problems, `${path}[${index}]`))
  if (typeof value !== 'object' || value === null) return value
  const result: Record<string, unknown> = {}
  for (const [written, member] of Object.entries(value)) {
    const key = written.replace(/(?<=[a-z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    const at = memberPath(path, key)
    if (Object.hasOwn(result, key)) problems.push({ path: at, rule: 'is given twice, also in snake_case' })
    result[key] = isOpaque(key) ? member : camelKeys(member, problems, at)
  }
  return result
}
