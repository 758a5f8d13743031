import type { Clock } from '@signet/platform/runtime/clock'
import type { RegistrationStore } from './registration.repository.ts'

/** One round: forgets the tries of the hours before. Every replica may run it. */
export function forgetTries(registrations: RegistrationStore, now: Clock): () => Promise<void> {
  return () => registrations.deleteTriesBefore(now())
}
