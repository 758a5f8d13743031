/** More work is waiting than will be done in a useful time; try again later. */
export class BusyError extends Error {
  override readonly name = 'BusyError'
}

/** Runs at most `concurrency` tasks at a time, keeps at most `queueLimit` waiting and refuses more with `BusyError`. */
export function boundedWork({ concurrency, queueLimit }: { concurrency: number; queueLimit: number }) {
  const waiting: (() => void)[] = []
  let running = 0
  return async <T>(task: () => Promise<T>): Promise<T> => {
    if (running < concurrency) running += 1
    else if (waiting.length >= queueLimit) throw new BusyError('too many passwords are being checked')
    // Whoever finishes hands its place on, so a newcomer cannot take it in between.
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await task()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
