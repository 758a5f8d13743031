import { expect, it } from 'vitest'
import { endOf, keepSeconds } from './browser-session.ts'

const session = {
  sid: 's',
  userId: 'alice',
  organizationId: 'acme',
  authenticatedAt: 1_000_000,
  lastUsedAt: 1_000_000,
  lastCheckedAt: 1_000_000,
  amr: ['pwd'],
  userEpoch: 0,
  organizationEpoch: 0,
}
const lifetimes = { idleSeconds: 100, absoluteSeconds: 300 }

it('F-36: ends when it was idle for too long, and at the latest at the absolute end', () => {
  expect(endOf(session, lifetimes)).toBe(1_100_000)
  expect(endOf({ ...session, lastUsedAt: 1_050_000 }, lifetimes)).toBe(1_150_000)
  expect(endOf({ ...session, lastUsedAt: 1_290_000 }, lifetimes)).toBe(1_300_000)
})

it('keeps a browser until the last of its sessions ends, and never for less than a second', () => {
  const used = { ...session, lastUsedAt: 1_050_500 }
  expect(keepSeconds([session, used], lifetimes, 1_060_000)).toBe(91)
  expect(keepSeconds([session], lifetimes, 2_000_000)).toBe(1)
  expect(keepSeconds([], lifetimes, 2_000_000)).toBe(1)
})
