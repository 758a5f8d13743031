import { TemporarilyUnavailableError } from '@signet/protocol/errors'

/** Runs work on refresh families; calls for one family beyond the limit wait their turn. */
export interface FamilyTurns {
  /** Rejects with TemporarilyUnavailableError when too many calls for this family wait already. */
  take<T>(grantId: string, work: () => Promise<T>): Promise<T>
}

// They would wait for the same row in any case; here they wait without holding a connection that others need.
const AT_ONCE = 2
const WAITING = 200

export function createFamilyTurns(): FamilyTurns {
  const families = new Map<string, { running: number; readonly waiting: (() => void)[] }>()

  return {
    async take(grantId, work) {
      const family = families.get(grantId) ?? { running: 0, waiting: [] }
      families.set(grantId, family)
      if (family.running >= AT_ONCE) {
        if (family.waiting.length >= WAITING) {
          throw new TemporarilyUnavailableError(
            'Too many calls with this refresh token at once; repeat the call',
            { reason: 'refresh_family_crowded' },
          )
        }
        // A finished request passes its slot on, so the count stays.
        await new Promise<void>((turn) => family.waiting.push(turn))
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
