import { TemporarilyUnavailableError } from '@signet/protocol/errors'

/** Runs at most MAX_RUNNING calls of a refresh-token family at a time; further calls wait in the order of their arrival. */
export interface FamilyQueue {
  /** Rejects with TemporarilyUnavailableError when too many calls for this family wait already. */
  run<T>(grantId: string, work: () => Promise<T>): Promise<T>
}

// More calls would wait for the lock of the same row, each with a connection of the pool.
const MAX_RUNNING = 2
const MAX_WAITING = 200

export function createFamilyQueue(): FamilyQueue {
  const families = new Map<string, { running: number; readonly waiting: (() => void)[] }>()

  return {
    async run(grantId, work) {
      const family = families.get(grantId) ?? { running: 0, waiting: [] }
      families.set(grantId, family)
      if (family.running >= MAX_RUNNING) {
        if (family.waiting.length >= MAX_WAITING) {
          throw new TemporarilyUnavailableError(
            'Too many calls with this refresh token at once; repeat the call',
            { reason: 'refresh_family_crowded' },
          )
        }
        // A finished request passes its slot on, so the count stays.
        await new Promise<void>((start) => family.waiting.push(start))
      } else family.running += 1
      try {
        return await work()
      } finally {
        const next = family.waiting.shift()
        if (next !== undefined) next()
        else if (family.running === 1) families.delete(grantId)
        else family.running -= 1
      }
    },
  }
}
