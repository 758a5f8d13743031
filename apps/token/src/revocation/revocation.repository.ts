import { type AuditEvent, type Condition, ofCurrentRequest } from '@signet/admin-api/audit/audit-table'
import type { Database, Statement } from '@signet/platform/postgres/pool'
import { createGroupedCall } from '@signet/platform/runtime/in-groups'
import { type Ending, sidsOfImpersonations } from '@signet/revocation-reader/endings'
import { auditTable } from '../audit-events.ts'
import type { DirectoryEnding, EndingStore } from '../ending-store.ts'
import {
  queueLogoutsOfClientsAndOrganizations,
  queueLogoutsOfImpersonations,
  queueLogoutsOfUsers,
} from '../logout/queue-logouts.ts'
import { endWeekOf, weekOf } from '../partitions/partition-plan.ts'
import { type EndWeeks, findWeeks, nothingExchangedSql } from '../partitions/week-index.ts'
import { endExchangedOfWeek, endGrantsOfUser, endOneGrant } from './end-grants.ts'
import { createEndSessions } from './end-sessions.ts'
import { lockAccess, recordAccessEnd } from './ended-access.repository.ts'
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
  readonly endSessions: EndingStore['endSessions']

  constructor(database: Database) {
    this.#database = database
    this.endSessions = createEndSessions(database)
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
      const locks = lockAccess({ userId, clientId }).map((lock) => tx.query(lock))
      await Promise.all([...locks, tx.query(recordAccessEnd({ userId, clientId }))])
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

  async endByDirectory(endings: readonly DirectoryEnding[], now: Date): Promise<readonly Ending[]> {
    const personalTokens = endings.flatMap(({ kind, id }) => (kind === 'p' ? [id] : []))
    const users = endings.filter(({ kind }) => kind === 'u')
    const impersonated = sidsOfImpersonations(personalTokens)
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
      if (impersonated.length > 0) await queueLogoutsOfImpersonations(tx, impersonated, now)
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
    const ending = { ...token, event: event && ofCurrentRequest(event), now }
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

const endExchanged = (
  weeks: EndWeeks,
  kind: 'g' | 's' | 't' | 'p',
  ids: readonly string[],
): readonly Statement[] => weeks.grant_origin.map((week) => endExchangedOfWeek(week, kind, ids))
