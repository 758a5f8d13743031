// Measures what a revocation promises: when its call has returned, no reader answers active.
import { createLoggedRound, type Logger } from '@signet/platform/logger/logger'
import type { Metrics } from '@signet/platform/metrics/metrics'
import { type Clock, type Repetition, repeat } from '@signet/platform/runtime/clock'
import { hasEnded, type RevocationReader } from '@signet/revocation-reader/revocation-reader'
import { sealAccessToken } from '@signet/tokens/access-token'
import type { ReadAccessToken } from '@signet/tokens/access-token-reader'
import { newOpaqueIdentifier, type RandomBytes } from '@signet/tokens/identifiers'
import type { EndingStore } from '../ending-store.ts'
import type { TokenKeys } from '../token-keys.ts'
import type { PublishEndings } from './revocation-log-writer.ts'

/** Answers whether a token is active, as one reader of revocations sees it. */
export type AskReader = (accessToken: string) => Promise<boolean>

interface CanaryDeps {
  readonly keys: Pick<TokenKeys, 'accessSealer' | 'originKey'>
  readonly endings: Pick<EndingStore, 'endAccessToken'>
  readonly publish: PublishEndings
  /** The readers, under their names. */
  readonly readers: Readonly<Record<string, AskReader>>
  /** Gets the seconds from the answer of the revocation to the first question that was answered with not active. */
  readonly observe: (reader: string, seconds: number) => void
  readonly now: Clock
  /** Milliseconds of a clock that only moves forward. */
  readonly elapsed: () => number
  readonly random: RandomBytes
  readonly generation: () => number
}

/** No identifier has a colon, so no application, user or rate limit has this name. */
const NAME = 'signet:canary'
const LIFETIME_SECONDS = 30
/** A reader that answers active for longer is not asked further. */
const GIVE_UP_MS = 5_000

/**
 * Creates a round: issues an access token for no audience and no scope, checks that each reader answers active, revokes it as the
 * revocation endpoint does, and asks each reader until it answers that the token is not active. The token is refused by everything that
 * needs a scope or an audience. The ending is one row in a partition that is dropped, and 90 seconds in the sets; there is no
 * audit event. Rejects when a reader answered other than active before, or could not answer.
 */
export function createCanary(deps: CanaryDeps): () => Promise<void> {
  const { keys, endings, publish, readers, observe, now, elapsed, random, generation } = deps

  async function follow(name: string, ask: AskReader, token: string, answeredAt: number): Promise<void> {
    for (;;) {
      // Before the question: a slow answer that is right breaks no promise.
      const ms = elapsed() - answeredAt
      if (ms > GIVE_UP_MS || !(await ask(token))) return observe(name, ms / 1_000)
    }
  }

  return async () => {
    const id = newOpaqueIdentifier(random)
    const issuedAt = Math.floor(now().getTime() / 1_000)
    const expiresAt = issuedAt + LIFETIME_SECONDS
    const token = sealAccessToken(
      {
        ...{ id, subject: NAME, clientId: NAME, audience: [], scope: '', organizations: [] },
        ...{ issuedAt, expiresAt },
        ...(generation() > 0 && { generation: generation() }),
      },
      keys.accessSealer(),
      keys.originKey(),
    )
    const asked = Object.entries(readers)
    for (const [name, ask] of asked) {
      if (!(await ask(token))) throw new Error(`the reader ${name} does not accept a new token`)
    }
    await publish(await endings.endAccessToken({ id, expiresAt }, undefined, now()))
    const answeredAt = elapsed()
    await Promise.all(asked.map(([name, ask]) => follow(name, ask, token, answeredAt)))
  }
}

/** Asks the revocation reader of this process. */
export function createOwnReader(
  readAccessToken: ReadAccessToken,
  revocations: Pick<RevocationReader, 'checkOf'>,
): AskReader {
  return async (token) => {
    const found = await readAccessToken(token)
    return found !== undefined && !(await hasEnded(revocations, found))
  }
}

interface RunningCanary extends Omit<CanaryDeps, 'observe'> {
  readonly everyMs: number
  readonly metrics: Metrics
  readonly logger: Pick<Logger, 'warn' | 'info'>
}

/** Runs rounds and measures them. A failure is logged when it begins and when it ends. */
export function startCanary({ everyMs, metrics, logger, ...deps }: RunningCanary): Repetition {
  const observe = metrics.histogram({
    name: 'signet_revocation_canary_seconds',
    help: 'Time from the answer of the revocation of a token that the service made for this to the first question that a reader answered with not active.',
    labels: ['reader'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
  })
  const onProblem = (error: unknown) => logger.warn('revocation_canary_failed', { error })
  const round = createCanary({ ...deps, observe: (reader, seconds) => observe({ reader }, seconds) })
  return repeat(
    everyMs,
    createLoggedRound(round, onProblem, () => logger.info('revocation_canary_recovered')),
    onProblem,
  )
}
