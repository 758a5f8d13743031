import { generateKeyPair, type JsonWebKey, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { ApiError } from '@signet/admin-api/api-error'
import { invalidFields } from '@signet/admin-api/json-error-handler'
import type { SigningAlgorithm } from '@signet/protocol/signing-algorithms'
import type { KeyFile, RegisteredKey } from './credential.schema.ts'

const generate = promisify(generateKeyPair)

interface GeneratedKey {
  readonly publicKeyJwk: JsonWebKey
  readonly privateKeyPem: string
}

const GENERATORS: Readonly<
  Record<SigningAlgorithm, () => Promise<{ publicKey: KeyObject; privateKey: KeyObject }>>
> = {
  RS256: () => generate('rsa', { modulusLength: 2048 }),
  ES256: () => generate('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generate('ed25519'),
}

/** A new pair for an algorithm. Client libraries expect RSA keys as PKCS#1, the others as PKCS#8. */
async function generateKey(algorithm: SigningAlgorithm): Promise<GeneratedKey> {
  const { publicKey, privateKey } = await GENERATORS[algorithm]()
  const type = algorithm === 'RS256' ? 'pkcs1' : 'pkcs8'
  return {
    publicKeyJwk: { ...publicKey.export({ format: 'jwk' }), alg: algorithm },
    privateKeyPem: privateKey.export({ format: 'pem', type }).toString(),
  }
}

export interface NewKey {
  readonly expiresAt?: Date | undefined
  /** Absent: a pair is generated. */
  readonly publicKey?: JsonWebKey | undefined
  readonly algorithm: SigningAlgorithm
}

/** The key to register, and the private half of one that was generated. */
export async function makeKey(
  id: string,
  { expiresAt, publicKey, algorithm }: NewKey,
  now: Date,
): Promise<{ readonly key: RegisteredKey; readonly privateKeyPem?: string }> {
  requireFuture(expiresAt, now)
  const times = { createdAt: now, expiresAt: expiresAt ?? null }
  if (publicKey !== undefined) return { key: { id, publicKeyJwk: publicKey, ...times } }
  const { publicKeyJwk, privateKeyPem } = await generateKey(algorithm)
  return { key: { id, publicKeyJwk, ...times }, privateKeyPem }
}

/** The members that all key files share. */
export function keyFile({ id, expiresAt }: RegisteredKey, privateKeyPem: string): KeyFile {
  return {
    keyId: id,
    key: privateKeyPem,
    ...(expiresAt !== null && { expirationDate: expiresAt.toISOString() }),
  }
}

export function unknownKey(owner: 'user' | 'application'): ApiError {
  return new ApiError('NOT_FOUND', `the ${owner} has no key with this id`, { reason: 'key_unknown' })
}

/** Throws ApiError INVALID_ARGUMENT for an end that has been reached already. */
export function requireFuture(expiresAt: Date | undefined, now: Date): void {
  if (expiresAt === undefined || expiresAt > now) return
  throw invalidFields([{ field: 'expiresAt', rule: 'must lie in the future' }])
}
