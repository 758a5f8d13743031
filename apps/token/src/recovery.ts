import { StartFailure } from '@signet/platform/process/service'
import { DependencyUnavailableError } from '@signet/platform/runtime/dependency-unavailable'
import { type Repetition, repeat } from '@signet/platform/runtime/repeat'
import { type Recovery, recoverEndings, recoveryOnRequest } from './revocation/recover-endings.ts'
import type { Generation } from './stores/generation.ts'
import { PostgresLostEndingStore } from './stores/lost-endings.ts'
import type { TokenOptions } from './token-options.ts'

const ROUND_MS = 1_000

/** Recovers endings at the start of this replica, and whenever PostgreSQL has another history. */
export interface RunningRecovery extends Pick<Recovery, 'request' | 'isRefused'> {
  stop: Repetition['stop']
}

/**
 * Recovers now, and then on request. Rejects with StartFailure when PostgreSQL was restored from a backup without
 * `signet-migrate restored`, and with DependencyUnavailableError when a server is away.
 */
export async function startRecovery(
  { database, redis, logger, now, metrics }: TokenOptions,
  generation: Generation,
  key: Buffer,
): Promise<RunningRecovery> {
  let recovered = 0
  const recovery = recoveryOnRequest(
    recoverEndings({
      ...{ redis, key, generation, logger, now },
      store: new PostgresLostEndingStore(database),
      count: (number) => {
        recovered += number
      },
    }),
  )
  recovery.request()
  try {
    await recovery.round()
  } catch (error) {
    if (error instanceof StartFailure || error instanceof DependencyUnavailableError) throw error
    throw new DependencyUnavailableError('redis', error)
  }
  // Only now: a start that fails is tried again, and a metric is registered once.
  metrics?.total(
    {
      name: 'signet_endings_recovered_total',
      help: 'Endings that PostgreSQL had lost in a fail-over and that came back from the log in Redis.',
      labels: [],
    },
    () => [{ labels: {}, value: recovered }],
  )
  const rounds = repeat(ROUND_MS, recovery.round, (error) => logger.error('recovery_failed', { error }))
  return { request: recovery.request, isRefused: recovery.isRefused, stop: () => rounds.stop() }
}
