/** More work is waiting than will be done in a useful time; try again later. */
export class BusyError extends Error {
  override readonly name = 'BusyError'
}

interface Bounds {
  readonly concurrency: number
  readonly queueLimit: number
  /** Work that has not begun by then is refused: its caller has most likely gone. */
  readonly waitMs: number
}

export interface BoundedWork {
  /** In the order of arrival. Rejects with BusyError when too many wait already, or it has waited too long. */
  run<T>(task: () => Promise<T>): Promise<T>
  /** As soon as a place is free, before everything that waits: the second half of work whose first half was done. */
  runNext<T>(task: () => Promise<T>): Promise<T>
}

/** Runs at most `concurrency` tasks at a time. */
export function boundedWork({ concurrency, queueLimit, waitMs }: Bounds): BoundedWork {
  const waiting: (() => void)[] = []
  let running = 0

  async function perform<T>(task: () => Promise<T>): Promise<T> {
    try {
      return await task()
    } finally {
      // Finished work passes its place on, so a newcomer cannot take it in between.
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }

  function waitForPlace(): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(begin), 1)
        reject(busy())
      }, waitMs)
      waiting.push(begin)
    })
  }

  return {
    async run(task) {
      if (running < concurrency) running += 1
      else if (waiting.length >= queueLimit) throw busy()
      else await waitForPlace()
      return perform(task)
    },
    async runNext(task) {
      if (running < concurrency) running += 1
      else await new Promise<void>((resolve) => waiting.unshift(resolve))
      return perform(task)
    },
  }
}

function busy(): BusyError {
  return new BusyError('too many passwords are being checked')
}
