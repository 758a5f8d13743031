import type { AuditEvent, Condition } from '@signet/admin-api/audit/audit-table'
import type { Database, Queryable, Statement } from '@signet/platform/postgres/pool'
import { createGroupedCall } from '@signet/platform/runtime/in-groups'
import { ENDING_SECONDS, type Ending } from '@signet/revocation-reader/endings'
import { auditTable, type EndedBy, signOutEvent } from '../audit-events.ts'
import type { DirectoryEnding, EndedSession, EndingStore } from '../ending-store.ts'
import {
  queueLogoutsOfClientsAndOrganizations,
  queueLogoutsOfSessions,
  queueLogoutsOfUsers,
} from '../logout/queue-logouts.ts'
import { endWeekOf, monthOf, weekOf } from '../partitions/partition-plan.ts'
import { type EndWeeks, findWeeks, nothingExchangedSql } from '../partitions/week-index.ts'
import { commitEndings, recordEndings, recordRevokedKey } from './record-endings.ts'
import { FREE_TOKENS_SQL, lockFreeTokens, lockSessions } from './session-lock.ts'

/** A larger transaction would hold its locks, and the exchanges that wait for them, too long. */
const MOST_TOKENS = 50

interface TokenEnding {
  readonly id: string
  readonly expiresAt: number
  readonly event: AuditEvent | undefined
  readonly now: Date
}

export class PostgresEndingStore implements EndingStore {
  readonly #database: Database
  readonly #endFreeToken: (token: TokenEnding) => Promise<readonly Ending[] | undefined>

  constructor(database: Database) {
    this.#database = database
    this.#endFreeToken = createGroupedCall(MOST_TOKENS, (tokens) => endFreeTokens(database, tokens))
  }

  async endGrant(
    { grantId }: { readonly grantId: string },
    { reason, event }: { readonly reason: string; readonly event: AuditEvent },
    now: Date,
  ): Promise<readonly Ending[]> {
    const ending = { grantId, reason, event, now }
    const ended = await endUnexchangedGrant(this.#database, ending)
    if (ended.length > 0) return ended
    return this.#database.transaction(async (tx) => {
      const [, weeks] = await Promise.all([tx.query(endOneGrant(ending)), findWeeks(tx, 'g', [grantId], now)])
      return commitEndings(
        tx,
        [{ kind: 'g', id: grantId, value: 1 }],
        [...endExchanged(weeks, 'g', [grantId]), ...auditTable.statements([event])],
      )
    })
  }

  endGrantOfClient(
    { grantId, clientId }: { readonly grantId: string; readonly clientId: string },
    { reason, event }: { readonly reason: string; readonly event: AuditEvent },
    now: Date,
  ): Promise<readonly Ending[]> {
    return endUnexchangedGrantOfClient(this.#database, { grantId, reason, event, now }, clientId)
  }

  async endGrantsOfClient(
    { userId, clientId }: { readonly userId: string; readonly clientId: string },
    event: AuditEvent,
    now: Date,
  ): Promise<readonly Ending[]> {
    return this.#database.transaction(async (tx) => {
      const weeksOfUser = (await findWeeks(tx, 'u', [userId], now)).authorization_grant
      const grantIds = (
        await Promise.all(weeksOfUser.map((week) => endGrantsOfUser(tx, week, { userId, clientId })))
      ).flat()
      if (grantIds.length === 0) return []
      const weeks = await findWeeks(tx, 'g', grantIds, now)
      const endings = grantIds.map((id) => ({ kind: 'g' as const, id, value: 1 }))
      return commitEndings(tx, endings, [
        ...endExchanged(weeks, 'g', grantIds),
        ...auditTable.statements([event]),
      ])
    })
  }

  async endSessions(sessions: readonly EndedSession[], now: Date, by: EndedBy): Promise<readonly Ending[]> {
    const sids = sessions.map(({ sid }) => sid)
    const endings = sids.map((sid) => ({ kind: 's' as const, id: sid, value: 1 }))
    return this.#database.transaction(async (tx) => {
      const locks = lockSessions(sids).map((lock) => tx.query(lock))
      // Sent behind the locks, so each reads what was committed while they waited.
      const [ended, recorded, weeks] = await Promise.all([
        recordEndedSessions(tx, sessions, now),
        recordEndings(tx, endings),
        findWeeks(tx, 's', sids, now),
        ...locks,
      ])
      await tx.commit(
        ...auditTable.statements(ended.map((session) => signOutEvent(session, by))),
        ...weeks.authorization_grant.map((week) => endGrantsOfSessions(week, sids)),
        ...endExchanged(weeks, 's', sids),
        ...weeks.session_client.map((week) => queueLogoutsOfSessions(week, sids, now)),
      )
      return recorded
    })
  }

  async endByDirectory(endings: readonly DirectoryEnding[], now: Date): Promise<readonly Ending[]> {
    const personalTokens = endings.flatMap(({ kind, id }) => (kind === 'p' ? [id] : []))
    const users = endings.filter(({ kind }) => kind === 'u')
    return this.#database.transaction(async (tx) => {
      const locks = lockSessions(personalTokens).map((lock) => tx.query(lock))
      const [recorded, weeks] = await Promise.all([
        recordEndings(
          tx,
          endings.map(({ epoch, ...ending }) => ({ ...ending, value: epoch })),
        ),
        personalTokens.length > 0 ? findWeeks(tx, 'p', personalTokens, now) : undefined,
        ...locks,
      ])
      if (weeks !== undefined)
        await Promise.all(endExchanged(weeks, 'p', personalTokens).map((end) => tx.query(end)))
      if (users.length > 0) await queueLogoutsOfUsers(tx, users, now)
      return recorded
    })
  }

  queueLogouts(endings: readonly DirectoryEnding[], now: Date): Promise<void> {
    return queueLogoutsOfClientsAndOrganizations(this.#database, endings, now)
  }

  /** Tokens that are ended at the same time share a transaction; benchmark row `revoke`. */
  async endAccessToken(
    token: { readonly id: string; readonly expiresAt: number },
    event: AuditEvent | undefined,
    now: Date,
  ): Promise<readonly Ending[]> {
    const ending = { ...token, event, now }
    const ended = await this.#endFreeToken(ending)
    if (ended !== undefined) return ended
    // Waits alone for an exchange that holds the lock, and ends its families, so that it does not delay the batch.
    return this.#database.transaction(async (tx) => {
      const locks = lockSessions([token.id]).map((lock) => tx.query(lock))
      const [weeks] = await Promise.all([findWeeks(tx, 't', [token.id], now), ...locks])
      return commitEndings(tx, endingsOf([ending]), [
        ...endExchanged(weeks, 't', [token.id]),
        ...auditTable.statements(event === undefined ? [] : [event]),
      ])
    })
  }

  endKey(kid: string): Promise<Ending> {
    return recordRevokedKey(this.#database, kid)
  }
}

interface GrantEnding {
  readonly grantId: string
  readonly reason: string
  readonly event: AuditEvent
  readonly now: Date
}

/** The statement that ends one grant unless it has ended, or the condition is false. */
const endOneGrant = ({ grantId, reason }: GrantEnding, onlyIf?: Condition): Statement => {
  const endWeek = endWeekOf(grantId) ?? 0
  return {
    // primary key
    name:
      onlyIf === undefined
        ? `authorization_grant.end_${endWeek}`
        : `authorization_grant.end_${endWeek}_${onlyIf.name}`,
    text: `UPDATE grants.authorization_grant SET ended_at = clock_timestamp(), end_reason = $2
            WHERE end_week = ${endWeek} AND grant_id = $1 AND ended_at IS NULL${onlyIf === undefined ? '' : ` AND ${onlyIf.sql(3)}`}`,
    values: [grantId, reason, ...(onlyIf?.values ?? [])],
  }
}

/**
 * Ends a grant in one round trip if the condition is true; otherwise it writes nothing and returns no endings. An exchange holds
 * the row of the grant until its commit, so once this transaction has the row, all of its statements see the same families.
 */
function endGrantIf(
  database: Database,
  ending: GrantEnding,
  condition: Condition,
  audit: readonly Statement[],
): Promise<readonly Ending[]> {
  const { grantId } = ending
  const endWeek = endWeekOf(grantId) ?? 0
  const hold = {
    name: `authorization_grant.hold_to_end_${endWeek}`, // primary key
    text: `SELECT FROM grants.authorization_grant WHERE end_week = ${endWeek} AND grant_id = $1 FOR NO KEY UPDATE`,
    values: [grantId],
  }
  return database.transaction((tx) =>
    commitEndings(
      tx,
      [{ kind: 'g', id: grantId, value: 1 }],
      [hold, endOneGrant(ending, condition), ...audit],
      condition,
    ),
  )
}

/** Ends a grant for whose tokens no family was exchanged, as nearly all are; returns no endings of another. */
function endUnexchangedGrant(database: Database, ending: GrantEnding): Promise<readonly Ending[]> {
  const { grantId, event, now } = ending
  const isUnexchanged: Condition = {
    name: `unexchanged_${weekOf(now)}`,
    sql: (first) => nothingExchangedSql('g', `$${first}`, now),
    values: [grantId],
  }
  return endGrantIf(database, ending, isUnexchanged, auditTable.statements([event], isUnexchanged))
}

/** Ends such a grant if it belongs to the client; reads the user of the event in the statement that stores it. */
function endUnexchangedGrantOfClient(
  database: Database,
  ending: GrantEnding,
  clientId: string,
): Promise<readonly Ending[]> {
  const { grantId, event, now } = ending
  const endWeek = endWeekOf(grantId)
  if (endWeek === undefined) return Promise.resolve([])
  // Primary key; by IS TRUE no other index.
  const ofClient = (first: number) =>
    `grants.authorization_grant g WHERE g.end_week = ${endWeek} AND g.grant_id = $${first} AND (g.client_id = $${first + 1}) IS TRUE
        AND ${nothingExchangedSql('g', `$${first}`, now)}`
  const condition: Condition = {
    name: `of_client_${endWeek}_${weekOf(now)}`,
    sql: (first) => `EXISTS (SELECT FROM ${ofClient(first)} OFFSET 0)`,
    values: [grantId, clientId],
  }
  const audit = auditTable.statementFrom([event], {
    ...condition,
    sql: (first) => `, ${ofClient(first)}`,
    organizationId: 'g.user_organization_id',
    details: `r.details || jsonb_build_object('subject', g.user_id)`,
  })
  return endGrantIf(database, ending, condition, [audit])
}

/**
 * Ends those tokens that no exchange holds and for which no family was exchanged, in one round trip; undefined for the others. Each
 * statement is sent behind the locks: the families of an exchange for a token that is locked now are committed, and found.
 */
async function endFreeTokens(
  database: Database,
  tokens: readonly TokenEnding[],
): Promise<readonly (readonly Ending[] | undefined)[]> {
  const [first] = tokens
  if (first === undefined) return []
  const { now } = first
  const isFree = (id: string): Condition => ({
    name: `free_${weekOf(now)}`,
    sql: () => `${id} = ANY (${FREE_TOKENS_SQL}) AND ${nothingExchangedSql('t', id, now)}`,
    values: [],
  })
  const events = tokens.flatMap(({ event }) => event ?? [])
  const endings = endingsOf(tokens)
  const ended = await database.transaction((tx) =>
    commitEndings(
      tx,
      endings,
      [lockFreeTokens(endings.map(({ id }) => id)), ...auditTable.statements(events, isFree('r.target_id'))],
      isFree('new.id'),
    ),
  )
  const byId = new Map(ended.map((ending) => [ending.id, ending]))
  return tokens.map(({ id }) => {
    const ending = byId.get(id)
    return ending && [ending]
  })
}

/** The endings of tokens, each once. */
const endingsOf = (tokens: readonly TokenEnding[]) =>
  [...new Map(tokens.map((token) => [token.id, token])).values()].map(({ id, expiresAt }) => ({
    kind: 't' as const,
    id,
    value: 1,
    expiresAt,
  }))

/** Records that sessions have ended; returns those that had not, as far as this month's records say. */
async function recordEndedSessions(tx: Queryable, sessions: readonly EndedSession[], now: Date) {
  const { rows } = await tx.query<{ sid: string; userId: string; organizationId: string | null }>({
    name: 'ended_session.insert', // primary key; the key of the view
    text: `WITH ended AS (
             INSERT INTO grants.ended_session (month, sid) SELECT $3, unnest($1::text[])
                 ON CONFLICT DO NOTHING RETURNING sid)
           SELECT s.sid, s.user_id AS "userId", a.organization_id AS "organizationId"
             FROM ended JOIN unnest($1::text[], $2::text[]) AS s (sid, user_id) ON s.sid = ended.sid
             LEFT JOIN directory_read.account_life_v1 a ON a.user_id = s.user_id`,
    values: [sessions.map(({ sid }) => sid), sessions.map(({ userId }) => userId), monthOf(now)],
  })
  return rows.map(({ organizationId, ...row }) => ({ ...row, organizationId: organizationId ?? undefined }))
}

const endExchanged = (
  weeks: EndWeeks,
  kind: 'g' | 's' | 't' | 'p',
  ids: readonly string[],
): readonly Statement[] => weeks.grant_origin.map((week) => endExchangedOfWeek(week, kind, ids))

// Each statement names the partition of its week, so that it locks one and the planner cannot take the primary key,
// which begins with the week: no figures of a new partition say that all its rows have the same.

/** The statement that ends the grants of sessions; applications may keep their refresh tokens beyond the session. */
export const endGrantsOfSessions = (week: number, sids: readonly string[]): Statement => ({
  name: `authorization_grant.end_of_sessions_${week}`, // authorization_grant_sid
  text: `UPDATE grants.authorization_grant_${week} g SET ended_at = clock_timestamp(), end_reason = 'session_ended'
          WHERE g.sid = ANY ($1) AND g.ended_at IS NULL
            AND NOT (g.refresh_kid IS NOT NULL AND EXISTS (SELECT 1 FROM directory_read.client_logout_v1 c
                      WHERE c.client_id = g.client_id AND c.refresh_tokens_survive_logout))`,
  values: [sids],
})

/**
 * Ends the grants that a user gave an application. Returns their ids with those of grants that ended before, for as long
 * as an access token of them may live: the call that ended them may not have reached the log.
 */
async function endGrantsOfUser(
  tx: Queryable,
  week: number,
  { userId, clientId }: { readonly userId: string; readonly clientId: string },
): Promise<readonly string[]> {
  const { rows } = await tx.query<{ grantId: string }>({
    name: `authorization_grant.end_of_client_${week}`, // authorization_grant_user
    text: `WITH ended AS (
             UPDATE grants.authorization_grant_${week} SET ended_at = clock_timestamp(), end_reason = 'ended_by_user'
              WHERE user_id = $1 AND client_id = $2 AND ended_at IS NULL RETURNING grant_id)
           SELECT grant_id AS "grantId" FROM ended
            UNION ALL
           SELECT grant_id FROM grants.authorization_grant_${week}
            WHERE user_id = $1 AND client_id = $2 AND ended_at > clock_timestamp() - make_interval(secs => $3)`,
    values: [userId, clientId, ENDING_SECONDS],
  })
  return rows.map(({ grantId }) => grantId)
}

/** The statement that ends the refresh families that a token exchange began with what has ended; their access tokens carry it themselves. */
export const endExchangedOfWeek = (
  week: number,
  kind: 'g' | 's' | 't' | 'p',
  ids: readonly string[],
): Statement => ({
  // grant_origin_by_id, primary key, twice; in one order, because what was exchanged may end with two things at once
  name: `authorization_grant.end_exchanged_${week}`,
  text: `WITH open AS (
           SELECT g.end_week, g.grant_id FROM grants.authorization_grant_${week} g
             JOIN grants.grant_origin_${week} o ON g.end_week = o.end_week AND g.grant_id = o.grant_id
            WHERE o.kind = $1 AND o.id = ANY ($2) AND g.ended_at IS NULL
            ORDER BY g.grant_id FOR UPDATE OF g)
         UPDATE grants.authorization_grant_${week} g SET ended_at = clock_timestamp(),
                end_reason = 'exchanged_token_ended'
           FROM open WHERE g.end_week = open.end_week AND g.grant_id = open.grant_id`,
  values: [kind, ids],
})
