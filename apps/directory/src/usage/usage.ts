/** The highest count; `hasMore` says that there are more. */
export const MOST_COUNTED = 10_000

/** The counts of sessions, people and grants under one object, as the token service has them. */
export interface Use {
  /** Browser sessions in which an application took part. */
  readonly sessions: number
  readonly users: number
  readonly applications: number
  /** Zero for clients and organizations. */
  readonly refreshFamilies: number
  /** Counting ended at a limit. */
  readonly hasMore: boolean
}

/**
 * Counts the use of one object, or of several users or clients, at all applications or at some. Rejects with ApiError
 * UNAVAILABLE.
 */
export type CountUse = (
  kind: 'user' | 'client' | 'organization',
  ids: readonly string[],
  clientIds?: readonly string[],
) => Promise<Use>

/**
 * Returns the days, counted from 1970 in UTC, on which clients got their latest tokens, without clients that got none. Rejects with
 * ApiError UNAVAILABLE.
 */
export type FindLastUse = (clientIds: readonly string[]) => Promise<ReadonlyMap<string, number>>
