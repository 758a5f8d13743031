import type { KeyObject } from 'node:crypto'
import { SIGNING_ALGORITHMS, type SigningAlgorithm } from '@signet/protocol/signing-algorithms'
import type { RevocationReader } from '@signet/revocation-reader/revocation-reader'
import type { VerificationKeys } from '@signet/tokens/keys/verify-jws'
import { compactVerify, decodeProtectedHeader } from 'jose'

/** The claims of a verified `id_token_hint`. */
export interface IdTokenHint {
  readonly userId: string
  readonly clientId: string
  readonly sid: string | undefined
}

export type ReadIdTokenHint = (token: string) => Promise<IdTokenHint | undefined>

interface Dependencies {
  readonly keys: VerificationKeys
  readonly revocations: Pick<RevocationReader, 'isEnded'>
}

/**
 * Verifies hints of one issuer. Returns undefined unless a key that is not revoked signed an ID token of this issuer.
 * An expired hint is accepted (OIDC RP-Initiated Logout section 2), because a hint is no credential.
 */
export function idTokenHints(issuer: string, { keys, revocations }: Dependencies): ReadIdTokenHint {
  return async (token) => {
    const header = protectedHeader(token)
    if (header === undefined) return undefined
    const key = await keys.find(header.kid, header.alg)
    if (key === undefined) return undefined
    const claims = await verifiedClaims(token, key, header.alg)
    if (claims === undefined || claims.iss !== issuer || typeof claims.sub !== 'string') return undefined
    const clientId = clientOf(claims)
    if (clientId === undefined) return undefined
    // The cached keys may be a minute old. A hint from before a restore is still accepted.
    const ofKey = { kid: header.kid, generation: Number.POSITIVE_INFINITY, organizations: [] }
    if (await revocations.isEnded(ofKey)) return undefined
    return { userId: claims.sub, clientId, sid: typeof claims.sid === 'string' ? claims.sid : undefined }
  }
}

/**
 * Returns undefined unless the token is a JWS of a supported algorithm; access and logout tokens have another `typ`.
 */
function protectedHeader(token: string): { kid: string; alg: SigningAlgorithm } | undefined {
  try {
    const { kid, alg, typ = 'JWT' } = decodeProtectedHeader(token)
    const known = SIGNING_ALGORITHMS.find((algorithm) => algorithm === alg)
    return kid !== undefined && known !== undefined && typ === 'JWT' ? { kid, alg: known } : undefined
  } catch {
    return undefined
  }
}

async function verifiedClaims(
  token: string,
  key: KeyObject,
  alg: SigningAlgorithm,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const { payload } = await compactVerify(token, key, { algorithms: [alg] })
    const claims: unknown = JSON.parse(new TextDecoder().decode(payload))
    return typeof claims === 'object' && claims !== null ? { ...claims } : undefined
  } catch {
    return undefined
  }
}

/** `azp`, or the only audience. */
function clientOf({ azp, aud }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof azp === 'string') return azp
  const audiences: unknown[] = Array.isArray(aud) ? aud : [aud]
  const [only] = audiences
  return audiences.length === 1 && typeof only === 'string' ? only : undefined
}
