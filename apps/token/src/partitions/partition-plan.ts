const DAY_SECONDS = 86_400
const WEEK_SECONDS = 7 * DAY_SECONDS

/** The day of a moment, counted from 1970-01-01 UTC. */
export function dayOf(moment: Date): number {
  return Math.floor(moment.getTime() / 1000 / DAY_SECONDS)
}

/** The week of a moment, counted from 1970-01-01 UTC. */
export function weekOf(moment: Date): number {
  return Math.floor(moment.getTime() / 1000 / WEEK_SECONDS)
}

/** A partitioned table and the partitions that must exist now; everything below `first` may be dropped. */
export interface PartitionPlan {
  readonly table:
    | 'authorization_grant'
    | 'grant_origin'
    | 'session_client'
    | 'code_redemption'
    | 'revocation'
    | 'logout_delivery'
  readonly first: number
  readonly last: number
}

// Refresh families and sessions live 400 days at most, access tokens, codes and session revocations a day; each side gets slack
// for clocks that differ and for a timer that could not run over a weekend.
const WEEKS_AHEAD = 60
const DAYS_AHEAD = 4
const DAYS_KEPT = 3
// Who was not told before every replica stopped is told when one of them is back within the week.
const DELIVERY_DAYS_KEPT = 7

/** The partitions that `now` needs. */
export function planPartitions(now: Date): readonly PartitionPlan[] {
  const [day, week] = [dayOf(now), weekOf(now)]
  return [
    { table: 'authorization_grant', first: week - 1, last: week + WEEKS_AHEAD },
    { table: 'grant_origin', first: week - 1, last: week + WEEKS_AHEAD },
    { table: 'session_client', first: week - 1, last: week + WEEKS_AHEAD },
    { table: 'code_redemption', first: day - DAYS_KEPT, last: day + DAYS_AHEAD },
    { table: 'revocation', first: day - DAYS_KEPT, last: day + DAYS_AHEAD },
    { table: 'logout_delivery', first: day - DELIVERY_DAYS_KEPT, last: day + DAYS_AHEAD },
  ]
}
