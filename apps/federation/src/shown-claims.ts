// The claims of a provider as an administrator sees them in a test.

import { jsonText } from './json-text.ts'

const HIDDEN = '(hidden)'

/** Names of claims that protect a sign-in, or that may be a credential: token hashes, nonces, tokens, secrets and passwords. */
const SECRET = /nonce|secret|password|token|(^|[a-z])_hash$|^sid$|session/i

const MOST_CLAIMS = 200
const MOST_CHARACTERS = 1_000
/** Characters of the JSON of one document. */
const MOST_DOCUMENT_CHARACTERS = 32_768

/** Returns the claims as a JSON object of a bounded size: secrets are hidden, long values cut. */
export function shownClaims(claims: Readonly<Record<string, unknown>>): string {
  const shown: Record<string, unknown> = {}
  let characters = 0
  for (const [name, value] of Object.entries(claims).slice(0, MOST_CLAIMS)) {
    if (value === undefined) continue
    const text = SECRET.test(name) ? JSON.stringify(HIDDEN) : shortJson(value)
    characters += name.length + text.length
    if (characters > MOST_DOCUMENT_CHARACTERS) break
    Object.defineProperty(shown, name.slice(0, MOST_CHARACTERS), {
      value: JSON.parse(text),
      enumerable: true,
      // Long names may be the same when they are cut.
      configurable: true,
    })
  }
  return JSON.stringify(shown)
}

/** JSON of a value; its members that may be secrets are hidden, and one that is too long is a text with its beginning. */
function shortJson(value: unknown): string {
  const json =
    jsonText(value, (name, member) => (name !== '' && SECRET.test(name) ? HIDDEN : member)) ?? 'null'
  if (json.length <= MOST_CHARACTERS) return json
  return JSON.stringify(`${json.slice(0, MOST_CHARACTERS).toWellFormed()}…`)
}
