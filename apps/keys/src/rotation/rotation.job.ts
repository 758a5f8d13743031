import { createLoggedRound, type Logger } from '@signet/platform/logger/logger'
import type { Metrics } from '@signet/platform/metrics/metrics'
import type { Clock } from '@signet/platform/runtime/clock'
import { repeat } from '@signet/platform/runtime/clock'
import { nextTransition } from './key-life.ts'
import type { KeyRings, RingKey } from './key-rings.ts'
import type { PublishRevocations } from './publish-revocations.ts'

interface RotationJobOptions {
  readonly rings: Pick<KeyRings, 'revokePublished' | 'tick'>
  readonly publish: PublishRevocations
  readonly intervalMs: number
  readonly logger: Logger
}

/**
 * Revocations are followed once in so many rotations: only a fail-over that lost a commit makes a difference, and the log of
 * endings makes readers refuse the key meanwhile.
 */
const INTERVALS_PER_FOLLOWING = 4

/**
 * Rotates the keys and follows the revocations that the token service has published, until the returned function is
 * called. After a failed round the keys in memory go on working.
 */
export function startRotationJob({
  rings,
  publish,
  intervalMs,
  logger,
}: RotationJobOptions): () => Promise<void> {
  // Logs the first failure only, as these run every few seconds.
  const every = (
    everyMs: number,
    round: () => Promise<void>,
    onProblem: (error: unknown) => void,
    recovered: string,
  ) =>
    repeat(
      everyMs,
      createLoggedRound(round, onProblem, () => logger.info(recovered)),
      onProblem,
    )
  const rotation = every(
    intervalMs,
    async () => publish((await rings.tick()).unpublished),
    (error) => logger.error('key_rotation_failed', { error }),
    'key_rotation_recovered',
  )
  const revocations = every(
    INTERVALS_PER_FOLLOWING * intervalMs,
    async () => {
      const count = await rings.revokePublished()
      if (count > 0) logger.warn('key_revocations_recovered', { count })
    },
    (error) => logger.warn('reading_key_revocations_failed', { error }),
    'reading_key_revocations_recovered',
  )
  return async () => {
    await Promise.all([rotation.stop(), revocations.stop()])
  }
}

/** Registers how old the active key of each line is, and when something happens to it next. */
export function registerKeyMetrics(metrics: Metrics, rings: Pick<KeyRings, 'current'>, now: Clock): void {
  const ofActiveKeys = (valueMs: (key: RingKey) => number) => () =>
    rings.current.keys
      .filter(({ state }) => state === 'active')
      .map((key) => ({
        labels: { ring: key.ring, algorithm: key.algorithm },
        value: valueMs(key) / 1_000,
      }))
  const labels = ['ring', 'algorithm'] as const
  metrics.gauge(
    { name: 'signet_key_active_age_seconds', help: 'For how long the active key has been in use.', labels },
    ofActiveKeys(({ activeAt }) => now().getTime() - activeAt.getTime()),
  )
  metrics.gauge(
    {
      name: 'signet_key_next_switch_seconds',
      help: 'Time until the next key takes over; negative when nobody was there to let it.',
      labels,
    },
    ofActiveKeys((key) => nextTransition(key).at.getTime() - now().getTime()),
  )
}
