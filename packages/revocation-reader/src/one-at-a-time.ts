import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Runs `run` one at a time. A call joins a run that has not begun, never a running one: the result is at least as new
 * as each call that it serves. All calls of one turn of the event loop share a run.
 */
export function oneAtATime<T>(run: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> | undefined
  let next: Promise<T> | undefined

  async function begin(): Promise<T> {
    await running?.catch(() => undefined)
    await nextTurn()
    next = undefined
    const result = run()
    running = result
    return result
  }

  return () => {
    next ??= begin()
    return next
  }
}
