// Reads DPoP proofs (RFC 9449 section 4): nothing is stored here, so a valid proof stays valid for a while.

import { createHash, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { verifiesWith } from '@signet/protocol/public-key'
import { DPOP_ALGORITHMS, type DpopAlgorithm } from '@signet/protocol/signing-algorithms'
import { calculateJwkThumbprint, compactVerify, type JWK } from 'jose'

/** A proof whose signature and claims fit the request that it came with. */
export interface DpopProof {
  /** RFC 7638 thumbprint of the key that made it. */
  readonly jkt: string
  readonly jti: string
  readonly algorithm: DpopAlgorithm
  /** Seconds since 1970, by the clock of the client. */
  readonly issuedAt: number
  readonly nonce?: string
}

/** The request that a proof came with. */
export interface ProvenRequest {
  readonly method: string
  /** Public URL of the endpoint. Its query and fragment do not count. */
  readonly url: string
  /** The access token that the request presents, where it presents one. */
  readonly accessToken?: string
}

/** The rule that a proof breaks, as a sentence about `it`. */
export class ProofRefusal extends Error {
  readonly reason: string

  constructor(rule: string, reason: string, cause?: unknown) {
    super(rule, cause === undefined ? {} : { cause })
    this.reason = reason
  }
}

/** Number of seconds by which `iat` may differ from our clock, in either direction. */
export const PROOF_WINDOW_SECONDS = 60
/** An RSA key of 4096 bits with its signature takes less than half of it. */
const LONGEST_PROOF = 4_096
const LONGEST_JTI = 512
/** RFC 7518 sections 6.2.2, 6.3.2 and 6.4.1: the members of a private or a symmetric key. */
const SECRET_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

/**
 * Verifies a proof by the rules of RFC 9449 section 4.3 but two: whether its `jti` was used, and whether its `nonce` is one of the
 * server. Throws ProofRefusal.
 */
export type VerifyProof = (header: string, request: ProvenRequest, now: Date) => Promise<DpopProof>

interface ProofKey {
  readonly key: KeyObject
  readonly alg: DpopAlgorithm
  readonly jkt: string
}

/** Number of keys in the cache, 2 kB each: a longer header is read each time. */
const MOST_KEYS = 5_000
const LONGEST_CACHED_HEADER = 1_500

export function createVerifyProof(): VerifyProof {
  /** Keys by the protected header that contains them; a client sends the same one with each of its proofs. */
  const cached = new Map<string, ProofKey>()

  return async (header, request, now) => {
    const [protectedHeader] = requireCompact(header)
    const known = cached.get(protectedHeader)
    const proofKey = known ?? (await readKey(protectedHeader))
    const claims = await verifiedClaims(header, proofKey)
    // Cached after the signature has verified: a key that signs nothing must not evict others.
    if (known === undefined && protectedHeader.length <= LONGEST_CACHED_HEADER) {
      if (cached.size >= MOST_KEYS) cached.clear()
      cached.set(protectedHeader, proofKey)
    }
    const { jti, iat, nonce } = requireClaims(claims, request, now.getTime() / 1000)
    return {
      jkt: proofKey.jkt,
      algorithm: proofKey.alg,
      jti,
      issuedAt: iat,
      ...(nonce !== undefined && { nonce }),
    }
  }
}

/** RFC 7515 section 7.1. Two headers arrive as one value with a comma, which no part of a JWS has. */
function requireCompact(header: string): readonly [string, string, string] {
  const [protectedHeader, payload, signature, ...rest] = header.split('.')
  const isCompact = /^[\w-]+\.[\w-]+\.[\w-]*$/.test(header) && rest.length === 0
  if (
    header.length > LONGEST_PROOF ||
    !isCompact ||
    !protectedHeader ||
    !payload ||
    signature === undefined
  ) {
    throw new ProofRefusal(
      'it is not one signed JWT in compact form; send one DPoP header',
      'dpop_proof_malformed',
    )
  }
  return [protectedHeader, payload, signature]
}

async function readKey(protectedHeader: string): Promise<ProofKey> {
  const { typ, alg, jwk } = readObject(protectedHeader)
  if (typ !== 'dpop+jwt') throw new ProofRefusal('its typ must be dpop+jwt', 'dpop_proof_typ')
  const algorithm = DPOP_ALGORITHMS.find((allowed) => allowed === alg)
  if (algorithm === undefined) {
    throw new ProofRefusal(`its alg must be one of ${DPOP_ALGORITHMS.join(', ')}`, 'dpop_proof_alg')
  }
  if (!isObject(jwk)) throw new ProofRefusal('its header needs the public key as jwk', 'dpop_proof_key')
  if (SECRET_MEMBERS.some((member) => jwk[member] !== undefined)) {
    throw new ProofRefusal('its jwk has a private or a symmetric key; send the public half', 'dpop_proof_key')
  }
  const named = jwk.alg === 'Ed25519' ? { ...jwk, alg: 'EdDSA' } : jwk
  if (!verifiesWith(named, algorithm === 'Ed25519' ? 'EdDSA' : algorithm)) {
    throw new ProofRefusal('its jwk is not a public key that fits its alg', 'dpop_proof_key')
  }
  const key = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' })
  // Of the exported key: a thumbprint is over its required members alone, in the one spelling that the export has.
  const jkt = await calculateJwkThumbprint(key.export({ format: 'jwk' }) as JWK)
  return { key, alg: algorithm, jkt }
}

async function verifiedClaims(header: string, { key, alg }: ProofKey): Promise<Record<string, unknown>> {
  try {
    await compactVerify(header, key, { algorithms: [alg] })
  } catch (cause) {
    throw new ProofRefusal('its signature does not verify', 'dpop_proof_signature', cause)
  }
  return readObject(header.split('.')[1] ?? '')
}

function requireClaims(
  { jti, htm, htu, iat, exp, nbf, nonce, ath }: Record<string, unknown>,
  { method, url, accessToken }: ProvenRequest,
  now: number,
): { readonly jti: string; readonly iat: number; readonly nonce: string | undefined } {
  if (typeof jti !== 'string' || jti === '' || jti.length > LONGEST_JTI) {
    throw new ProofRefusal(`its jti must have 1 to ${LONGEST_JTI} characters`, 'dpop_proof_claims')
  }
  if (htm !== method)
    throw new ProofRefusal('its htm must be the method of the request', 'dpop_proof_request')
  if (typeof htu !== 'string' || !URL.canParse(htu) || bareUrl(htu) !== bareUrl(url)) {
    throw new ProofRefusal('its htu must be the URL of the request', 'dpop_proof_request')
  }
  if (typeof iat !== 'number' || Math.abs(iat - now) > PROOF_WINDOW_SECONDS) {
    throw new ProofRefusal(
      `its iat must be within ${PROOF_WINDOW_SECONDS} seconds of now; check the clock, and make a proof for each call`,
      'dpop_proof_age',
    )
  }
  if (
    (exp !== undefined && !(typeof exp === 'number' && exp > now - PROOF_WINDOW_SECONDS)) ||
    (nbf !== undefined && !(typeof nbf === 'number' && nbf <= now + PROOF_WINDOW_SECONDS))
  ) {
    throw new ProofRefusal('it has expired by its exp, or is not valid yet by its nbf', 'dpop_proof_age')
  }
  if (nonce !== undefined && typeof nonce !== 'string')
    throw new ProofRefusal('its nonce must be a string', 'dpop_proof_claims')
  if (accessToken !== undefined && ath !== accessTokenHash(accessToken)) {
    throw new ProofRefusal(
      'its ath must be the base64url of the SHA-256 of the access token',
      'dpop_proof_token_hash',
    )
  }
  return { jti, iat, nonce }
}

/** RFC 9449 section 4.2: the value of `ath`. */
function accessTokenHash(accessToken: string): string {
  return createHash('sha256').update(accessToken).digest('base64url')
}

/** RFC 9449 section 4.3: the URL in the normal form of RFC 3986 sections 6.2.2 and 6.2.3, without query and fragment. */
function bareUrl(text: string): string {
  const { protocol, host, pathname } = new URL(text)
  return `${protocol}//${host}${pathname}`
}

function readObject(part: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
    if (isObject(value)) return value
  } catch (cause) {
    throw new ProofRefusal('its parts are not base64url of JSON', 'dpop_proof_malformed', cause)
  }
  throw new ProofRefusal('its header and payload must be JSON objects', 'dpop_proof_malformed')
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
