import type { Database, Statement } from '@signet/platform/postgres/pool'
import type { Ending } from '@signet/revocation-reader/endings'
import { auditTable, type EndedBy, signOutEvent } from '../audit-events.ts'
import type { EndedSession, EndingStore } from '../ending-store.ts'
import { queueLogoutsOfSessions } from '../logout/queue-logouts.ts'
import { monthOf, weekOf } from '../partitions/partition-plan.ts'
import { compareWeeks, endWeeksOf, type HeldWeek, WEEKS_ARE_KNOWN } from '../partitions/week-index.ts'
import { endExchangedOfWeek, endGrantsOfSessions } from './end-grants.ts'
import { recordEndings } from './record-endings.ts'
import { lockSessions } from './session-lock.ts'

/**
 * Creates the `endSessions` of the store, which takes one round trip for most sessions. Its statements name the weeks of the rows that
 * end, and only PostgreSQL knows the weeks of a session. So the first transaction names the weeks of sessions that ended a moment
 * before. It writes nothing when the session has others, and the next one names these.
 */
export function createEndSessions(database: Database): EndingStore['endSessions'] {
  let recent: readonly HeldWeek[] = []
  const end = async (ending: SessionEnding, known: readonly HeldWeek[]): Promise<readonly Ending[]> => {
    const { held, recorded } = await endSessionsInWeeks(database, ending, known)
    recent = mostRecentWeeks([...held, ...recent])
    // A session that was redeemed between the two has another week, so each transaction compares them.
    return recorded ?? end(ending, held)
  }
  return (sessions, now, by) => {
    // Partitions of weeks that are over may be dropped.
    const known = recent.filter(({ endWeek }) => endWeek >= weekOf(now))
    return end({ sessions, now, by }, known)
  }
}

interface SessionEnding {
  readonly sessions: readonly EndedSession[]
  readonly now: Date
  readonly by: EndedBy
}

/** The number of weeks of one table that are kept. An ending locks the partition of each with its indexes. */
const RECENT_WEEKS = 2

/** The first weeks of the two tables in which every session has rows. Few sessions have weeks of exchanges. */
const mostRecentWeeks = (held: readonly HeldWeek[]): readonly HeldWeek[] =>
  (['authorization_grant', 'session_client'] as const).flatMap((relation) =>
    [...new Set(held.filter((week) => week.relation === relation).map(({ endWeek }) => endWeek))]
      .slice(0, RECENT_WEEKS)
      .map((endWeek) => ({ relation, endWeek })),
  )

/**
 * Ends sessions in one round trip if all of their weeks are known; otherwise it writes nothing. The statements are sent behind the
 * locks, so each reads what was committed while they waited.
 */
function endSessionsInWeeks(
  database: Database,
  { sessions, now, by }: SessionEnding,
  known: readonly HeldWeek[],
): Promise<{ readonly held: readonly HeldWeek[]; readonly recorded: readonly Ending[] | undefined }> {
  const sids = sessions.map(({ sid }) => sid)
  const endings = sids.map((sid) => ({ kind: 's' as const, id: sid, value: 1 }))
  const weeks = endWeeksOf(known)
  return database.transaction(async (tx) => {
    const locks = lockSessions(sids).map((lock) => tx.query(lock))
    const [{ rows }, , recorded] = await Promise.all([
      tx.query<{ areKnown: boolean; held: readonly HeldWeek[] }>(compareWeeks('s', sids, known, now)),
      tx.query(recordEndedSessions({ sessions, now, by })),
      recordEndings(tx, endings, WEEKS_ARE_KNOWN),
      tx.commit(
        ...weeks.authorization_grant.map((week) => endGrantsOfSessions(week, sids, WEEKS_ARE_KNOWN)),
        ...weeks.grant_origin.map((week) => endExchangedOfWeek(week, 's', sids, WEEKS_ARE_KNOWN)),
        ...weeks.session_client.map((week) => queueLogoutsOfSessions(week, sids, now)),
      ),
      ...locks,
    ])
    const [compared] = rows
    return { held: compared?.held ?? [], recorded: compared?.areKnown === true ? recorded : undefined }
  })
}

/** Records that sessions have ended, and an event for each that had not, as far as this month's records say. */
const recordEndedSessions = ({ sessions, now, by }: SessionEnding): Statement =>
  auditTable.statementFrom(
    sessions.map((session) => signOutEvent(session, by)),
    {
      name: 'ended_session', // primary key; the key of the view
      before: (first) => `WITH ended AS (
             INSERT INTO grants.ended_session (month, sid)
             SELECT $${first + 2}, unnest($${first}::text[]) WHERE ${WEEKS_ARE_KNOWN.sql(first)}
                 ON CONFLICT DO NOTHING RETURNING sid)
           `,
      sql: (first) => `JOIN ended ON ended.sid = r.target_id
             JOIN unnest($${first}::text[], $${first + 1}::text[]) AS s (sid, user_id) ON s.sid = ended.sid
             LEFT JOIN directory_read.account_life_v1 a ON a.user_id = s.user_id`,
      organizationId: 'a.organization_id',
      values: [sessions.map(({ sid }) => sid), sessions.map(({ userId }) => userId), monthOf(now)],
    },
  )
