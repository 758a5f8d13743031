import type { ManagementServices } from '../management/management-services.ts'
import type { NewSecret } from './client-secret.repository.ts'
import { hashClientSecret } from './client-secret-hash.ts'
import { newClientSecret } from './secret-text.ts'

export interface RotatedSecret {
  readonly clientId: string
  /** Answered once, and stored as a hash only. */
  readonly clientSecret: string
  /** Until when the secrets before it are accepted. */
  readonly previousValidUntil: Date
}

/** A secret to take the place of the ones before, and how it is stored. */
export async function rotatedSecret(
  clientId: string,
  overlapSeconds: number,
  { now, random, hasher }: Pick<ManagementServices, 'now' | 'random' | 'hasher'>,
): Promise<{ readonly stored: NewSecret; readonly shown: RotatedSecret }> {
  const clientSecret = newClientSecret(random)
  const stored = await storedSecret(clientSecret, overlapSeconds, { now, hasher })
  return { stored, shown: { clientId, clientSecret, previousValidUntil: stored.othersEnd } }
}

/** How a secret is stored whose predecessors are accepted for `overlapSeconds` more. */
export async function storedSecret(
  secret: string,
  overlapSeconds: number,
  { now, hasher }: Pick<ManagementServices, 'now' | 'hasher'>,
): Promise<NewSecret> {
  const at = now()
  const othersEnd = new Date(at.getTime() + overlapSeconds * 1000)
  return { hash: await hashClientSecret(secret, hasher), at, othersEnd }
}
