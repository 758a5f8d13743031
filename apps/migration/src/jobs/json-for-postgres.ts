/** Escape sequences of `JSON.stringify` for U+0000 and for half of a surrogate pair; not an escaped backslash before `u`. */
const NOT_STORABLE = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g

/** Converts a value to JSON that `jsonb` accepts. Replaces characters that `jsonb` refuses, which callers may send. */
export function jsonForPostgres(value: unknown): string {
  return JSON.stringify(value).replace(NOT_STORABLE, '$1\\ufffd')
}
