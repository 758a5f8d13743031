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
  readonly table: 'authorization_grant' | 'grant_origin' | 'code_redemption' | 'revocation'
  readonly first: number
  readonly last: number
}

// Refresh families live 400 days at most, access tokens, codes and session revocations a day; each side gets slack
// for clocks that differ and for a timer that could not run over a weekend.
const GRANT_WEEKS_AHEAD = 60
const DAYS_AHEAD = 4
const DAYS_KEPT = 3

/** The partitions that `now` needs. */
export function planPartitions(now: Date): readonly PartitionPlan[] {
  const [day, week] = [dayOf(now), weekOf(now)]
  return [
    { table: 'authorization_grant', first: week - 1, last: week + GRANT_WEEKS_AHEAD },
    { table: 'grant_origin', first: week - 1, last: week + GRANT_WEEKS_AHEAD },
    { table: 'code_redemption', first: day - DAYS_KEPT, last: day + DAYS_AHEAD },
    { table: 'revocation', first: day - DAYS_KEPT, last: day + DAYS_AHEAD },
  ]
}
