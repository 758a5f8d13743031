/** Texts that must never reach a log even inside a message: tokens, credentials in headers and URLs, keys. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/\bsg(at|rt|co|cs|pat)_[\w.~+/=-]+/g, 'sg$1_[redacted]'],
  [/\beyJ[\w-]{5,}(\.[\w-]*){0,4}/g, '[redacted jwt]'],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, '$1 [redacted]'],
  [/\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/@]+@/gi, '$1[redacted]@'],
  [
    /\b(password|passwd|secret|client_secret|client_assertion|assertion|code|code_verifier|token|access_token|refresh_token|id_token|id_token_hint|subject_token|actor_token)(["']?\s*[=:]\s*["']?)[^\s"'&,}]+/gi,
    '$1$2[redacted]',
  ],
  [
    /\$(2[abxy]?|argon2(id|i|d)|scrypt|pbkdf2[\w-]*|md5salted-\w+|[1567PHS])\$[\w./+=,$-]+/g,
    '[redacted hash]',
  ],
  [/-----BEGIN [^-]+-----[\s\S]*?(-----END [^-]+-----|$)/g, '[redacted pem]'],
]

// Every pattern above needs one of these; most log fields have none, and this runs for every request.
const WORTH_A_LOOK = /sg|eyJ|[\s:=$]|-----/

const LONGEST_TEXT = 2_000

/** `text` without anything that looks like a credential, at most 2,000 characters. */
export function redact(text: string): string {
  const shortened = text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text
  if (!WORTH_A_LOOK.test(shortened)) return shortened
  return SECRETS.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), shortened)
}
