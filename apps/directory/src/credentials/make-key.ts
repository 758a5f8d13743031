import type { JsonWebKey } from 'node:crypto'
import type { SigningAlgorithm } from '@signet/protocol/signing-algorithms'
import type { KeyFile, RegisteredKey } from './credential.ts'
import { generateKey } from './generate-key.ts'
import { requireFuture } from './require-future.ts'

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

/** What every key file says. */
export function keyFile({ id, expiresAt }: RegisteredKey, privateKeyPem: string): KeyFile {
  return {
    keyId: id,
    key: privateKeyPem,
    ...(expiresAt !== null && { expirationDate: expiresAt.toISOString() }),
  }
}
