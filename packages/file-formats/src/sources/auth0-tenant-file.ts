import { parseFileText } from '../bootstrap/bootstrap-file.ts'
import { isEmpty, isObject, type JsonObject, SourceError, type SourceFile } from './conversion.ts'
import { MEBIBYTE } from './json-input.ts'
import type { LeftOut } from './left-out.ts'
import { textOf } from './source-text.ts'

const MOST_BYTES = 16 * MEBIBYTE

/** The lists of objects that a conversion reads. */
export type TenantLists = ReadonlyMap<string, readonly JsonObject[]>

export const isTenantFile = (name: string): boolean => /\.ya?ml$/i.test(name)

/**
 * Reads `tenant.yaml` as the deploy CLI of Auth0 writes it: one object with the lists of `kinds`. All other members are counted,
 * each element by its name. Throws SourceError for a file of another form.
 */
export async function readTenantFile(
  file: SourceFile,
  kinds: readonly string[],
  leftOut: LeftOut,
): Promise<TenantLists> {
  const parsed = parseFileText(await textOf(file, MOST_BYTES))
  if ('problems' in parsed) throw new SourceError(`${file.name} is not YAML: ${parsed.problems[0]}`)
  const { document } = parsed
  if (!isObject(document) || !kinds.some((kind) => Array.isArray(document[kind]))) {
    throw new SourceError(
      `${file.name} has none of the lists ${kinds.join(', ')}, as the deploy CLI writes them`,
    )
  }
  const lists = new Map<string, readonly JsonObject[]>()
  for (const [member, value] of Object.entries(document)) {
    const elements: readonly unknown[] = Array.isArray(value) ? value : [value]
    const isRead = kinds.includes(member)
    if (isRead) lists.set(member, elements.filter(isObject))
    for (const element of elements) {
      if (isEmpty(element) || (isRead && isObject(element))) continue
      const name = isObject(element) && typeof element.name === 'string' ? element.name : file.name
      leftOut.add(`tenant.${member}`, name)
    }
  }
  return lists
}
