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
  const at = now()
  const clientSecret = newClientSecret(random)
  const othersEnd = new Date(at.getTime() + overlapSeconds * 1000)
  return {
    stored: { hash: await hashClientSecret(clientSecret, hasher), at, othersEnd },
    shown: { clientId, clientSecret, previousValidUntil: othersEnd },
  }
}
