import { createHash } from 'node:crypto'
import { newOpaqueIdentifier, type RandomBytes } from './identifiers.ts'

const DIGESTS: Readonly<Record<string, string>> = { RS256: 'sha256', ES256: 'sha256', EdDSA: 'sha512' }

/** `at_hash` or `c_hash` (OIDC Core section 3.1.3.6): the left half of the digest that belongs to the signing algorithm. */
export function halfHash(value: string, signingAlgorithm: string): string {
  const digestName = DIGESTS[signingAlgorithm]
  if (digestName === undefined) throw new Error(`no digest is defined for ${signingAlgorithm}`)
  const digest = createHash(digestName).update(value, 'ascii').digest()
  return digest.subarray(0, digest.length / 2).toString('base64url')
}

/** The epochs under which an ID token was made, and the generation of the database; an absent one is 0. */
export interface IdTokenEpochs {
  readonly user: number
  readonly organization: number
  readonly generation?: number
}

const FORM = /^[A-Za-z0-9_-]{22}\.(\d{1,15})\.(\d{1,15})(?:\.(\d{1,15}))?$/

/**
 * The `jti` of an ID token: random, the epochs of its user and the user's organization, and the generation of the
 * database. ID tokens carry standard claims only, so a token exchange reads here whether one has ended.
 */
export function newIdTokenId(random: RandomBytes, { user, organization, generation }: IdTokenEpochs): string {
  const parts = [newOpaqueIdentifier(random), user, organization]
  return [...parts, ...(generation ? [generation] : [])].join('.')
}

export function epochsOfIdToken(jti: unknown): IdTokenEpochs | undefined {
  const [, user, organization, generation] = typeof jti === 'string' ? (FORM.exec(jti) ?? []) : []
  if (user === undefined || organization === undefined) return undefined
  return {
    user: Number(user),
    organization: Number(organization),
    ...(generation !== undefined && { generation: Number(generation) }),
  }
}
