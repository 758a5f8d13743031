import type { Database, Queryable, Rows, Statement, Transaction } from '@signet/platform/postgres/pool'
import { seeded } from '@signet/testing/seeded'
import { watchedTransaction } from '@signet/testing/watched-transaction'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'
import { CLOSED_SMTP } from './operation-call.ts'
import { type Call, callsOn, describeCall, type Made } from './role-search-calls.ts'
import { type Attacker, SEARCHED_DIRECTORY, SEARCHED_ROWS } from './role-search-directory.ts'
import { GOALS, type GoalName, LOST_CONTROL } from './role-search-goals.ts'
import { fingerprint, readState, type State } from './role-search-state.ts'

/** A fault that is built into the service before a search. */
export interface Fault {
  /** Run in the transaction of the search. */
  readonly sql?: readonly string[]
  /** Replaces the rows of a statement before the service reads them. */
  readonly rows?: (statement: Statement, rows: readonly unknown[]) => readonly unknown[]
  /** Roles that token adds to those that are stored. */
  readonly roles?: readonly string[]
}

interface Limits {
  readonly depth: number
  /** States that the search goes on from, besides the first. */
  readonly states: number
  /** Calls that it tries in each of these. */
  readonly calls: number
  /** Calls that it tries in the first, with at least one of each operation; all when left out. */
  readonly firstCalls?: number
  /** The operations that it calls; all when left out. */
  readonly operations?: readonly string[]
  /** The accounts that it calls them on; all when left out. */
  readonly userIds?: readonly string[] | undefined
  /** The search ends when it reaches this goal. */
  readonly wanted?: GoalName
}

interface Step {
  readonly caller: string
  readonly call: Call
}

interface Found {
  readonly path: readonly Step[]
  /** How many accounts the attacker can call as, and how many goals it has reached. */
  readonly gain: number
}

/** Each goal that was reached, with the calls that led there. */
export type Reached = Partial<Record<GoalName, readonly string[]>>

class RolledBack extends Error {}

const CREDENTIAL_OPERATIONS = [
  'user.set_password',
  'token.create',
  'key.create',
  'trusted_issuer.create',
  'identity_link.create',
  'service_user.rotate_secret',
]
/** A call that an owner of the other organization may make while its users are still its own. */
const CONTROL: Call = {
  operation: 'user.update',
  method: 'PATCH',
  path: '/management/v1/users/carol',
  body: { userName: 'carol' },
  userId: 'carol',
}
const SEED = 21

/** The directory with two organizations, all of whose changes stay in one transaction and can be taken back. */
export async function startRoleSearch() {
  let real: Database | undefined
  let inTransaction: Queryable | undefined
  let fault: Fault = {}
  const run = (text: string) => current().query({ name: '', text })
  const current = (): Queryable => {
    const database = inTransaction ?? real
    if (database === undefined) throw new Error('the search has no database yet')
    return database
  }

  const faulty: Queryable = {
    async query<R>(statement: Statement): Promise<Rows<R>> {
      // The rounds that send messages would use savepoints between those of the search.
      if (inTransaction !== undefined && /^mail_delivery\.\w+\.claim$/.test(statement.name))
        return { rows: [], rowCount: 0 }
      const answer = await current().query<R>(statement)
      const rows = fault.rows?.(statement, answer.rows) as readonly R[] | undefined
      return rows === undefined || rows === answer.rows ? answer : { rows, rowCount: rows.length }
    },
  }
  // Like a transaction of its own: constraints that are checked at its end are checked at the end of the savepoint.
  async function nested<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    await run('SAVEPOINT call')
    try {
      const result = await work(watchedTransaction(faulty))
      await run('SET CONSTRAINTS ALL IMMEDIATE')
      await run('SET CONSTRAINTS directory.organization_primary_domain_fkey DEFERRED')
      await run('RELEASE SAVEPOINT call')
      return result
    } catch (error) {
      await run('ROLLBACK TO SAVEPOINT call')
      await run('RELEASE SAVEPOINT call')
      throw error
    }
  }
  const wrapDatabase = (database: Database): Database => {
    real = database
    return {
      query: faulty.query,
      // Jobs of the service run beside the search: their savepoints would end those of its calls.
      transaction: (work, options) =>
        inTransaction === undefined || options?.kind === 'background'
          ? database.transaction(work, options)
          : nested(work),
      close: () => database.close(),
    }
  }

  const management = await managementFixture({ wrapDatabase, findBearer, smtp: CLOSED_SMTP })
  await management.directory.apply(SEARCHED_DIRECTORY)
  for (const text of SEARCHED_ROWS) await management.directory.rows(text)

  /** The bearer of a user is its id; it ends with the account. */
  async function findBearer(userId: string) {
    const { rows } = await current().query<{ organizationId: string; roles: readonly string[] }>({
      name: 'role_search.bearer',
      text: `SELECT a.organization_id AS "organizationId",
                    ARRAY(SELECT concat_ws(' ', m.role, m.object_id) FROM directory_read.member_v1 m
                           WHERE m.user_id = a.user_id) AS roles
               FROM directory.account a JOIN directory.organization o USING (organization_id)
              WHERE a.user_id = $1 AND a.state = 'active' AND o.state = 'active'`,
      values: [userId],
    })
    const [bearer] = rows
    return bearer && { ...bearer, userId, roles: [...bearer.roles, ...(fault.roles ?? [])] }
  }

  async function branch<T>(work: () => Promise<T>): Promise<T> {
    await run('SAVEPOINT branch')
    try {
      return await work()
    } finally {
      await run('ROLLBACK TO SAVEPOINT branch')
      await run('RELEASE SAVEPOINT branch')
    }
  }

  return {
    /** Searches for goals that an attacker reaches, in a service with or without a fault. */
    async search(attacker: Attacker, limits: Limits, withFault: Fault = {}): Promise<Reached> {
      if (real === undefined) throw new Error('the search has no database')
      let reached: Reached = {}
      await real
        .transaction(async (tx) => {
          inTransaction = tx
          const first = await readState(tx)
          for (const text of withFault.sql ?? []) await run(text)
          fault = withFault
          reached = await searchStates({
            management,
            attacker,
            limits,
            first,
            branch,
            read: () => readState(tx),
          })
          throw new RolledBack('the search is over')
        })
        .catch((error: unknown) => {
          if (!(error instanceof RolledBack)) throw error
        })
        .finally(() => {
          inTransaction = undefined
          fault = {}
        })
      return reached
    },
    stop: () => management.stop(),
  }
}

interface Search {
  readonly management: ManagementFixture
  readonly attacker: Attacker
  readonly limits: Limits
  readonly first: State
  readonly branch: <T>(work: () => Promise<T>) => Promise<T>
  readonly read: () => Promise<State>
}

async function searchStates(search: Search): Promise<Reached> {
  const { attacker, limits, first, branch, read } = search
  const random = seeded(SEED)
  const reached: Record<string, readonly string[]> = {}
  const start = await read()
  const seen = new Set([[fingerprint(start, first), ...callersIn(start, attacker, [])].join('\n')])
  const open: Found[] = [{ path: [], gain: 0 }]
  /** Calls that changed nothing that counts, so that they would change nothing after other calls either. */
  const idle = new Set<string>()
  const isOver = () => limits.wanted !== undefined && limits.wanted in reached

  for (let expanded = 0; expanded <= limits.states && !isOver(); expanded += 1) {
    // Where one goal is reached the others are near.
    const [state] = open.sort((a, b) => b.gain - a.gain).splice(0, 1)
    if (state === undefined) break
    const { path } = state
    await branch(async () => {
      for (const { caller, call } of path) await send(search.management, caller, call)
      const before = await read()
      const steps = stepsFrom(before, search, path).filter((step) => !idle.has(textOf(step)))
      const tried =
        path.length === 0
          ? ofEachOperation(steps, limits.firstCalls ?? steps.length, random)
          : someOf(steps, limits.calls, random)
      for (const step of tried) {
        if (isOver()) return
        await branch(async () => {
          const status = await send(search.management, step.caller, step.call)
          const next = [...path, step]
          if (status >= 500) throw new Error(`answered with ${status}: ${next.map(textOf).join(', then ')}`)
          if (status >= 400) return
          const after = await read()
          const goals: GoalName[] = GOALS.filter(({ isReached }) => isReached(attacker, first, after)).map(
            ({ name }) => name,
          )
          const callers = callersIn(after, attacker, next)
          const text = [fingerprint(after, first), ...callers].join('\n')
          const isNew = !seen.has(text)
          if (isNew && (await send(search.management, 'acme-owner', CONTROL)) !== 200)
            goals.push(LOST_CONTROL)
          for (const goal of goals) reached[goal] ??= next.map(textOf)
          if (!isNew && path.length === 0) idle.add(textOf(step))
          if (!isNew) return
          seen.add(text)
          // Ties are broken at random, or the small size would see the states of the first operations only.
          const gain = callers.length + goals.length + random() / 2
          if (next.length < limits.depth) open.push({ path: next, gain })
        })
      }
    })
  }
  return reached
}

/** The attacker, and those whose credentials it has made itself and who hold roles that it could not give itself. */
function callersIn(state: State, { userId, gives }: Attacker, path: readonly Step[]): readonly string[] {
  const made = path
    .filter(({ call }) => CREDENTIAL_OPERATIONS.includes(call.operation))
    .flatMap(({ call }) => (call.userId === undefined ? [] : [call.userId]))
  const hasMore = made.filter((id) =>
    state.counting.some(
      (held) => held.userId === id && !gives.includes(`${held.role} ${held.objectId ?? 'instance'}`),
    ),
  )
  return [...new Set([userId, ...hasMore])]
}

function stepsFrom(
  state: State,
  { attacker, limits, first }: Search,
  path: readonly Step[],
): readonly Step[] {
  const known = new Set(first.liveIds)
  const unknown = (ids: readonly string[]) => ids.filter((id) => !known.has(id)).slice(0, 1)
  const made: Made = {
    userId: unknown(state.accounts.map(({ id }) => id)),
    projectId: unknown(state.projects.map(({ id }) => id)),
    applicationId: unknown(state.applications.map(({ id }) => id)),
  }
  const calls = callsOn(made).filter(
    ({ operation, userId }) =>
      (limits.operations?.includes(operation) ?? true) && (limits.userIds?.includes(userId ?? '') ?? true),
  )
  return callersIn(state, attacker, path).flatMap((caller) => calls.map((call) => ({ caller, call })))
}

const textOf = ({ caller, call }: Step): string => `${caller}: ${describeCall(call)}`

function someOf<T>(all: readonly T[], count: number, random: () => number): readonly T[] {
  return count >= all.length ? all : shuffled(all, random).slice(0, count)
}

function shuffled<T>(all: readonly T[], random: () => number): readonly T[] {
  const drawn = all.map((one) => ({ one, at: random() })).sort((a, b) => a.at - b.at)
  return drawn.map(({ one }) => one)
}

/** Returns a step of each operation, and others up to this count. */
function ofEachOperation(steps: readonly Step[], count: number, random: () => number): readonly Step[] {
  if (count >= steps.length) return steps
  const drawn = shuffled(steps, random)
  const first = new Set(new Map(drawn.map((step) => [step.call.operation, step])).values())
  return [...first, ...drawn.filter((step) => !first.has(step)).slice(0, Math.max(0, count - first.size))]
}

async function send(
  { at }: ManagementFixture,
  bearer: string,
  { method, path, body }: Call,
): Promise<number> {
  const response = await fetch(at(path), {
    method,
    headers: {
      authorization: `Bearer ${bearer}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  await response.arrayBuffer()
  return response.status
}
