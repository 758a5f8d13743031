import type { Logger } from '@signet/platform/logger/logger'
import { type Repetition, repeat } from '@signet/platform/runtime/repeat'

/** Whether the service accepts traffic, for `/readyz` and `grpc.health.v1`. */
export interface Readiness {
  /** The missing dependencies; empty means ready. */
  notReady(): Promise<readonly string[]>
  /** The missing dependencies of the start; empty while the start itself runs. */
  waitingFor(names: readonly string[]): void
  /** From now on the service reports its own readiness; every change goes to `onChange`. */
  started(notReady: () => Promise<readonly string[]>, onChange: (ready: boolean) => void): Promise<void>
  /** Not ready any more, for good. */
  drain(): Promise<void>
}

const ROUND_MS = 500

export function createReadiness(logger: Logger): Readiness {
  let ask: () => Promise<readonly string[]> = async () => ['start']
  let rounds: Repetition | undefined
  let publish: (ready: boolean) => void = () => undefined
  let told = ''

  async function round(): Promise<void> {
    const missing = await ask()
    publish(missing.length === 0)
    const text = missing.join()
    if (text === told) return
    told = text
    if (missing.length === 0) logger.info('ready')
    else logger.info('not_ready', { notReady: missing })
  }

  return {
    notReady: () => ask(),
    waitingFor(names) {
      const missing = names.length === 0 ? ['start'] : names
      ask = async () => missing
    },
    async started(notReady, onChange) {
      ask = notReady
      publish = onChange
      told = 'start'
      await round()
      rounds = repeat(ROUND_MS, round, (error) => logger.error('readiness_unknown', { error }))
    },
    async drain() {
      ask = async () => ['draining']
      await rounds?.stop()
      await round()
    },
  }
}
