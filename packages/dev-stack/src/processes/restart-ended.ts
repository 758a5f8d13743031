import { setTimeout as pause } from 'node:timers/promises'
import type { Replica } from './replica.ts'

export interface Restarts {
  /** Starts a replica that ended without a request again, after a pause. */
  again(replica: Pick<Replica, 'name' | 'start'>, problem: string): void
  /** Starts nothing more; resolves when no start is under way. */
  stop(): Promise<void>
}

interface RestartOptions {
  readonly onOutput: (text: string) => void
  /** Elapsed milliseconds. */
  readonly now?: () => number
  /** Rejects when aborted. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>
}

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 30_000
/** A replica that ran for so long begins with the first pause. */
const LASTING_MS = 60_000

/** Creates what keeps the replicas of a suite running. The pause doubles while a replica ends soon after its start. */
export function createRestarts({
  onOutput,
  now = () => performance.now(),
  wait = (ms, signal) => pause(ms, undefined, { signal }),
}: RestartOptions): Restarts {
  const stopped = new AbortController()
  const last = new Map<string, { readonly startedAt: number; readonly pauseMs: number }>()
  const running = new Set<Promise<void>>()

  async function restart({ name, start }: Pick<Replica, 'name' | 'start'>, problem: string): Promise<void> {
    const before = last.get(name)
    const lasted = before === undefined || now() - before.startedAt > LASTING_MS
    const pauseMs = lasted ? FIRST_PAUSE_MS : Math.min(2 * before.pauseMs, LONGEST_PAUSE_MS)
    onOutput(`${problem}; it starts again in ${pauseMs / 1_000} s\n`)
    await wait(pauseMs, stopped.signal)
    last.set(name, { startedAt: now(), pauseMs })
    await start()
  }

  return {
    again(replica, problem) {
      if (stopped.signal.aborted) return
      const restarting = restart(replica, problem).catch((error: unknown) => {
        if (!stopped.signal.aborted) onOutput(`${replica.name} does not start: ${error}\n`)
      })
      running.add(restarting)
      void restarting.then(() => running.delete(restarting))
    },
    async stop() {
      stopped.abort()
      await Promise.all(running)
    },
  }
}
