/** The source of the time, an argument of all code that needs it, so that tests can set it. */
export type Clock = () => Date

export const systemClock: Clock = () => new Date()

export interface Repetition {
  /** Starts no further round and waits for the one that runs. */
  stop(): Promise<void>
}

/**
 * Runs `round` again and again, `everyMs` after the last one ended, so rounds never overlap. A round that rejects
 * is reported and the next one runs all the same.
 */
export function repeat(
  everyMs: number,
  round: () => Promise<unknown>,
  onError: (error: unknown) => void,
): Repetition {
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()

  const schedule = () => {
    timer = setTimeout(() => {
      running = round()
        .catch(onError)
        .then(() => {
          if (!stopped) schedule()
        })
    }, everyMs)
    // A process that has nothing else to do may end.
    timer.unref()
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
