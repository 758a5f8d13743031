/** An epoch under which something was made: it is dead once a higher one was published for the same id. */
export interface EpochMark {
  readonly id: string
  readonly epoch: number
}

/** Everything whose end ends a token, a code or a session. Absent members do not apply. */
export interface RevocationFacts {
  readonly tokenId?: string
  /** A personal access token, as `personalTokenId` in `@signet/revocation-reader/endings` names it. */
  readonly personalTokenId?: string
  /** Of the database when it was made (section "Restore" of docs/runbooks); absent: 0. */
  readonly generation?: number
  readonly grantId?: string
  readonly sid?: string
  /** The key that sealed or signed it. */
  readonly kid?: string
  readonly user?: EpochMark
  readonly client?: EpochMark
  readonly organizations: readonly EpochMark[]
}
