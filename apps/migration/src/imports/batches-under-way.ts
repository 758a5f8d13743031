import type { ClaimedBatch } from '../stores/staged-store.ts'

/**
 * Lists whose records do not meet each other within an organization: whichever batch comes first, the result is the same.
 * Service users are not among them, who get their user names for client ids as long as those are free.
 */
const INDEPENDENT: ReadonlySet<string> = new Set(['humanUsers', 'userMetadata', 'userGrants'])
/** While the directory writes one, the next one is opened and sent. */
const MOST_AT_ONCE = 2

type Place = Pick<ClaimedBatch, 'list' | 'organizationId'>

/** The batches of one job that this worker has under way: several at once where their order does not matter. */
export function batchesUnderWay() {
  const running = new Set<Promise<void>>()
  let place: Place | undefined
  let failure: { readonly error: unknown } | undefined

  const all = async () => void (await Promise.all(running))

  return {
    hasFailed: () => failure !== undefined,
    /** Starts to apply a batch as soon as it may run beside the others. Resolves when one more may be claimed. */
    async begin(batch: Place, apply: () => Promise<void>): Promise<void> {
      if (place !== undefined && !mayRunBeside(place, batch)) await all()
      place = { list: batch.list, organizationId: batch.organizationId }
      const applied: Promise<void> = apply()
        .catch((error: unknown) => {
          failure ??= { error }
        })
        .finally(() => running.delete(applied))
      running.add(applied)
      if (running.size >= MOST_AT_ONCE) await Promise.race(running)
    },
    /** False when none is running. */
    async untilOneEnds(): Promise<boolean> {
      const some = running.size > 0
      if (some) await Promise.race(running)
      return some
    },
    /** Rejects with what the first of them failed with, when none is running any more. */
    async untilAllEnd(): Promise<void> {
      await all()
      if (failure !== undefined) throw failure.error
    },
  }
}

function mayRunBeside(one: Place, other: Place): boolean {
  return INDEPENDENT.has(one.list) && one.list === other.list && one.organizationId === other.organizationId
}
