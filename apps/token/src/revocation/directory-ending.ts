import type { EndingKind } from '@signet/revocation-reader/endings'

/** An ending that the directory makes: of a user, a client, an organization or a personal access token. */
export interface DirectoryEnding {
  readonly kind: Extract<EndingKind, 'u' | 'c' | 'o' | 'p'>
  /** Of a personal access token as `personalTokenId` makes it. */
  readonly id: string
  /** The epoch below which everything is dead; 1 for a personal access token. */
  readonly epoch: number
}
