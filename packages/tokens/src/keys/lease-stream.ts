import { setTimeout as delay } from 'node:timers/promises'

/** How patient a holder is; milliseconds. */
export interface LeaseTiming {
  /** A stream without a message for this long is given up: the server says something every ten seconds. */
  readonly livenessMs: number
  /** The waits between attempts grow from the first to the second number. */
  readonly reopenMs: readonly [shortest: number, longest: number]
}

export const LEASE_TIMING: LeaseTiming = { livenessMs: 25_000, reopenMs: [200, 2_000] }

interface LeaseStreamOptions<M> {
  readonly open: (signal: AbortSignal) => AsyncIterable<M>
  readonly onMessage: (message: M) => void
  readonly onEnd: (error: unknown) => void
  readonly timing: LeaseTiming
  /** Random number from 0 up to 1. */
  readonly random: () => number
}

/**
 * Keeps a stream open until it is stopped, reopening it with jitter so that replicas do not reconnect at the same
 * time.
 */
export function keepStreamOpen<M>(options: LeaseStreamOptions<M>): { stop(): Promise<void> } {
  const stopped = new AbortController()
  const running = run(options, stopped.signal)
  return {
    async stop() {
      stopped.abort()
      await running
    },
  }
}

async function run<M>(options: LeaseStreamOptions<M>, stopped: AbortSignal): Promise<void> {
  const [shortest, longest] = options.timing.reopenMs
  let failures = 0
  while (!stopped.aborted) {
    const error = await readToEnd(
      {
        ...options,
        onMessage(message) {
          options.onMessage(message)
          failures = 0
        },
      },
      stopped,
    )
    if (stopped.aborted) return
    options.onEnd(error)
    const longestNow = Math.min(longest, shortest * 2 ** failures)
    failures += 1
    await delay(options.random() * longestNow, undefined, { signal: stopped }).catch(() => undefined)
  }
}

/** Answers why the stream ended; undefined when the server ended it. */
async function readToEnd<M>(
  { open, onMessage, timing }: LeaseStreamOptions<M>,
  stopped: AbortSignal,
): Promise<unknown> {
  const closing = new AbortController()
  const stream = open(AbortSignal.any([closing.signal, stopped]))[Symbol.asyncIterator]()
  try {
    for (;;) {
      // A peer that vanished without a word would leave next() pending for ever.
      const result = await withinLiveness(stream.next(), timing.livenessMs, stopped)
      if (result.done === true) return undefined
      onMessage(result.value)
    }
  } catch (error) {
    return error
  } finally {
    closing.abort()
  }
}

function withinLiveness<T>(next: Promise<T>, livenessMs: number, stopped: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      clearTimeout(silence)
      stopped.removeEventListener('abort', onStop)
    }
    const giveUp = (message: string) => () => {
      settle()
      reject(new Error(message))
    }
    const onStop = giveUp('stopped')
    const silence = setTimeout(giveUp(`no message for ${livenessMs} ms`), livenessMs)
    stopped.addEventListener('abort', onStop, { once: true })
    next.finally(settle).then(resolve, reject)
  })
}
