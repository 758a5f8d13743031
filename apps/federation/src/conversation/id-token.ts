import { errors, type JWTPayload, jwtVerify, type ProtectedHeaderParameters } from 'jose'
import type { Provider } from './provider.ts'
import {
  isOfManyTenants,
  issuerOfToken,
  type ProviderDocuments,
  type ProviderKey,
  type ProviderMetadata,
} from './provider-documents.ts'
import { Refused } from './refusal.ts'

/** Values that an ID token is compared with. */
export interface ExpectedToken {
  readonly provider: Provider
  readonly metadata: ProviderMetadata
  readonly nonce: string
  /** The authentication is not older; undefined: of any age. */
  readonly authenticatedSince: Date | undefined
  readonly now: Date
}

/** Signatures of providers. HS256 would make a secret of the provider a key, `none` is no signature. */
const KEY_OF_ALGORITHM: Readonly<Record<string, string>> = {
  ...{ RS256: 'rsa', RS384: 'rsa', RS512: 'rsa', PS256: 'rsa', PS384: 'rsa', PS512: 'rsa' },
  ...{ ES256: 'prime256v1', ES384: 'secp384r1', ES512: 'secp521r1', EdDSA: 'ed25519', Ed25519: 'ed25519' },
}
export const ALGORITHMS = Object.keys(KEY_OF_ALGORITHM)
export const CLOCK_TOLERANCE_SECONDS = 30

/** Verifies an ID token by OpenID Connect Core section 3.1.3.7 and returns its claims. Throws Refused. */
export async function verifyIdToken(
  idToken: string,
  documents: Pick<ProviderDocuments, 'findKeys'>,
  expected: ExpectedToken,
): Promise<JWTPayload> {
  const { provider, metadata, now } = expected
  const { payload } = await jwtVerify(
    idToken,
    async (header) => (await findKey(documents, metadata, header)).key,
    {
      algorithms: ALGORITHMS,
      currentDate: now,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      requiredClaims: ['iss', 'sub', 'aud', 'exp', 'iat', 'nonce'],
    },
  ).catch((error: unknown) => {
    throw refusalOfJwt(error)
  })
  const issuer = issuerOfToken(metadata, payload.tid)
  if (payload.iss !== issuer) throw new Refused('issuer_differs', { received: payload.iss, expected: issuer })
  if (typeof payload.sub !== 'string' || payload.sub === '')
    throw new Refused('claim_missing', { received: 'sub' })
  requireAudience(payload, provider.clientId)
  if (payload.nonce !== expected.nonce) throw new Refused('nonce_differs')
  requireAge(payload.auth_time, expected.authenticatedSince)
  if (isOfManyTenants(metadata) && !provider.requiredClaims.some(({ name }) => name === 'tid'))
    throw new Refused('required_claim_differs', {
      received: { tid: payload.tid },
      expected: 'a required tid',
    })
  for (const { name, value } of provider.requiredClaims) {
    const received = payload[name]
    if (received !== value)
      throw new Refused('required_claim_differs', {
        received: { [name]: received },
        expected: { [name]: value },
      })
  }
  return payload
}

/** The key of a provider that a token names. Throws Refused. */
export async function findKey(
  documents: Pick<ProviderDocuments, 'findKeys'>,
  metadata: ProviderMetadata,
  { kid, alg }: ProtectedHeaderParameters,
): Promise<ProviderKey> {
  const { keys, isNew } = await documents.findKeys(metadata, kid)
  const fitting = keys.filter((key) => fits(key, alg) && (kid === undefined || key.kid === kid))
  const [key] = fitting
  // Core section 10.1: a token without a kid comes from a provider with one key.
  if (key !== undefined && (kid !== undefined || fitting.length === 1)) return key
  // Keys are read for an unknown kid once a minute: the next try may find a new one.
  throw new Refused('key_unknown', { received: { kid, alg }, temporary: !isNew })
}

function fits({ key, alg }: ProviderKey, wanted = ''): boolean {
  const { asymmetricKeyType, asymmetricKeyDetails } = key
  return (
    (alg === undefined || alg === wanted) &&
    KEY_OF_ALGORITHM[wanted] === (asymmetricKeyDetails?.namedCurve ?? asymmetricKeyType)
  )
}

function requireAudience({ aud, azp }: JWTPayload, clientId: string): void {
  const audiences = [aud].flat()
  if (!audiences.includes(clientId)) {
    throw new Refused('audience_differs', { received: aud, expected: clientId })
  }
  if (azp === undefined ? audiences.length > 1 : azp !== clientId) {
    throw new Refused('authorized_party_differs', { received: azp, expected: clientId })
  }
}

function requireAge(authTime: unknown, since: Date | undefined): void {
  if (since === undefined) return
  if (typeof authTime !== 'number' || !Number.isFinite(authTime))
    throw new Refused('authentication_time_missing')
  const earliest = Math.floor(since.getTime() / 1_000)
  if (authTime < earliest - CLOCK_TOLERANCE_SECONDS) {
    throw new Refused('authentication_too_old', { received: authTime, expected: `at least ${earliest}` })
  }
}

/** The refusal of a token that `jose` rejects. */
export function refusalOfJwt(cause: unknown): unknown {
  if (cause instanceof Refused) return cause
  if (cause instanceof errors.JOSEAlgNotAllowed) {
    return new Refused('algorithm_refused', { expected: ALGORITHMS.join(' '), cause })
  }
  if (cause instanceof errors.JWSSignatureVerificationFailed)
    return new Refused('signature_invalid', { cause })
  if (cause instanceof errors.JWTExpired) {
    return new Refused('id_token_expired', { received: cause.payload.exp, cause })
  }
  if (cause instanceof errors.JWTClaimValidationFailed) {
    const { claim: received, reason } = cause
    if (reason === 'missing') return new Refused('claim_missing', { received, cause })
    return new Refused(
      reason === 'check_failed' && received === 'nbf' ? 'id_token_not_yet_valid' : 'id_token_malformed',
      {
        received,
        cause,
      },
    )
  }
  return cause instanceof errors.JOSEError
    ? new Refused('id_token_malformed', { received: cause.code, cause })
    : cause
}
