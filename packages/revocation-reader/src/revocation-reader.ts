import type { Metrics } from '@signet/metrics/metrics'
import type { Queryable } from '@signet/postgres/pool'
import type { Redis } from '@signet/redis/client'
import type { Logger } from '@signet/service-runtime/logger'
import { type Repetition, repeat } from '@signet/service-runtime/repeat'
import { reportingOnce } from '@signet/service-runtime/reporting-once'
import type { RevocationFacts } from '@signet/token-format/revocation-facts'
import { boundedChecks } from './bounded-checks.ts'
import { askInTime } from './circuits.ts'
import { LookUp } from './look-up.ts'
import { createMirror } from './mirror.ts'
import { followRecentRevocations } from './recent-revocations.ts'
import { followRevocationLog } from './revocation-log.ts'
import { RevocationMemory } from './revocation-memory.ts'
import { createRevocationStore } from './revocation-store.ts'
import { watchServerIdentity } from './server-identity.ts'

export interface RevocationReaderOptions {
  readonly database: Queryable
  readonly redis: Redis
  /** False where the servers do not tell their `run_id`: then every check is a query. True when left out. */
  readonly mirror?: boolean
  /** Told once when the mirror or the database stops answering, so that the other one answers, and when it is back. */
  readonly logger: Pick<Logger, 'warn' | 'info'>
  /** Where it registers who answered its checks. */
  readonly metrics?: Metrics | undefined
}

/** Answers each time as `isEnded` does. */
export type Check = () => Promise<boolean>

/** Answers whether something has ended. It never writes. */
export interface RevocationReader {
  /**
   * True when a revocation of any of the facts was committed before the call. One Redis round trip while the
   * log can vouch for memory, a second one to the mirror while only that can, otherwise one query. A deposed Redis primary that still answers hides a revocation for one
   * poll at most. Rejects with TemporarilyUnavailableError when nobody can answer: the caller must then refuse.
   */
  isEnded(facts: RevocationFacts): Promise<boolean>
  /** The same for whoever asks about the same facts again and again. */
  checkOf(facts: RevocationFacts): Check
  /** Reads recent revocations now instead of at the next poll; rejects with the database's error. */
  poll(): Promise<void>
  stop(): Promise<void>
}

/** The bound on what a partitioned Redis may hide, and on how long a demoted server is believed. */
const POLL_MS = 1_000

export function createRevocationReader(options: RevocationReaderOptions): RevocationReader {
  const truth = boundedChecks(createRevocationStore(options.database))
  if (options.mirror === false) {
    return {
      ...checks((lookUp) => truth.anyEnded(lookUp)),
      poll: async () => {},
      stop: async () => {},
    }
  }
  const { database, redis, logger } = options
  const elapsed = () => performance.now()
  const onProblem = (error: unknown) => logger.warn('revocation_mirror_unavailable', { error })
  const onRecovery = () => logger.info('revocation_mirror_available')
  const servers = watchServerIdentity(redis, onProblem)
  const ask = askInTime(servers, { onProblem, onRecovery })
  const mirror = createMirror(servers, ask)
  const memory = new RevocationMemory(elapsed)
  const recent = followRecentRevocations(database, memory)
  const log = followRevocationLog({ servers, ask, memory, load: recent.load, elapsed, onProblem })
  const answered = { log: 0, memory: 0, mirror: 0, database: 0 }
  if (options.metrics) countAnswers(options.metrics, answered)
  const poll = reportingOnce(() => recent.poll(), onProblem, onRecovery)
  const firstPoll = poll()
  const rounds: readonly Repetition[] = [
    repeat(POLL_MS, poll, onProblem),
    repeat(POLL_MS, servers.check, onProblem),
    // Whoever is asked nothing for long is not far behind when a check comes.
    repeat(POLL_MS, log.isCaughtUp, onProblem),
  ]

  async function isAnyEnded(lookUp: LookUp): Promise<boolean> {
    if (recent.current() && (await log.isCaughtUp())) {
      answered.log++
      return memory.anyEnded(lookUp)
    }
    if (memory.anyEnded(lookUp)) {
      answered.memory++
      return true
    }
    const mirrored = recent.current() ? await mirror.anyEnded(lookUp) : undefined
    if (mirrored === undefined) {
      answered.database++
      return truth.anyEnded(lookUp)
    }
    answered.mirror++
    return mirrored
  }

  return {
    ...checks(isAnyEnded),
    poll: () => recent.poll(),
    async stop() {
      await Promise.all([firstPoll, log.stop(), ...rounds.map((round) => round.stop())])
      recent.stop()
    },
  }
}

function checks(
  isAnyEnded: (lookUp: LookUp) => Promise<boolean>,
): Pick<RevocationReader, 'isEnded' | 'checkOf'> {
  return {
    isEnded: (facts) => isAnyEnded(new LookUp(facts)),
    checkOf(facts) {
      const lookUp = new LookUp(facts)
      return () => isAnyEnded(lookUp)
    },
  }
}

function countAnswers(metrics: Metrics, answered: Readonly<Record<string, number>>): void {
  const checks = {
    name: 'signet_revocation_checks_total',
    help: 'Checks for revocation by who answered; the database does while the mirror is not whole.',
    labels: ['source'],
  } as const
  metrics.total(checks, () =>
    Object.entries(answered).map(([source, value]) => ({ labels: { source }, value })),
  )
}
