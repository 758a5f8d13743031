import type { Logger } from '@signet/service-runtime/logger'

interface RotationTimerOptions {
  readonly tick: () => Promise<void>
  readonly intervalMs: number
  readonly logger: Logger
}

/** Ticks again and again, one tick at a time. A failed tick is logged and tried again: keys in memory go on working. */
export function startRotationTimer({ tick, intervalMs, logger }: RotationTimerOptions): {
  stop(): Promise<void>
} {
  let timer: NodeJS.Timeout
  let running = Promise.resolve()
  let stopped = false
  let failing = false

  async function run(): Promise<void> {
    try {
      await tick()
      if (failing) logger.info('key_rotation_recovered')
      failing = false
    } catch (error) {
      // Once, not every second for as long as the database is away.
      if (!failing) logger.error('key_rotation_failed', { error })
      failing = true
    }
    if (!stopped) schedule()
  }
  function schedule(): void {
    timer = setTimeout(() => {
      running = run()
    }, intervalMs)
  }
  schedule()
  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}
