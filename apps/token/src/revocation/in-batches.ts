/**
 * Lets `work` run once at a time: calls that come meanwhile share its next run, and succeed or fail with it. Many ends
 * at once so cost one transaction after the other instead of a queue of them behind the lock of one row.
 */
export function inBatches<Item>(
  work: (items: readonly Item[]) => Promise<void>,
): (items: readonly Item[]) => Promise<void> {
  let next: { readonly items: Item[]; readonly done: Promise<void> } | undefined
  let running = Promise.resolve()

  function batchAfter(previous: Promise<void>) {
    const items: Item[] = []
    const done = previous.then(() => {
      next = undefined
      return work(items)
    })
    return { items, done }
  }

  return (items) => {
    if (next === undefined) {
      next = batchAfter(running)
      // Whoever is in the batch hears of its failure; the one behind it begins all the same.
      running = next.done.catch(() => undefined)
    }
    next.items.push(...items)
    return next.done
  }
}
