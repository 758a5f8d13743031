import type { KeyObject } from 'node:crypto'
import { SIGNING_ALGORITHMS, type SigningAlgorithm } from '@signet/protocol/signing-algorithms'
import type { RevocationReader } from '@signet/revocation-reader/revocation-reader'
import type { VerificationKeys } from '@signet/tokens/keys/verify-jws'
import { createMasterKeyMac } from '@signet/tokens/master-key-mac'
import { compactVerify, decodeProtectedHeader } from 'jose'
import { z } from 'zod'
import { type RequestParameters, replaceParameter } from './parameters.ts'

/** The claims of a verified `id_token_hint`. */
export interface IdTokenHint {
  readonly userId: string
  readonly clientId: string
  readonly sid: string | undefined
  /** The administrator who acted as the user in the session. */
  readonly administratorId: string | undefined
}

export type ReadIdTokenHint = (token: string) => Promise<IdTokenHint | undefined>

export interface IdTokenHints {
  /** Reads an ID token, or a value that `shortened` put in its place. */
  readonly read: ReadIdTokenHint
  /**
   * Puts what was read from `id_token_hint` in its place, under a MAC: an ID token with many roles is longer than an
   * address, a header or a stored request may be. A value that is no ID token stays.
   */
  shortened(parameters: RequestParameters): Promise<RequestParameters>
}

interface Dependencies {
  readonly keys: VerificationKeys
  readonly revocations: Pick<RevocationReader, 'isEnded'>
  /** Newest first: the first one signs, all of them verify. */
  readonly masterKeys: readonly Buffer[]
}

const shortHint = z.object({
  kid: z.string(),
  userId: z.string(),
  clientId: z.string(),
  sid: z.string().optional(),
  administratorId: z.string().optional(),
})
type ShortHint = z.infer<typeof shortHint>

const SHORT_HINT = /^hint\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{43})$/

/**
 * Verifies hints of one issuer. Returns undefined unless a key that is not revoked signed an ID token of this issuer.
 * An expired hint is accepted (OIDC RP-Initiated Logout section 2), because a hint is no credential.
 */
export function idTokenHints(issuer: string, { keys, revocations, masterKeys }: Dependencies): IdTokenHints {
  const mac = createMasterKeyMac(masterKeys, 'signet id token hint')

  async function readToken(token: string): Promise<ShortHint | undefined> {
    const header = protectedHeader(token)
    if (header === undefined) return undefined
    const key = await keys.find(header.kid, header.alg)
    if (key === undefined) return undefined
    const claims = await verifiedClaims(token, key, header.alg)
    if (claims === undefined || claims.iss !== issuer || typeof claims.sub !== 'string') return undefined
    const clientId = clientOf(claims)
    if (clientId === undefined) return undefined
    const sid = typeof claims.sid === 'string' ? claims.sid : undefined
    return { kid: header.kid, userId: claims.sub, clientId, sid, administratorId: actorOf(claims) }
  }

  function readShort(text: string): ShortHint | undefined {
    const [, json = '', tag = ''] = SHORT_HINT.exec(text) ?? []
    if (!mac.matches(json, Buffer.from(tag, 'base64url'))) return undefined
    return shortHint.parse(JSON.parse(Buffer.from(json, 'base64url').toString()))
  }

  return {
    async read(token) {
      const found = readShort(token) ?? (await readToken(token))
      if (found === undefined) return undefined
      const { kid, ...hint } = found
      // The cached keys may be a minute old. A hint from before a restore is still accepted.
      const ofKey = { kid, generation: Number.POSITIVE_INFINITY, organizations: [] }
      return (await revocations.isEnded(ofKey))
        ? undefined
        : { ...hint, sid: hint.sid, administratorId: hint.administratorId }
    },
    async shortened(parameters) {
      const token = parameters.get('id_token_hint')
      const hint = token === undefined ? undefined : await readToken(token)
      if (hint === undefined) return parameters
      const json = Buffer.from(JSON.stringify(hint)).toString('base64url')
      const short = `hint.${json}.${mac.of(json).toString('base64url')}`
      return replaceParameter(parameters, 'id_token_hint', short)
    },
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

/** The subject of `act` (RFC 8693 section 4.1). */
function actorOf({ act }: Readonly<Record<string, unknown>>): string | undefined {
  const { sub } = (typeof act === 'object' && act !== null ? act : {}) as { readonly sub?: unknown }
  return typeof sub === 'string' ? sub : undefined
}

/** `azp`, or the only audience. */
function clientOf({ azp, aud }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof azp === 'string') return azp
  const audiences: unknown[] = Array.isArray(aud) ? aud : [aud]
  const [only] = audiences
  return audiences.length === 1 && typeof only === 'string' ? only : undefined
}
