import type { RevocationKind } from '@signet/revocation-reader/mirror-keys'

/** An epoch that the directory has published for a user, a client or an organization. */
export interface PublishedEpoch {
  readonly kind: Extract<RevocationKind, 'u' | 'c' | 'o'>
  readonly id: string
  readonly epoch: number
}
