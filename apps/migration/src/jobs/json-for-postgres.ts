/** U+0000, and half of a surrogate pair, as `JSON.stringify` writes them; not after an odd number of backslashes. */
const NOT_STORABLE = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g

/** A value as JSON that `jsonb` accepts: it refuses these characters, which stand in what a caller sent. */
export function jsonForPostgres(value: unknown): string {
  return JSON.stringify(value).replace(NOT_STORABLE, '$1\\ufffd')
}
