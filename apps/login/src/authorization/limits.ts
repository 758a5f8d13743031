// Characters. Longer values do not fit the header and the sealed code that carry them.
export const STATE_LIMIT = 2_000
export const NONCE_LIMIT = 512
/** Longer than any login name; what is above it is not a hint. */
export const LOGIN_HINT_LIMIT = 300
/** Longer than any list of languages that a person reads. */
export const UI_LOCALES_LIMIT = 200
