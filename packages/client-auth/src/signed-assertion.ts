import { createHash } from 'node:crypto'
import type { Client, RegisteredKey } from '@signet/directory-reader/views'
import { MAKER_TOLERANCE_SECONDS } from '@signet/platform/redis/replay-guard'
import { ID_JAG_TYP } from '@signet/protocol/cross-app-access'
import { InvalidClientError } from '@signet/protocol/errors'
import { clientAlgorithms } from '@signet/protocol/fapi2'
import { verifiesWith } from '@signet/protocol/public-key'
import {
  CLIENT_ASSERTION_ALGORITHMS,
  type ClientAssertionAlgorithm,
} from '@signet/protocol/signing-algorithms'
import { isClientIdentifier, isUserIdentifier } from '@signet/tokens/identifiers'
import {
  type CryptoKey,
  compactVerify,
  decodeJwt,
  decodeProtectedHeader,
  importJWK,
  type JWTPayload,
} from 'jose'

const LONGEST_LIFE_SECONDS = 3_600
/** Number of seconds by which the clock of a signer may differ from ours, in either direction. */
export const SIGNER_TOLERANCE_SECONDS = MAKER_TOLERANCE_SECONDS

export interface VerifiedAssertion {
  /** Names this assertion in a replay guard: its `jti`, or the digest of header and payload when it has none. */
  readonly replayId: string
  /** Seconds since 1970, by the clock of the signer. */
  readonly issuedAt: number
  /** Seconds since 1970. */
  readonly expiresAt: number
}

/** Signer that an assertion must have. */
export interface AssertionSigner {
  /** Both `iss` and `sub`: the client_id, or the id of a service user. */
  readonly id: string
  readonly keys: readonly RegisteredKey[]
  /** All of Signet when left out. */
  readonly algorithms?: readonly ClientAssertionAlgorithm[]
  /** `aud` must be the first audience as a string, alone (FAPI 2.0 Security Profile section 5.3.2.1). */
  readonly issuerAlone?: boolean
  /** Expected `sub` where the signer asserts about another subject. */
  readonly subject?: string
}

/** The rule that an assertion breaks, as a sentence about `it`. */
export class AssertionRefusal extends Error {
  readonly reason: string

  constructor(rule: string, reason: string, cause?: unknown) {
    super(rule, cause === undefined ? {} : { cause })
    this.reason = reason
  }
}

/**
 * Returns the party that an assertion names as its signer; nothing is verified yet. Undefined for a `sub` that cannot
 * be an id.
 */
export function claimedSigner(assertion: string): string | undefined {
  const sub = claimedSubject(assertion)
  return isUserIdentifier(sub) ? sub : undefined
}

/** Whether an assertion names its subject as its issuer, as each does that its subject signs; nothing is verified yet. */
export function isSelfIssued(assertion: string): boolean {
  const { iss, sub } = claimsOf(assertion)
  return iss !== undefined && iss === sub
}

/** Returns the client that an assertion names as its signer, which may have a URL; nothing is verified yet. */
export function claimedClient(assertion: string): string | undefined {
  const sub = claimedSubject(assertion)
  return isClientIdentifier(sub) ? sub : undefined
}

const claimedSubject = (assertion: string): unknown => claimsOf(assertion).sub

/** Returns the claims of a JWT, and none of another text. */
function claimsOf(assertion: string): JWTPayload {
  if (!isCompactJws(assertion)) return {}
  try {
    return decodeJwt(assertion)
  } catch {
    return {}
  }
}

/** Returns the key that an assertion names; nothing is verified yet. */
export function claimedKey(assertion: string): string | undefined {
  const { kid } = headerOf(assertion)
  return typeof kid === 'string' ? kid : undefined
}

/**
 * RFC 7515 section 2: three parts of base64url without padding, blanks or line breaks. Decoders forgive those and
 * ignore the unused bits of a last character, so that one assertion would have many spellings.
 */
export function isCompactJws(assertion: string): boolean {
  const parts = assertion.split('.')
  return (
    parts.length === 3 && parts.every((part) => Buffer.from(part, 'base64url').toString('base64url') === part)
  )
}

/**
 * Verifies an assertion (RFC 7523 section 3): signature by a registered key chosen by `kid` and algorithm, `iss` =
 * `sub` = the signer, an audience of ours, at most an hour between `iat` and `exp`.
 * Throws AssertionRefusal naming the rule that was broken.
 */
export async function verifySignedAssertion(
  assertion: string,
  signer: AssertionSigner,
  audiences: readonly string[],
  now: Date,
): Promise<VerifiedAssertion> {
  // RFC 8725 section 3.11: one is for one grant.
  if (headerOf(assertion).typ === ID_JAG_TYP)
    throw refused('it is an identity assertion', 'assertion_malformed')
  const payload = await verifySignature(assertion, signer, now)
  requireClaims(payload, signer, audiences, Math.floor(now.getTime() / 1000))
  const { jti, iat: issuedAt = 0, exp: expiresAt = 0 } = payload
  return { replayId: jti ?? contentDigest(assertion), issuedAt, expiresAt }
}

/**
 * Verifies a signed JWT by a registered key, chosen by `kid` and algorithm, and returns its claims, which it does not judge.
 * Throws AssertionRefusal.
 */
export async function verifySignature(
  jws: string,
  signer: Pick<AssertionSigner, 'keys' | 'algorithms'>,
  now: Date,
): Promise<JWTPayload> {
  return verifiedPayload(jws, await keyOf(jws, signer, now))
}

/** Returns the digest without the signature: an ECDSA or PSS key signs the same content in any number of ways. */
function contentDigest(assertion: string): string {
  const content = assertion.slice(0, assertion.lastIndexOf('.'))
  return createHash('sha256').update(content).digest('base64url')
}

async function keyOf(
  assertion: string,
  signer: Pick<AssertionSigner, 'keys' | 'algorithms'>,
  now: Date,
): Promise<{ key: CryptoKey; alg: ClientAssertionAlgorithm }> {
  const header = headerOf(assertion)
  const { algorithms = CLIENT_ASSERTION_ALGORITHMS } = signer
  const alg = algorithms.find((allowed) => allowed === header.alg)
  if (alg === undefined) throw refused(`alg must be one of ${algorithms.join(', ')}`, 'assertion_alg')
  const usable = signer.keys.filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
  const registered = usable.find(({ kid }) => kid === header.kid)
  // Without a kid there must be no choice to make.
  const chosen = registered ?? (header.kid === undefined && usable.length === 1 ? usable[0] : undefined)
  if (chosen === undefined) throw refused('kid does not name a registered key', 'assertion_kid')
  const key = await importKey(chosen, alg)
  if (key === undefined) throw refused('alg does not fit the registered key', 'assertion_alg_of_key')
  return { key, alg }
}

function headerOf(assertion: string): { alg?: string; kid?: string; typ?: string } {
  const malformed = (cause?: unknown) =>
    refused('it is not a signed JWT in compact form', 'assertion_malformed', cause)
  if (!isCompactJws(assertion)) throw malformed()
  try {
    return decodeProtectedHeader(assertion) as { alg?: string; kid?: string; typ?: string }
  } catch (cause) {
    throw malformed(cause)
  }
}

const imported = new WeakMap<RegisteredKey, Map<ClientAssertionAlgorithm, CryptoKey>>()

async function importKey(
  registeredKey: RegisteredKey,
  alg: ClientAssertionAlgorithm,
): Promise<CryptoKey | undefined> {
  const known = imported.get(registeredKey)?.get(alg)
  if (known !== undefined) return known
  if (!verifiesWith(registeredKey.jwk, alg)) return undefined
  const key = await importJWK(registeredKey.jwk, alg).catch(() => undefined)
  if (key === undefined || key instanceof Uint8Array || key.type !== 'public') return undefined
  const byAlgorithm = imported.get(registeredKey) ?? new Map<ClientAssertionAlgorithm, CryptoKey>()
  imported.set(registeredKey, byAlgorithm.set(alg, key))
  return key
}

async function verifiedPayload(
  assertion: string,
  { key, alg }: { key: CryptoKey; alg: ClientAssertionAlgorithm },
): Promise<JWTPayload> {
  try {
    const { payload } = await compactVerify(assertion, key, { algorithms: [alg] })
    const claims: unknown = JSON.parse(Buffer.from(payload).toString('utf8'))
    if (typeof claims === 'object' && claims !== null) return claims as JWTPayload
  } catch (cause) {
    throw refused('its signature does not verify', 'assertion_signature', cause)
  }
  throw refused('its payload is not a JSON object', 'assertion_payload')
}

function requireClaims(
  claims: JWTPayload,
  { id, subject = id, issuerAlone }: AssertionSigner,
  audiences: readonly string[],
  now: number,
): void {
  const { iss, sub, aud, jti } = claims
  if (iss !== id || sub !== subject)
    throw refused('iss and sub must both name the signer', 'assertion_subject')
  if (issuerAlone && aud !== audiences[0])
    throw refused('aud must be the issuer alone, as a string', 'assertion_audience')
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud]
  if (!audiences.some((audience) => named.includes(audience))) {
    const hasSlash = named.some((one) => audiences.some((audience) => one === `${audience}/`))
    const slash = hasSlash ? '; it has a slash at the end, which they do not have' : ''
    throw refused(`aud must contain the issuer or the endpoint that is called${slash}`, 'assertion_audience')
  }
  requireTimes(claims, now)
  if (jti !== undefined && (typeof jti !== 'string' || jti.length > 512)) {
    throw refused('jti must be a string of at most 512 characters', 'assertion_jti')
  }
}

/** Requires `iat` and `exp` at most an hour apart, within the tolerance around `now`, which are seconds since 1970. */
export function requireTimes({ iat, exp, nbf }: JWTPayload, now: number): void {
  if (typeof exp !== 'number' || typeof iat !== 'number')
    throw refused('exp and iat are required and numbers', 'assertion_times')
  if (nbf !== undefined && typeof nbf !== 'number') throw refused('nbf must be a number', 'assertion_times')
  if (exp <= now - SIGNER_TOLERANCE_SECONDS)
    throw refused(
      'it has expired; check the clock of the signer, and make a new one for each call',
      'assertion_expired',
    )
  if (exp - iat > LONGEST_LIFE_SECONDS)
    throw refused('exp is more than an hour after iat', 'assertion_too_long')
  const latest = now + SIGNER_TOLERANCE_SECONDS
  if (iat > latest || (nbf !== undefined && nbf > latest)) {
    throw refused('iat or nbf lies in the future; check the clock of the signer', 'assertion_early')
  }
}

function refused(rule: string, reason: string, cause?: unknown): AssertionRefusal {
  return new AssertionRefusal(rule, reason, cause)
}

/** Verifies an assertion of `client` (RFC 7523 section 2.2). Throws InvalidClientError naming the rule that was broken. */
export async function verifyAssertion(
  assertion: string,
  { clientId, keys, fapi2 }: Client,
  audiences: readonly string[],
  now: Date,
): Promise<VerifiedAssertion> {
  const signer = { id: clientId, keys, algorithms: clientAlgorithms({ fapi2 }), issuerAlone: fapi2 }
  return verifySignedAssertion(assertion, signer, audiences, now).catch(clientRefusal)
}

/** Throws an error of an assertion as the error of its client. */
export function clientRefusal(error: unknown): never {
  if (!(error instanceof AssertionRefusal)) throw error
  const { message, reason, cause } = error
  throw new InvalidClientError(`client_assertion is refused: ${message}`, {
    reason,
    basicTried: false,
    cause,
  })
}
