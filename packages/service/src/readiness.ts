import type { Logger } from '@signet/platform/logger/logger'
import type { Metrics } from '@signet/platform/metrics/metrics'
import { type Repetition, repeat } from '@signet/platform/runtime/clock'

/** Whether the service accepts traffic, for `/readyz`, `grpc.health.v1` and the metric `signet_ready`. */
export interface Readiness {
  /**
   * The missing dependencies, as half a second ago at most; empty means ready. Asks no dependency itself. `readiness check` where the
   * last question failed, or has no answer after three seconds.
   */
  notReady(): Promise<readonly string[]>
  /** The missing dependencies of the start; empty while the start itself runs. */
  waitingFor(names: readonly string[]): void
  /** Replaces the readiness of the start with that of the service. */
  started(service: StartedService): Promise<void>
  /** Not ready any more, for good. */
  drain(): Promise<void>
}

interface StartedService {
  readonly notReady: () => Promise<readonly string[]>
  /** Dependencies that are missing while the service stays ready, because it responds without them. */
  readonly degraded: () => readonly string[]
  readonly onChange: (ready: boolean) => void
}

const ROUND_MS = 500
/** After so long without an answer the last answer is out of date. */
const SILENT_MS = 3_000
const UNKNOWN = ['readiness check']
const DRAINING = ['draining']

/** `elapsed`: milliseconds of a clock that only moves forward. */
export function createReadiness(
  logger: Logger,
  metrics: Metrics,
  elapsed = () => performance.now(),
): Readiness {
  let ask: () => Promise<readonly string[]> = async () => ['start']
  let degraded: () => readonly string[] = () => []
  let rounds: Repetition | undefined
  let publish: (ready: boolean) => void = () => undefined
  let told = ''
  let missing: readonly string[] = ['start']
  /** When the question began that has no answer yet. */
  let askedAt: number | undefined
  let isDraining = false

  measureReadiness(metrics, () => ({ missing: current(), degraded: degraded() }))

  function current(): readonly string[] {
    if (isDraining) return DRAINING
    return askedAt !== undefined && elapsed() - askedAt > SILENT_MS ? UNKNOWN : missing
  }

  async function answer(): Promise<readonly string[]> {
    askedAt = elapsed()
    try {
      return await ask()
    } catch (error) {
      logger.error('readiness_unknown', { error })
      return UNKNOWN
    } finally {
      askedAt = undefined
    }
  }

  async function round(): Promise<void> {
    missing = await answer()
    publish(missing.length === 0)
    const text = missing.join()
    if (text === told) return
    told = text
    if (missing.length === 0) logger.info('ready')
    else logger.info('not_ready', { notReady: missing })
  }

  return {
    notReady: async () => current(),
    waitingFor(names) {
      const waiting = names.length === 0 ? ['start'] : names
      missing = waiting
      ask = async () => waiting
    },
    async started(service) {
      ask = service.notReady
      degraded = service.degraded
      publish = service.onChange
      told = 'start'
      await round()
      rounds = repeat(ROUND_MS, round, (error) => logger.error('readiness_unknown', { error }))
    },
    async drain() {
      // At once, also while a question waits for its answer.
      isDraining = true
      ask = async () => DRAINING
      await rounds?.stop()
      await round()
    },
  }
}

interface Missing {
  readonly missing: readonly string[]
  readonly degraded: readonly string[]
}

function measureReadiness(metrics: Metrics, current: () => Missing): void {
  /** Dependencies that were missing since the start of the process. */
  const known = new Set<string>()
  metrics.gauge(
    {
      name: 'signet_ready',
      help: '1 unless the dependency was missing half a second ago. all: whether the pod accepts traffic. The others appear when they are missing for the first time.',
      labels: ['dependency'],
    },
    () => {
      const { missing, degraded } = current()
      const away = new Set([...missing, ...degraded])
      for (const name of away) known.add(name)
      const all = { labels: { dependency: 'all' }, value: missing.length === 0 ? 1 : 0 }
      return [
        all,
        ...[...known].map((dependency) => ({ labels: { dependency }, value: away.has(dependency) ? 0 : 1 })),
      ]
    },
  )
}
