/** The members of an object as lines of `name=value`; a text that is none yet as it is. */
export function linesOf(value: unknown): string {
  if (typeof value === 'string') return value
  return Object.entries(value ?? {})
    .map(([name, member]) => `${name}=${member}`)
    .join('\n')
}

/** The object of lines, where each has a name and a value of its own; else the text. */
export function mapOf(lines: string): Readonly<Record<string, string>> | string {
  const members = lines.split('\n').map((line) => /^([^=]+)=(.+)$/.exec(line))
  const entries = members.flatMap((member) => (member === null ? [] : [[member[1] ?? '', member[2] ?? '']]))
  const map = Object.fromEntries(entries) as Readonly<Record<string, string>>
  return Object.keys(map).length === members.length ? map : lines
}

/** Whether the lines of an object stand for it: its names have no `=`, its values are texts of one line. */
export const hasLines = (value: unknown): boolean =>
  typeof value !== 'object' ||
  JSON.stringify(mapOf(linesOf(value))) === JSON.stringify(value ?? {}) ||
  isEmpty(value)

const isEmpty = (value: object | null) => Object.keys(value ?? {}).length === 0
