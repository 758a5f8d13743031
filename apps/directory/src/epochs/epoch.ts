/** Raised epoch of a user, client or organization: everything that was made under a lower one is dead. */
export interface RaisedEpoch {
  /** A user by its id, a client by its client_id, an organization by its id. */
  readonly kind: 'user' | 'client' | 'organization'
  readonly id: string
  readonly epoch: number
}

/** The end of a personal access token: everything that was exchanged for it is dead. */
export interface EndedPersonalToken {
  readonly kind: 'personal_access_token'
  readonly id: string
  readonly userId: string
  readonly epoch: 1
}

export type Epoch = RaisedEpoch | EndedPersonalToken

/**
 * Resolves when no replica answers active for anything that they end; rejects with an ApiError UNAVAILABLE when
 * that cannot be said. Repeating it is harmless.
 */
export type PublishEndings = (epochs: readonly Epoch[]) => Promise<void>
