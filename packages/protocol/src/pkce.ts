// RFC 7636: proof key for code exchange, with S256 only.
import { createHash, timingSafeEqual } from 'node:crypto'

/** `plain` would put the verifier itself into the front channel (RFC 9700 section 2.1.1). */
export const CODE_CHALLENGE_METHODS = ['S256'] as const

/** Whether an application must send a code challenge (RFC 9700 section 2.1.1): each public one, unless it is `pkceOptional`. */
export function requiresPkce(client: {
  readonly authMethod: string
  readonly requirePkce: boolean
  readonly pkceOptional: boolean
}): boolean {
  return client.requirePkce || (client.authMethod === 'none' && !client.pkceOptional)
}

/** RFC 7636 section 4.1: 43 to 128 unreserved characters. */
export function isCodeVerifier(value: string): boolean {
  return /^[A-Za-z0-9\-._~]{43,128}$/.test(value)
}

/** RFC 7636 section 4.2: with S256 a challenge is the base64url of 32 bytes. */
export function isCodeChallenge(value: string): boolean {
  return /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/.test(value)
}

/** RFC 7636 section 4.6: whether `challenge` was made from `verifier`; compared in constant time. */
export function codeVerifierMatches(verifier: string, challenge: string): boolean {
  const expected = createHash('sha256').update(verifier, 'ascii').digest()
  const given = Buffer.from(challenge, 'base64url')
  return isCodeVerifier(verifier) && given.length === expected.length && timingSafeEqual(given, expected)
}
