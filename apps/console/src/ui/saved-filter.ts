/** The filters of a list, as the address of its page has them, and their name. */
export interface SavedFilter {
  readonly name: string
  readonly filters: Readonly<Record<string, string | undefined>>
}

/** Reads what a browser keeps. Anything else than saved filters is left out: other versions of the page wrote it. */
export function readSavedFilters(stored: string | null): readonly SavedFilter[] {
  if (stored === null) return []
  try {
    const values: unknown = JSON.parse(stored)
    return Array.isArray(values) ? values.filter(isSavedFilter) : []
  } catch {
    return []
  }
}

function isSavedFilter(value: unknown): value is SavedFilter {
  const { name, filters } = (value ?? {}) as Partial<SavedFilter>
  return (
    typeof name === 'string' &&
    typeof filters === 'object' &&
    filters !== null &&
    Object.values(filters).every((one) => typeof one === 'string')
  )
}

/** Adds a filter, in place of one with its name. */
export const withFilter = (saved: readonly SavedFilter[], added: SavedFilter): readonly SavedFilter[] =>
  [...withoutFilter(saved, added.name), added].sort((one, other) => one.name.localeCompare(other.name))

export const withoutFilter = (saved: readonly SavedFilter[], name: string): readonly SavedFilter[] =>
  saved.filter((one) => one.name !== name)
