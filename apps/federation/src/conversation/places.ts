import { Refused } from './refusal.ts'

/** Runs a sign-in at one of the places of its provider. Throws Refused when all are taken. */
export type AtPlace = <T>(providerId: string, signIn: () => Promise<T>) => Promise<T>

/** Bounds how many sign-ins of one provider this process handles at once: one that hangs stops no other. */
export function createPlaces(most: number): AtPlace {
  const taken = new Map<string, number>()
  return async (providerId, signIn) => {
    const before = taken.get(providerId) ?? 0
    if (before >= most) {
      throw new Refused('too_many_under_way', { expected: `at most ${most}`, temporary: true })
    }
    taken.set(providerId, before + 1)
    try {
      return await signIn()
    } finally {
      const left = (taken.get(providerId) ?? 0) - 1
      if (left > 0) taken.set(providerId, left)
      else taken.delete(providerId)
    }
  }
}
