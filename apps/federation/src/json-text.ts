/** The JSON of a value that a provider sent; undefined for one that has none. A text says so of a value that is nested too deeply to be written. */
export function jsonText(
  value: unknown,
  replacer?: (name: string, member: unknown) => unknown,
): string | undefined {
  try {
    return JSON.stringify(value, replacer)
  } catch (error) {
    // Parsing has no limit of depth, and writing has that of the stack.
    if (error instanceof RangeError) return '"(nested too deeply)"'
    throw error
  }
}
