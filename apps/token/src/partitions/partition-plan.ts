import { newIdentifier, type RandomBytes } from '@signet/tokens/identifiers'

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

/** The month of a moment in UTC, counted from January 1970. */
export function monthOf(moment: Date): number {
  return (moment.getUTCFullYear() - 1970) * 12 + moment.getUTCMonth()
}

/** Weeks in one partition of `week_index`: few partitions, because each is searched for an ending. */
const WEEK_INDEX_SPAN = 26

/** A partitioned table of schema `grants` and the numbers of the partitions that must exist now. */
export interface PartitionPlan {
  readonly table:
    | 'authorization_grant'
    | 'grant_origin'
    | 'session_client'
    | 'week_index'
    | 'code_redemption'
    | 'revocation'
    | 'logout_delivery'
    | 'ended_session'
  /** Partitions with lower numbers may be dropped. */
  readonly first: number
  readonly last: number
  /** How many days, weeks or months one partition holds: number n holds those from n * span. */
  readonly span: number
}

/** Refresh families and sessions live 400 days at most, which end in the 58th week after this one at the latest. */
const LONGEST_LIFE_WEEKS = 58
// Slack for clocks that differ and for replicas that all stand still over a weekend.
const WEEKS_AHEAD = LONGEST_LIFE_WEEKS + 2
const DAYS_AHEAD = 4
const DAYS_KEPT = 3
// A delivery that was queued before all replicas stopped is sent when one of them starts within the week.
const DELIVERY_DAYS_KEPT = 7
const MONTHS_AHEAD = 2
// A session that ends on the last day of a month may come back for 400 days, which end in the 14th month after it.
const ENDED_SESSION_MONTHS_KEPT = 14

/** The weeks in which a grant or session of now or before may end: those of the weekly tables that a start creates. */
export function weeksUntilLongestEnd(now: Date): readonly number[] {
  return Array.from({ length: LONGEST_LIFE_WEEKS + 1 }, (_, ahead) => weekOf(now) + ahead)
}

/** The partitions that `now` needs; the hourly round makes them and drops those before them. */
export function planPartitions(now: Date): readonly PartitionPlan[] {
  const day = dayOf(now)
  return [
    ...weekly(weekOf(now) - 1, weekOf(now) + WEEKS_AHEAD),
    { table: 'code_redemption', first: day - DAYS_KEPT, last: day + DAYS_AHEAD, span: 1 },
    { table: 'revocation', first: day - DAYS_KEPT, last: day + DAYS_AHEAD, span: 1 },
    { table: 'logout_delivery', first: day - DELIVERY_DAYS_KEPT, last: day + DAYS_AHEAD, span: 1 },
    {
      table: 'ended_session',
      first: monthOf(now) - ENDED_SESSION_MONTHS_KEPT,
      last: monthOf(now) + MONTHS_AHEAD,
      span: 1,
    },
  ]
}

/**
 * The partitions without which a replica cannot serve until the hourly round has run: those of today and tomorrow, and
 * for weekly tables those of now until the latest end that a new grant or session can have.
 */
export function planStart(now: Date): readonly PartitionPlan[] {
  const day = dayOf(now)
  return [
    ...weekly(weekOf(now), weekOf(now) + LONGEST_LIFE_WEEKS),
    { table: 'code_redemption', first: day, last: day + 1, span: 1 },
    // An ending lies 24 h and a minute ahead, by a clock that may differ.
    { table: 'revocation', first: day, last: day + 2, span: 1 },
    { table: 'logout_delivery', first: day, last: day + 1, span: 1 },
    { table: 'ended_session', first: monthOf(now), last: monthOf(now) + 1, span: 1 },
  ]
}

function weekly(first: number, last: number): readonly PartitionPlan[] {
  return [
    { table: 'authorization_grant', first, last, span: 1 },
    { table: 'grant_origin', first, last, span: 1 },
    { table: 'session_client', first, last, span: 1 },
    {
      table: 'week_index',
      first: Math.floor(first / WEEK_INDEX_SPAN),
      last: Math.floor(last / WEEK_INDEX_SPAN),
      span: WEEK_INDEX_SPAN,
    },
  ]
}

/** `<week of its absolute end>-<identifier>`: the first part names the partition, so a look-up touches only one. */
export function newGrantId(absoluteEnd: Date, now: Date, random: RandomBytes): string {
  return `${weekOf(absoluteEnd)}-${newIdentifier(now, random)}`
}

/** The partition of a grant, or undefined when the text cannot be one of our grant ids. */
export function endWeekOf(grantId: string): number | undefined {
  const [, week] = /^(\d{1,6})-[a-z2-7]{26}$/.exec(grantId) ?? []
  return week === undefined ? undefined : Number(week)
}
