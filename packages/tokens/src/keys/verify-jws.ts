import { SIGNING_ALGORITHMS } from '@signet/protocol/signing-algorithms'
import { compactVerify, decodeProtectedHeader, errors, type ProtectedHeaderParameters } from 'jose'
import type { VerificationKeys } from './verification-keys.ts'

export interface VerifiedJws {
  readonly kid: string
  readonly claims: Readonly<Record<string, unknown>>
}

/**
 * Verifies a compact JWS that one of our own keys must have signed with this `typ`. Undefined for any other text: another
 * algorithm, an unknown key, another `typ`, a changed character. Rejects only when the keys cannot be looked up.
 */
export type VerifyJws = (jws: string, typ: string) => Promise<VerifiedJws | undefined>

/** RFC 8725 section 3.1: only algorithms that Signet signs with, and a key by its id, never one from the token. */
export function jwsVerifier(keys: VerificationKeys): VerifyJws {
  return async (jws, typ) => {
    const header = headerOf(jws)
    const alg = SIGNING_ALGORITHMS.find((known) => known === header?.alg)
    const kid = header?.kid
    if (alg === undefined || kid === undefined || header?.typ !== typ || !hasOneSpelling(jws))
      return undefined
    const key = await keys.find(kid, alg)
    if (key === undefined) return undefined
    try {
      const { payload } = await compactVerify(jws, key, { algorithms: [alg] })
      const claims: unknown = JSON.parse(Buffer.from(payload).toString('utf8'))
      return isObject(claims) ? { kid, claims } : undefined
    } catch (error) {
      if (error instanceof errors.JOSEError || error instanceof SyntaxError) return undefined
      throw error
    }
  }
}

/** Whether a text has the form of a compact JWS: three parts, and a header with an algorithm. Nothing is verified. */
export function looksLikeJws(text: string): boolean {
  return text.split('.').length === 3 && typeof headerOf(text)?.alg === 'string'
}

/** Decoders accept characters that are not base64url in a signature, and a token must not have two spellings. */
function hasOneSpelling(jws: string): boolean {
  const signature = jws.slice(jws.lastIndexOf('.') + 1)
  return Buffer.from(signature, 'base64url').toString('base64url') === signature
}

function headerOf(jws: string): ProtectedHeaderParameters | undefined {
  try {
    return decodeProtectedHeader(jws)
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
