import { ENDING_SECONDS } from '@signet/revocation-reader/endings'
import { expect, it } from 'vitest'
import { keyspaces } from '../keyspaces.ts'
import { endOf, needsFullCheck, RECENT_CHECK_MS, ttlSeconds } from './browser-session.ts'
import { PROOF_LIFETIME_MS } from './sign-in-proof.ts'

const session = {
  sid: 's',
  userId: 'user1',
  organizationId: 'acme',
  authenticatedAt: 1_000_000,
  lastUsedAt: 1_000_000,
  lastCheckedAt: 1_000_000,
  amr: ['pwd'],
  userEpoch: 0,
  organizationEpoch: 0,
}
const lifetimes = { idleSeconds: 100, absoluteSeconds: 300 }

it('ends at the idle timeout, and at the latest at the absolute timeout [F-36]', () => {
  expect(endOf(session, lifetimes)).toBe(1_100_000)
  expect(endOf({ ...session, lastUsedAt: 1_050_000 }, lifetimes)).toBe(1_150_000)
  expect(endOf({ ...session, lastUsedAt: 1_290_000 }, lifetimes)).toBe(1_300_000)
})

it('keeps a browser until its last session expires, for a second at least', () => {
  const used = { ...session, lastUsedAt: 1_050_500 }
  expect(ttlSeconds([session, used], lifetimes, 1_060_000)).toBe(91)
  expect(ttlSeconds([session], lifetimes, 2_000_000)).toBe(1)
  expect(ttlSeconds([], lifetimes, 2_000_000)).toBe(1)
})

it('keeps revocation log entries longer than a check is valid, with waiting times and clock differences', () => {
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
])('reads the table of ended sessions when the last check was %s ms ago: %s', (age, asks) => {
  const time = Date.UTC(2030, 0, 1)
  expect(needsFullCheck(age === undefined ? undefined : time - age, time)).toBe(asks)
})
