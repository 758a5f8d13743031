import type { RevocationKind } from '@signet/revocation-reader/mirror-keys'

/** An epoch that the directory has published for a user, a client or an organization. */
export interface RaisedEpoch {
  readonly kind: Extract<RevocationKind, 'u' | 'c' | 'o'>
  readonly id: string
  readonly epoch: number
}

/** The end of a personal access token, which ends what was exchanged for it. */
export interface EndedPersonalToken {
  readonly kind: 't'
  readonly id: string
  readonly epoch: 1
  /** Its user. */
  readonly subject: string
}

export type PublishedEpoch = RaisedEpoch | EndedPersonalToken

/** How the end of a personal access token is named among the ends of tokens; no `jti` holds a dot. */
export function personalTokenMark({
  userId,
  tokenId,
}: {
  readonly userId: string
  readonly tokenId: string
}) {
  return `p.${userId}.${tokenId}`
}
