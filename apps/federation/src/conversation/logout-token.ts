// Logout tokens of providers: OpenID Connect Back-Channel Logout 1.0 section 2.6. Whether one was used before is for the caller, who
// knows whether the sessions have ended.
import { type JWTPayload, jwtVerify, type ProtectedHeaderParameters } from 'jose'
import { ALGORITHMS, CLOCK_TOLERANCE_SECONDS, findKey, refusalOfJwt } from './id-token.ts'
import type { AtPlace } from './places.ts'
import type { FindProvider, Provider } from './provider.ts'
import { issuerOfToken, type ProviderDocuments } from './provider-documents.ts'
import { Refused, type Rule } from './refusal.ts'

/** A verified logout token. At least one of subject and session is not empty. */
export interface Logout {
  readonly issuer: string
  readonly subject: string
  readonly sessionId: string
  readonly tokenId: string
  readonly issuedAt: Date
  readonly expiresAt: Date
}

interface LogoutParts {
  readonly findProvider: FindProvider
  readonly documents: ProviderDocuments
  readonly atPlace: AtPlace
  readonly now: () => Date
}

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
/** Section 2.4 recommends the first; older providers send the others. Types of other tokens are refused. */
const TYPES: ReadonlySet<string> = new Set(['logout+jwt', 'application/logout+jwt', 'jwt'])
/** An old token says nothing about the sessions of now, and its use is stored for so long. */
const LONGEST_SECONDS = 3_600
const MOST_CHARACTERS = 255

/** Creates the function that verifies a logout token of a provider which may send some. It throws Refused. */
export function createReadLogoutToken(parts: LogoutParts) {
  return (providerId: string, token: string): Promise<Logout> =>
    parts.atPlace(providerId, () => read(parts, providerId, token))
}

async function read(
  { findProvider, documents, now }: LogoutParts,
  providerId: string,
  token: string,
): Promise<Logout> {
  const provider = await findProvider(providerId, '')
  if (provider.type !== 'oidc' || !provider.backchannelLogout) throw new Refused('logout_not_enabled')
  const metadata = await documents.findMetadata(provider.issuer)
  const { payload } = await jwtVerify(
    token,
    async (header) => {
      requireType(header)
      return (await findKey(documents, metadata, header)).key
    },
    {
      algorithms: ALGORITHMS,
      currentDate: now(),
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      requiredClaims: ['iss', 'aud', 'iat', 'exp', 'jti', 'events'],
    },
  ).catch((error: unknown) => {
    throw ofLogoutToken(refusalOfJwt(error))
  })
  const issuer = issuerOfToken(metadata, payload.tid)
  if (payload.iss !== issuer) throw new Refused('issuer_differs', { received: payload.iss, expected: issuer })
  requireClaims(payload, provider, now())
  const { iat = 0, exp = 0, jti = '' } = payload
  const logout = { issuer, subject: textIn(payload.sub), sessionId: textIn(payload.sid), tokenId: jti }
  if (logout.subject === '' && logout.sessionId === '')
    throw new Refused('claim_missing', { received: 'sub, sid' })
  return { ...logout, issuedAt: new Date(iat * 1_000), expiresAt: new Date(exp * 1_000) }
}

function requireType({ typ }: ProtectedHeaderParameters): void {
  if (typ === undefined) return
  if (typeof typ !== 'string' || !TYPES.has(typ.toLowerCase()))
    throw new Refused('logout_token_malformed', { received: { typ }, expected: 'logout+jwt' })
}

function requireClaims(payload: JWTPayload, { clientId }: Provider, now: Date): void {
  const { aud, iat = 0, exp = 0, jti, sub, sid } = payload
  if (![aud].flat().includes(clientId))
    throw new Refused('audience_differs', { received: aud, expected: clientId })
  // A nonce is what an ID token has: one of those is no logout token.
  if ('nonce' in payload) throw new Refused('logout_token_malformed', { received: 'nonce' })
  if (!isObject(payload.events) || !Object.hasOwn(payload.events, EVENT) || !isObject(payload.events[EVENT]))
    throw new Refused('logout_event_missing', { expected: EVENT })
  if (!isText(jti) || [sub, sid].some((value) => value !== undefined && !isText(value)))
    throw new Refused('logout_token_malformed', { received: 'jti, sub, sid' })
  const seconds = now.getTime() / 1_000
  if (iat > seconds + CLOCK_TOLERANCE_SECONDS)
    throw new Refused('logout_token_malformed', {
      received: { iat },
      expected: `at most ${Math.floor(seconds)}`,
    })
  if (exp - iat > LONGEST_SECONDS)
    throw new Refused('logout_token_malformed', {
      received: { exp },
      expected: `within ${LONGEST_SECONDS} s of iat`,
    })
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isText = (value: unknown) =>
  typeof value === 'string' && value !== '' && value.length <= MOST_CHARACTERS
const textIn = (value: unknown) => (typeof value === 'string' ? value : '')

const RULES: Readonly<Record<string, Rule>> = {
  id_token_expired: 'logout_token_expired',
  id_token_malformed: 'logout_token_malformed',
  id_token_not_yet_valid: 'logout_token_malformed',
}

function ofLogoutToken(error: unknown): unknown {
  if (!(error instanceof Refused)) return error
  const rule = RULES[error.rule]
  const { received, expected, cause } = error
  return rule === undefined ? error : new Refused(rule, { received, expected, cause })
}
