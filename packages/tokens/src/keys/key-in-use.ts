/** When a key may be used; Unix milliseconds. */
export interface UseTimes {
  readonly activeAt: number
  readonly retireAt: number
}

export type UseState = 'announced' | 'active' | 'retired'

/** The state that a clock gives a key. */
export function stateAt({ activeAt, retireAt }: UseTimes, at: number): UseState {
  if (at < activeAt) return 'announced'
  return at < retireAt ? 'active' : 'retired'
}

/**
 * The key to use at this moment, of one line given newest first. If the one whose turn it is was revoked, the next one
 * that was not; undefined past the date of the last one.
 */
export function keyInUse<K extends UseTimes & { readonly kid: string }>(
  newestFirst: readonly K[],
  at: number,
  isRevoked: (kid: string) => boolean,
): K | undefined {
  const inTurn = newestFirst.find((key) => stateAt(key, at) === 'active')
  if (inTurn === undefined || !isRevoked(inTurn.kid)) return inTurn
  return newestFirst.findLast((key) => key.activeAt >= inTurn.activeAt && !isRevoked(key.kid))
}
