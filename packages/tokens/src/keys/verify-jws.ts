import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import type { Logger } from '@signet/platform/logger/logger'
import type { Clock } from '@signet/platform/runtime/clock'
import { TemporarilyUnavailableError } from '@signet/protocol/errors'
import { SIGNING_ALGORITHMS, type SigningAlgorithm } from '@signet/protocol/signing-algorithms'
import { compactVerify, decodeProtectedHeader, errors, type ProtectedHeaderParameters } from 'jose'

export interface VerifiedJws {
  readonly kid: string
  readonly claims: Readonly<Record<string, unknown>>
}

/**
 * Verifies a compact JWS that one of our own keys must have signed with this `typ`. Returns undefined for any other text: another
 * algorithm, an unknown key, another `typ`, a changed character. Rejects only when the keys cannot be looked up.
 */
export type VerifyJws = (jws: string, typ: string) => Promise<VerifiedJws | undefined>

/** RFC 8725 section 3.1: only algorithms that Signet signs with, and a key by its id, never one from the token. */
export function createJwsVerifier(keys: VerificationKeys): VerifyJws {
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

/** Refuses characters in a signature that decoders ignore, so that a token has only one spelling. */
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

/** All public keys that valid signatures may name, verify-only keys included. */
export interface VerificationKeys {
  /**
   * The key of this id **and** algorithm, else undefined. An unknown id is looked up at a limited rate; rejects with
   * TemporarilyUnavailableError when `keys` could not be asked.
   */
  find(kid: string, alg: SigningAlgorithm): Promise<KeyObject | undefined>
}

interface PublicKey {
  readonly kid: string
  readonly algorithm: string
  readonly jwk: string
}

/** The part of the client of `KeyService` that returns public keys. */
interface PublicKeySource {
  listPublicKeys(
    request: Record<string, never>,
    options: { readonly timeoutMs: number },
  ): Promise<{ readonly keys: readonly PublicKey[] }>
}

export interface VerificationKeysOptions {
  readonly keys: PublicKeySource
  readonly now: Clock
  readonly logger: Logger
}

interface KnownKey {
  readonly algorithm: string
  readonly jwk: string
  readonly key: KeyObject
}

// Any number of unknown ids causes at most one call in this period.
const LOOK_UP_EVERY_MS = 5_000
// A revoked key is dropped within this period. Its tokens are refused sooner, by the ending with its id.
const REFRESH_AFTER_MS = 60_000
const CALL_TIMEOUT_MS = 2_000

export function createVerificationKeys({ keys, now, logger }: VerificationKeysOptions): VerificationKeys {
  let known: ReadonlyMap<string, KnownKey> = new Map()
  let refreshedAt = Number.NEGATIVE_INFINITY
  let attempt: { readonly at: number; readonly done: Promise<void> } | undefined

  async function refresh(): Promise<void> {
    try {
      const answer = await keys.listPublicKeys({}, { timeoutMs: CALL_TIMEOUT_MS })
      known = new Map(answer.keys.map((key) => [key.kid, knownKey(key, known)]))
      refreshedAt = now().getTime()
    } catch (error) {
      logger.warn('public_keys_unreachable', { error })
      throw new TemporarilyUnavailableError('The signing key cannot be looked up at the moment', {
        reason: 'public_keys_unreachable',
        cause: error,
      })
    }
  }

  /** Calls `refresh` at most once in LOOK_UP_EVERY_MS; other calls get the result of the last attempt, also a failure. */
  function refreshAtLimitedRate(): Promise<void> {
    const at = now().getTime()
    if (attempt === undefined || at - attempt.at >= LOOK_UP_EVERY_MS) {
      attempt = { at, done: refresh() }
      attempt.done.catch(() => undefined)
    }
    return attempt.done
  }

  return {
    async find(kid, alg) {
      if (!known.has(kid)) await refreshAtLimitedRate()
      else if (now().getTime() - refreshedAt >= REFRESH_AFTER_MS)
        void refreshAtLimitedRate().catch(() => undefined)
      const found = known.get(kid)
      return found?.algorithm === alg ? found.key : undefined
    },
  }
}

function knownKey({ kid, algorithm, jwk }: PublicKey, before: ReadonlyMap<string, KnownKey>): KnownKey {
  const same = before.get(kid)
  if (same?.jwk === jwk) return same
  return { algorithm, jwk, key: createPublicKey({ key: JSON.parse(jwk) as JsonWebKey, format: 'jwk' }) }
}
