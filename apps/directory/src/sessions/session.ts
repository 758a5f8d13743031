import type { Caller } from '@signet/admin-api/caller'

/** A browser session of a person; it belongs to login. */
export interface Session {
  /** Value of the `sid` claim. */
  readonly id: string
  readonly authenticatedAt: Date
  readonly lastUsedAt: Date
  /** When it ends if it is not used again. */
  readonly expiresAt: Date
  /** RFC 8176. */
  readonly amr: readonly string[]
  /** The browser of the sign-in, as system and address are of it; undefined where it is unknown. */
  readonly browser?: string | undefined
  readonly system?: string | undefined
  readonly clientAddress?: string | undefined
  /** City and country of the address in English. */
  readonly place?: string | undefined
  /** `client_id`s of the applications that it was used for, the latest first. */
  readonly clientIds: readonly string[]
  /** The administrator who acts as the person in it. */
  readonly impersonatedBy?: { readonly administratorId: string; readonly reason: string } | undefined
}

export interface SessionEnding {
  readonly userId: string
  readonly sessionId: string
  readonly administrator: Pick<Caller, 'userId' | 'kind'>
  readonly clientAddress: string
}

/**
 * The service that stores the sessions. Both methods reject with ApiError UNAVAILABLE when it does not
 * answer.
 */
export interface SessionClient {
  /** Lists the sessions that count now, ordered by id. */
  list(userId: string): Promise<readonly Session[]>
  /** When it resolves, nothing made under the session is active anywhere. */
  end(ending: SessionEnding): Promise<'ended' | 'not_found'>
}
