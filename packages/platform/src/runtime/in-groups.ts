import { duringRequest } from './current-request.ts'

interface Asked<Item, Answer> {
  readonly item: Item
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

/**
 * Batches calls: one run of `work` handles at most `most` calls, and one run is active at a time. Calls of one turn of the event
 * loop, and calls during a run, share the next run. `work` returns the answers in the order of the items. A failed run rejects
 * only the calls of its batch. A run is the work of no request, because its items may be of several.
 */
export function createGroupedCall<Item, Answer>(
  most: number,
  work: (items: readonly Item[]) => Promise<readonly Answer[]>,
): (item: Item) => Promise<Answer> {
  let waiting: Asked<Item, Answer>[] = []
  let running = false

  async function runAll(): Promise<void> {
    if (running) return
    running = true
    while (waiting.length > 0) {
      const group = waiting.slice(0, most)
      waiting = waiting.slice(most)
      await run(group)
    }
    running = false
  }

  async function run(group: readonly Asked<Item, Answer>[]): Promise<void> {
    try {
      const answers = await work(group.map(({ item }) => item))
      for (const [n, { resolve }] of group.entries()) resolve(answers[n] as Answer)
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }

  return (item) =>
    new Promise<Answer>((resolve, reject) => {
      if (waiting.push({ item, resolve, reject }) === 1) duringRequest(undefined, () => setImmediate(runAll))
    })
}
