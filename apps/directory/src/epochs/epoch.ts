/** Everything that was made under a lower epoch for the same user, client or organization is dead. */
export interface Epoch {
  /** A user by its id, a client by its client_id, an organization by its id. */
  readonly kind: 'user' | 'client' | 'organization'
  readonly id: string
  readonly epoch: number
}

/**
 * Resolves when no replica answers active for anything under the epochs; rejects with an ApiError UNAVAILABLE when
 * that cannot be said. Repeating it is harmless.
 */
export type PublishEpochs = (epochs: readonly Epoch[]) => Promise<void>
