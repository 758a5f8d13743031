import { size } from '@signet/testing/sizes'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accepted, currentEpoch, interleave, seedOfRun } from './interleavings.ts'
import { type Replica, type Suites, startSuites } from './suites.ts'

const USERS = Array.from({ length: 8 }, (_, index) => `user-${index}`)

let suites: Suites

beforeAll(async () => {
  suites = await startSuites({ replicas: 2, userIds: USERS })
}, 60_000)
afterAll(() => suites?.close())

describe('F-20, F-24: once an ending call has returned', () => {
  it('no call yields a token that introspects active, in seeded interleavings on two replicas', async () => {
    const seed = seedOfRun()
    for (let round = 0; round < size('interleavings'); round += 1) {
      await interleave(suites, USERS, `${seed}-${round}`)
    }
  }, 3_600_000)

  it('a reactivated user signs in at once, although a replica has cached the old account', async () => {
    const userId = 'user-1'
    for (let round = 0; round < 5; round += 1) {
      const [one, other] = suites.replicas as [Replica, Replica]
      const before = { sid: `before-${round}`, userId, userEpoch: await currentEpoch(suites, userId) }
      const { body: old } = await one.redeem(await other.issueCode(before))
      await accepted(other.manage('PATCH', `/users/${userId}`, { state: 'inactive' }))
      // Both replicas read the account now and cache it as it is.
      expect([await one.isActive(old.access_token), await other.isActive(old.access_token)]).toEqual([
        false,
        false,
      ])
      expect((await one.refresh(old.refresh_token)).status).toBe(400)
      await accepted(other.manage('PATCH', `/users/${userId}`, { state: 'active' }))
      const after = { sid: `after-${round}`, userId, userEpoch: await currentEpoch(suites, userId) }
      expect((await one.redeem(await other.issueCode(after))).status).toBe(200)
      expect(await one.isActive(old.access_token)).toBe(false)
    }
  }, 60_000)

  it('a revoked token is inactive on every replica', async () => {
    const userId = 'user-0'
    for (let round = 0; round < size('revocations'); round += 1) {
      const [one, other] = suites.replicas as [Replica, Replica]
      const session = { sid: `revoked-${round}`, userId, userEpoch: await currentEpoch(suites, userId) }
      const { body } = await one.redeem(await one.issueCode(session))
      expect(await other.isActive(body.access_token)).toBe(true)
      await accepted(one.revoke(body.access_token))
      expect(await other.isActive(body.access_token)).toBe(false)
      expect(await one.isActive(body.access_token)).toBe(false)
    }
  }, 3_600_000)
})
