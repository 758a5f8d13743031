// Characters. Longer values do not fit the header and the sealed code that carry them.
export const STATE_LIMIT = 2_000
export const NONCE_LIMIT = 512
/** What the directory stores of a consent. */
export const SCOPES_LIMIT = 100
export const SCOPE_LIMIT = 1_000
/** Bytes of JSON of the known parameters together, as they are stored while a request waits. */
export const REQUEST_BYTES_LIMIT = 8_192
/** Characters of a query, encoded. Proxies take a request line of 8 KiB. */
export const END_SESSION_QUERY_LIMIT = 8_000
/** Longer than any login name; what is above it is not a hint. */
export const LOGIN_HINT_LIMIT = 300
/** Longer than any list of languages that a person reads. */
export const UI_LOCALES_LIMIT = 200
