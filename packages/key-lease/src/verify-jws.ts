import { type KeyObject, verify } from 'node:crypto'
import {
  JWS_ALGORITHMS,
  SIGNING_ALGORITHMS,
  type SigningAlgorithm,
} from '@signet/oauth-protocol/signing-algorithms'
import type { VerificationKeys } from './verification-keys.ts'

export interface VerifiedJws {
  readonly kid: string
  readonly claims: Readonly<Record<string, unknown>>
}

/**
 * Verifies a compact JWS that one of our own keys must have signed with this `typ`. Undefined for anything else,
 * without a hint why: another algorithm, an unknown key, another kind of token, a changed character. Rejects only
 * when the keys cannot be looked up.
 */
export type VerifyJws = (jws: string, typ: string) => Promise<VerifiedJws | undefined>

export function jwsVerifier(keys: VerificationKeys): VerifyJws {
  return async (jws, typ) => {
    const [header = '', payload = '', signature = '', ...rest] = jws.split('.')
    if (rest.length > 0) return undefined
    const signed = signedHeader(header)
    if (signed === undefined || signed.typ !== typ) return undefined
    const key = await keys.find(signed.kid, signed.alg)
    if (key === undefined || !hasSignature(`${header}.${payload}`, signature, key, signed.alg))
      return undefined
    const claims = parsedObject(payload)
    return claims && { kid: signed.kid, claims }
  }
}

/** Whether a text has the form of a compact JWS: three parts, and a header with an algorithm. Nothing is verified. */
export function looksLikeJws(text: string): boolean {
  const [header = '', payload, signature, ...rest] = text.split('.')
  return payload !== undefined && signature !== undefined && rest.length === 0
    ? typeof parsedObject(header)?.alg === 'string'
    : false
}

/** RFC 8725 section 3.1: only algorithms that we sign with, a key by id and never one that the token brings along. */
function signedHeader(header: string) {
  const { alg, kid, typ, crit } = parsedObject(header) ?? {}
  const known = SIGNING_ALGORITHMS.find((algorithm) => algorithm === alg)
  // RFC 7515 section 4.1.11: nothing critical is understood here.
  if (known === undefined || typeof kid !== 'string' || typeof typ !== 'string' || crit !== undefined)
    return undefined
  return { alg: known, kid, typ }
}

function hasSignature(input: string, signature: string, key: KeyObject, alg: SigningAlgorithm): boolean {
  const { digest } = JWS_ALGORITHMS[alg]
  const bytes = Buffer.from(signature, 'base64url')
  // Node forgives characters that are not base64url; a token must not have two spellings.
  if (bytes.toString('base64url') !== signature) return false
  return verify(digest, Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }, bytes)
}

function parsedObject(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}
