import { randomBytes } from 'node:crypto'
import { createLoggedRound, type Logger } from '@signet/platform/logger/logger'
import type { Metrics } from '@signet/platform/metrics/metrics'
import type { Database } from '@signet/platform/postgres/pool'
import type { Redis } from '@signet/platform/redis/connection'
import { repeat } from '@signet/platform/runtime/clock'
import { type RevocationKeys, revocationKeysOf } from '@signet/tokens/access-token'
import type { ReadToken } from '@signet/tokens/access-token-reader'
import type { RandomBytes } from '@signet/tokens/identifiers'
import { createCircuitBreaker } from './circuit-breaker.ts'
import type { Ending } from './endings.ts'
import { createRevocationDatabase } from './revocation-database.ts'
import { followRevocationLog, watchServerIdentity } from './revocation-log.ts'
import { type LookUp, RevocationSet } from './revocation-set.ts'

export interface RevocationReaderOptions {
  readonly database: Pick<Database, 'query' | 'transaction'>
  readonly redis: Redis
  /** False where Redis does not show its `run_id`: then PostgreSQL is queried for every check. Default true. */
  readonly log?: boolean
  /** How long the set may answer after the last successful poll of PostgreSQL. Default 10. */
  readonly stalenessSeconds?: number
  /** Beyond so many live endings PostgreSQL is queried for every check. Default 1,000,000. */
  readonly maxEndings?: number
  /** How long Redis may be silent before PostgreSQL is asked. Default 100. */
  readonly redisSilenceMs?: number | undefined
  /** Elapsed milliseconds, independent of changes of the clock. */
  readonly elapsed?: () => number
  readonly random?: RandomBytes
  /** Gets one line when the log or the database stops answering, and one when it answers again. */
  readonly logger: Pick<Logger, 'warn' | 'info'>
  readonly metrics?: Metrics | undefined
  readonly observer?: RevocationObserver
}

export interface RevocationObserver {
  /** Called with the endings that a poll of PostgreSQL returned, but not with those of a load. */
  polled?(endings: readonly Ending[]): void
  /** Called with the endings that an entry of the log holds. */
  logged?(endings: readonly Ending[]): void
  /** Called when PostgreSQL went back in time, failed over, or has another generation. */
  otherHistory?(): void
}

/** Resolves each time as `isEnded` does. */
export type Check = () => Promise<boolean>

/** Says whether something has ended. It never writes. */
export interface RevocationReader {
  /**
   * True when an ending of any of the keys was committed and published before the call, by one Redis round trip while
   * log and polls are whole, otherwise by a query. A deposed Redis primary that still answers hides an ending for one
   * poll at most. Rejects with TemporarilyUnavailableError when neither can decide: the caller then refuses.
   */
  isEnded(keys: RevocationKeys): Promise<boolean>
  /** The same for keys that are checked many times. */
  checkOf(keys: RevocationKeys): Check
  /**
   * Reads the log at once, for keys that are not known yet: the result answers as `isEnded` called now, and its caller waits for
   * the log and for the keys at the same time.
   */
  begin(): (keys: RevocationKeys) => Promise<boolean>
  /** Whether a poll or the log has shown that a key was revoked: at most a second after its commit. */
  isKeyRevoked(kid: string): boolean
  /** Seconds since the last successful poll of PostgreSQL began; infinite before the first. */
  pollAge(): number
  /** Keeps every ending that was committed before the call; rejects with the error of the database. */
  poll(): Promise<void>
  stop(): Promise<void>
}

/**
 * Whether a token was revoked, or one that it was exchanged for: one check for the token and one for each of those, all
 * by the same read of the log. Rejects as `isEnded` does.
 */
export function hasEnded(
  revocations: Pick<RevocationReader, 'checkOf'>,
  token: Pick<ReadToken, 'token' | 'kid'>,
): Promise<boolean> {
  return createEndCheck(revocations, token)()
}

/** The same for a token that is checked many times. */
export function createEndCheck(
  revocations: Pick<RevocationReader, 'checkOf'>,
  { token, kid }: Pick<ReadToken, 'token' | 'kid'>,
): Check {
  const ofToken = revocations.checkOf(revocationKeysOf(token, kid))
  if (token.origins === undefined) return ofToken
  const all = [ofToken, ...token.origins.map((origin) => revocations.checkOf(origin))]
  return async () => (await Promise.all(all.map((isEnded) => isEnded()))).includes(true)
}

export const DEFAULT_STALENESS_SECONDS = 10
export const DEFAULT_MAX_ENDINGS = 1_000_000

/** How long an ending can be hidden by a Redis server that is no longer the primary. */
const POLL_MS = 1_000

export function createRevocationReader(options: RevocationReaderOptions): RevocationReader {
  const { database, redis, logger, metrics, observer = {}, random = randomBytes } = options
  const { log: readsLog = true, stalenessSeconds = DEFAULT_STALENESS_SECONDS } = options
  const elapsed = options.elapsed ?? (() => performance.now())
  const maxEndings = readsLog ? (options.maxEndings ?? DEFAULT_MAX_ENDINGS) : 0
  const onProblem = (error: unknown) => logger.warn('revocation_log_unavailable', { error })
  const onRecovery = () => logger.info('revocation_log_available')
  const set = new RevocationSet(maxEndings, () => elapsed() / 1_000, random(8))
  const truth = createRevocationDatabase({
    ...{ database, set, maxEndings, elapsed },
    keep(endings, by) {
      for (const ending of endings) set.keep(ending)
      if (by === 'poll') observer.polled?.(endings)
    },
    onOtherHistory: () => {
      logger.warn('revocation_database_replaced')
      observer.otherHistory?.()
    },
    onProblem: (error) => logger.warn('revocation_load_failed', { error }),
    jitter: () => random(4).readUInt32LE() / 2 ** 32,
  })
  const servers = readsLog ? watchServerIdentity(redis, onProblem) : undefined
  const log =
    servers &&
    followRevocationLog({
      ...{ servers, elapsed, poll: truth.poll, generation: truth.generation },
      ask: createCircuitBreaker(
        { onProblem, onRecovery, onRedirection: servers.redirected },
        options.redisSilenceMs,
      ),
      keep(endings) {
        for (const ending of endings) set.keep(ending)
        observer.logged?.(endings)
      },
    })
  const answered = { set: 0, log: 0, database: 0 }
  if (metrics) register(metrics, { answered, set, truth })
  const poll = createLoggedRound(
    truth.poll,
    (error) => logger.warn('revocation_poll_failed', { error }),
    () => logger.info('revocation_poll_succeeded'),
  )
  const firstPoll = poll()
  let checkedAt = Number.NEGATIVE_INFINITY
  /** Keeps the first check after a quiet time from being far behind. Otherwise it reads nothing: a check waits for a read under way. */
  const readAfterQuiet = async () => {
    if (elapsed() - checkedAt >= POLL_MS) await log?.isCaughtUp()
  }
  const rounds = [
    repeat(POLL_MS, poll, onProblem),
    repeat(POLL_MS, async () => set.sweep(), onProblem),
    ...(servers ? [repeat(POLL_MS, servers.check, onProblem)] : []),
    ...(log ? [repeat(POLL_MS, readAfterQuiet, onProblem)] : []),
  ]

  const isCurrent = () => truth.isComplete() && truth.pollAge() < stalenessSeconds
  const isKnownToBeEnded = (lookUp: LookUp) => lookUp.generation < truth.generation() || set.anyEnded(lookUp)

  async function readLog(): Promise<boolean> {
    checkedAt = elapsed()
    return isCurrent() && (await log?.isCaughtUp()) === true
  }

  async function isAnyEnded(lookUp: LookUp, isCaughtUp: () => Promise<boolean> = readLog): Promise<boolean> {
    if (isKnownToBeEnded(lookUp)) {
      answered.set++
      return true
    }
    if ((await isCaughtUp()) && isCurrent()) {
      answered.log++
      return isKnownToBeEnded(lookUp)
    }
    answered.database++
    return (await truth.anyEnded(lookUp)) || isKnownToBeEnded(lookUp)
  }

  return {
    isEnded: (keys) => isAnyEnded(set.lookUp(keys)),
    checkOf(keys) {
      const lookUp = set.lookUp(keys)
      return () => isAnyEnded(lookUp)
    },
    begin() {
      const reading = readLog()
      // Its failure is that of the check, which may never be made.
      reading.catch(() => undefined)
      return (keys) => isAnyEnded(set.lookUp(keys), () => reading)
    },
    isKeyRevoked: (kid) => set.isKeyRevoked(kid),
    pollAge: truth.pollAge,
    poll: truth.poll,
    async stop() {
      await Promise.all([firstPoll, truth.stop(), ...rounds.map((round) => round.stop())])
    },
  }
}

/**
 * Returns what creates a reader at its first call and returns the same one at each later call, for a process that runs several
 * services. `token` calls first, whose observer repairs the log, and stops last: only what the first call returned ends the reader.
 */
export function createSharedRevocations(): typeof createRevocationReader {
  let opened: RevocationReader | undefined
  return (options) => {
    if (opened !== undefined) return { ...opened, stop: async () => undefined }
    opened = createRevocationReader(options)
    return opened
  }
}

interface Measured {
  readonly answered: Readonly<Record<string, number>>
  readonly set: RevocationSet
  readonly truth: Pick<ReturnType<typeof createRevocationDatabase>, 'pollAge' | 'loads'>
}

function register(metrics: Metrics, { answered, set, truth }: Measured): void {
  const one = (value: number) => [{ labels: {}, value }]
  metrics.total(
    {
      name: 'signet_revocation_checks_total',
      help: 'Checks for revocation by source: an entry of the set, set and log together, or a query of PostgreSQL.',
      labels: ['source'],
    },
    () => Object.entries(answered).map(([source, value]) => ({ labels: { source }, value })),
  )
  metrics.gauge(
    { name: 'signet_revocation_set_endings', help: 'Endings in the revocation set.', labels: [] },
    () => one(set.size),
  )
  metrics.gauge(
    {
      name: 'signet_revocation_poll_age_seconds',
      help: 'Seconds since the last successful poll of PostgreSQL for endings.',
      labels: [],
    },
    () => one(truth.pollAge()),
  )
  metrics.total(
    { name: 'signet_revocation_loads_total', help: 'Loads of all live endings.', labels: [] },
    () => one(truth.loads()),
  )
}
