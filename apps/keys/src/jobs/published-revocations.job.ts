import { type Logger, reportingOnce } from '@signet/platform/logger/logger'
import { repeat } from '@signet/platform/runtime/repeat'

interface Options {
  /** Returns how many keys it revoked. */
  readonly revokePublished: () => Promise<number>
  readonly intervalMs: number
  readonly logger: Logger
}

/** Revokes the keys that the token service publishes as revoked, until the returned function is called. */
export function startPublishedRevocationsJob(options: Options): () => Promise<void> {
  const { revokePublished, intervalMs, logger } = options
  const onProblem = (error: unknown) => logger.warn('published_revocations_failed', { error })
  const round = async () => {
    const count = await revokePublished()
    if (count > 0) logger.warn('key_revocations_recovered', { count })
  }
  const rounds = repeat(
    intervalMs,
    reportingOnce(round, onProblem, () => logger.info('published_revocations_followed')),
    onProblem,
  )
  return () => rounds.stop()
}
