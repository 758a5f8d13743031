import { ENDING_SECONDS } from '@signet/revocation-reader/endings'
import { expect, it } from 'vitest'
import { keyspaces } from '../keyspaces.ts'
import { PROOF_LIFETIME_MS } from '../sign-in/password-proof.ts'
import { needsFullCheck, RECENT_CHECK_MS } from './usable-sessions.ts'

it('keeps endings longer than a check counts, with everything that may wait and clocks that differ', () => {
  const clocksDifferMs = 60 * 60_000
  const pendingMs = keyspaces.pendingAuthorization.ttlSeconds * 1000 + PROOF_LIFETIME_MS
  expect(RECENT_CHECK_MS + pendingMs + clocksDifferMs).toBeLessThan(ENDING_SECONDS * 1000)
})

it.each([
  [undefined, true],
  [0, false],
  [RECENT_CHECK_MS, false],
  [RECENT_CHECK_MS + 1, true],
  [-1, true],
])('asks for all ended sessions when the last check was %s ms ago: %s', (age, asks) => {
  const time = Date.UTC(2030, 0, 1)
  expect(needsFullCheck(age === undefined ? undefined : time - age, time)).toBe(asks)
})
