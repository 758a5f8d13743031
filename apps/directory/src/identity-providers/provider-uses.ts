import type { Clock } from '@signet/platform/runtime/clock'
import type { ProviderUseStore } from './provider-use.repository.ts'

/** The record of the days on which people sign in by providers. */
export interface ProviderUses {
  /** Notes in memory that a person signed in by the provider. */
  note(providerId: string): void
  /** Writes the noted providers that this replica has not written today; those of a failed write are written by the next call. */
  write(): Promise<void>
}

/** Creates the record of one replica: it writes at most one row a day and provider, and none in a sign-in. */
export function createProviderUses(store: Pick<ProviderUseStore, 'record'>, now: Clock): ProviderUses {
  const today = () => now().toISOString().slice(0, 10)
  let day = ''
  let written = new Set<string>()
  let noted = new Set<string>()

  return {
    note(providerId) {
      if (!written.has(providerId) || today() !== day) noted.add(providerId)
    },
    async write() {
      if (today() !== day) {
        day = today()
        written = new Set()
      }
      if (noted.size === 0) return
      const providerIds = [...noted]
      noted = new Set()
      try {
        await store.record(day, providerIds)
      } catch (error) {
        for (const providerId of providerIds) noted.add(providerId)
        throw error
      }
      for (const providerId of providerIds) written.add(providerId)
    },
  }
}
