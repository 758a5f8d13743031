import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database, Statement } from '@signet/platform/postgres/pool'
import { TemporarilyUnavailableError } from '@signet/protocol/errors'
import { createSerialRun } from './circuit-breaker.ts'
import type { Ending } from './endings.ts'
import type { LookUp, RevocationSet } from './revocation-set.ts'
import {
  COLUMNS,
  type EndingRow,
  endedAmong,
  MISSED,
  type PollRow,
  pollSince,
} from './revocation-statements.ts'

/** Keeps the endings of PostgreSQL, and queries it where the set does not suffice. */
export interface RevocationDatabase {
  /** Keeps every ending that was committed before the call; rejects with the error of the database. */
  poll(): Promise<void>
  /** Whether the set holds every live ending that the last poll could see. */
  isComplete(): boolean
  /** Seconds since the last successful poll began; infinite before the first. */
  pollAge(): number
  /** The highest generation that a poll has seen. */
  generation(): number
  /** How many loads have begun. */
  loads(): number
  /** Queries, in one statement with all checks that wait. Rejects with TemporarilyUnavailableError. */
  anyEnded(lookUp: LookUp): Promise<boolean>
  /** Ends a load that is under way. */
  stop(): Promise<void>
}

export interface RevocationDatabaseOptions {
  readonly database: Pick<Database, 'query' | 'transaction'>
  readonly set: RevocationSet
  readonly maxEndings: number
  /** Called with the endings that a poll or load returned. */
  readonly keep: (endings: readonly Ending[], by: 'poll' | 'load') => void
  /** Called when PostgreSQL has another history or generation than at the last poll. */
  readonly onOtherHistory: () => void
  /** Called when a load fails; it is tried again. */
  readonly onProblem: (error: unknown) => void
  /** Milliseconds. */
  readonly elapsed: () => number
  /** Random number from 0 to 1. */
  readonly jitter: () => number
}

/** Most checks that wait for the next query; as many again may be in the one that runs. */
export const MOST_WAITING_CHECKS = 1_000

const ROWS_PER_PAGE = 2_000
const LOAD_AGAIN_AFTER_MS = 30_000
/** After a load that found more than the set may hold. */
const COUNT_AGAIN_AFTER_MS = 600_000

/** The identity of the server in a poll, and the snapshot from which the next poll begins. */
interface Position {
  readonly snapshot: string
  /** The first transaction that the snapshot does not contain. */
  readonly xmax: bigint
  /** System identifier, timeline and generation. */
  readonly history: string
}

export function createRevocationDatabase(options: RevocationDatabaseOptions): RevocationDatabase {
  return new PolledDatabase(options)
}

class PolledDatabase implements RevocationDatabase {
  readonly #options: RevocationDatabaseOptions
  #position: Position | undefined
  #polledAt = Number.NEGATIVE_INFINITY
  #generation = 0
  #isLoaded = false
  #loading: Promise<void> | undefined
  #loads = 0
  #loadAfter = 0
  #stopped = false
  #waiting: LookUp[] = []

  // Callers pass these three on without the object.
  readonly poll = createSerialRun(() => this.#pollNow())
  readonly pollAge = (): number => (this.#options.elapsed() - this.#polledAt) / 1_000
  readonly generation = (): number => this.#generation
  readonly #query = createSerialRun(async () => {
    const asked = this.#waiting
    this.#waiting = []
    return endedAmong(this.#options.database, asked)
  })

  constructor(options: RevocationDatabaseOptions) {
    this.#options = options
  }

  isComplete(): boolean {
    return this.#isLoaded && !this.#options.set.overfull
  }

  loads(): number {
    return this.#loads
  }

  async anyEnded(lookUp: LookUp): Promise<boolean> {
    if (this.#waiting.length >= MOST_WAITING_CHECKS) throw unavailable('revocation_checks_exhausted')
    const number = this.#waiting.push(lookUp) - 1
    const ended = await this.#query().catch((cause: unknown) => {
      throw unavailable('revocation_check_failed', cause)
    })
    return ended.has(number)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#loading
  }

  async #pollNow(): Promise<void> {
    const begun = this.#options.elapsed()
    const known = this.#position
    const found = await this.#readSince(known)
    if (known !== undefined && (found.history !== known.history || found.xmax < known.xmax)) {
      this.#position = undefined
      this.#isLoaded = false
      this.#options.onOtherHistory()
    }
    if (this.#position === undefined) {
      const { rows } = await this.#options.database.query<EndingRow>({
        name: 'revocation.keys',
        text: `SELECT ${COLUMNS} FROM grants_read.revocation_v1 WHERE kind = 'k'`,
      })
      this.#keepRows(rows, 'load')
    }
    this.#position = found
    this.#polledAt = begun
    if (this.#isLoaded && this.#options.set.overfull) {
      this.#isLoaded = false
      this.#loadAfter = this.#options.elapsed() + COUNT_AGAIN_AFTER_MS
    }
    if (
      this.#isLoaded ||
      this.#loading !== undefined ||
      this.#stopped ||
      this.#options.elapsed() < this.#loadAfter
    )
      return
    this.#loading = this.#load(found.history)
      .catch(this.#options.onProblem)
      .finally(() => {
        this.#loading = undefined
      })
  }

  /** Keeps every live ending. Endings that commit after its begin are found by the polls. */
  async #load(history: string): Promise<void> {
    // Also after a count that fails.
    this.#loadAfter = this.#options.elapsed() + LOAD_AGAIN_AFTER_MS * (1 + this.#options.jitter())
    const { rows: counted } = await this.#options.database.query<{ count: number }>({
      name: 'revocation.count',
      text: `SELECT count(*) FROM (SELECT FROM grants_read.revocation_v1
               WHERE until > clock_timestamp() AND kind <> 'k' LIMIT $1) AS live`,
      values: [this.#options.maxEndings + 1],
    })
    if ((counted[0]?.count ?? Number.POSITIVE_INFINITY) > this.#options.maxEndings) {
      this.#loadAfter = this.#options.elapsed() + COUNT_AGAIN_AFTER_MS
      return
    }
    this.#loads += 1
    this.#options.set.overfull = false
    const text = `SELECT ${COLUMNS} FROM grants_read.revocation_v1 WHERE until > clock_timestamp()`
    await this.#readAll({ name: 'revocation.load', text }, history, (page) => {
      if (this.#stopped || this.#position?.history !== history) return false
      this.#keepRows(page, 'load')
      return !this.#options.set.overfull
    })
    if (this.#stopped || this.#position?.history !== history) return
    await this.poll()
    this.#isLoaded = this.#position?.history === history
  }

  #keepRows(rows: readonly EndingRow[], by: 'poll' | 'load'): void {
    const endings = rows.map(({ kind, id, value, seconds_left }) => {
      return { kind, id, value, secondsLeft: seconds_left ?? Number.POSITIVE_INFINITY }
    })
    if (endings.length > 0) this.#options.keep(endings, by)
  }

  /** Keeps what `since` does not contain; returns the position of a snapshot that was taken before these rows were read. */
  async #readSince(since: Position | undefined): Promise<Position> {
    const snapshot = since?.snapshot ?? null
    const { rows } = await this.#options.database.query<PollRow & EndingRow>(
      pollSince(snapshot, ROWS_PER_PAGE),
    )
    const found = this.#positionIn(rows)
    const endings = rows.filter(({ xid }) => xid !== null)
    const keepPage = (page: readonly EndingRow[]) => {
      this.#keepRows(page, 'poll')
      return true
    }
    if (endings.length < ROWS_PER_PAGE) keepPage(endings)
    else
      await this.#readAll(
        { name: 'revocation.missed', text: MISSED, values: [snapshot] },
        found.history,
        keepPage,
      )
    return found
  }

  /**
   * Reads the rows of a statement by a cursor, in one scan. Pages by `WHERE (day, kind, id) > ...` would each read and sort
   * all that follow: the planner estimates such a comparison by its first column, which is the same for a million rows.
   * Goes on while `keepPage` returns true. Rejects when the server has another history.
   */
  async #readAll(
    { text, ...statement }: Statement,
    history: string,
    keepPage: (rows: readonly EndingRow[]) => boolean,
  ) {
    await this.#options.database.transaction(
      async (tx) => {
        const { rows } = await tx.query<PollRow>(pollSince(null, 0))
        if (this.#positionIn(rows).history !== history) throw new Error('PostgreSQL failed over meanwhile')
        await tx.query({ ...statement, text: `DECLARE ending NO SCROLL CURSOR FOR ${text}` })
        for (;;) {
          const { rows } = await tx.query<EndingRow>({ name: '', text: `FETCH ${ROWS_PER_PAGE} FROM ending` })
          if (!keepPage(rows) || rows.length < ROWS_PER_PAGE) return
          await nextTurn()
        }
      },
      { readOnly: true, kind: 'background' },
    )
  }

  #positionIn(rows: readonly PollRow[]): Position {
    const [row] = rows
    if (row === undefined || row.in_recovery) throw new Error('PostgreSQL is in recovery: it is a standby')
    this.#generation = Math.max(this.#generation, row.generation)
    const history = `${row.server} ${row.generation}`
    return { snapshot: row.snapshot, xmax: BigInt(row.xmax), history }
  }
}

function unavailable(reason: string, cause?: unknown): Error {
  return new TemporarilyUnavailableError(
    'It cannot be determined now whether the token or session has ended; repeat the request',
    { reason, cause },
  )
}
