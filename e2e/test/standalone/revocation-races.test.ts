import { size } from '@signet/testing/sizes'
import type { InProcessSystem } from '@signet/testing/system/in-process-system'
import { oauthDirectory } from '@signet/testing/system/oauth-directory'
import {
  createOAuthEnvironments,
  OAUTH_SYSTEM,
  type OAuthEnvironment,
} from '@signet/testing/system/oauth-environment'
import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accepted, interleave, seedOfRun, sessionOf } from './interleavings.ts'

const USERS = Array.from({ length: 8 }, (_, index) => `user-${index}`)

let system: InProcessSystem
let replicas: readonly [OAuthEnvironment, OAuthEnvironment]

beforeAll(async () => {
  system = await startSystem({ ...OAUTH_SYSTEM, document: oauthDirectory(USERS), replicas: 2 })
  replicas = createOAuthEnvironments(system) as [OAuthEnvironment, OAuthEnvironment]
}, 60_000)
afterAll(() => system?.stop())

describe('once an ending call has returned [F-20] [F-24]', () => {
  it('no call yields a token that introspects active, in seeded interleavings on two replicas', async () => {
    const seed = seedOfRun()
    for (let round = 0; round < size('interleavings'); round += 1) {
      await interleave(replicas, USERS, `${seed}-${round}`)
    }
  }, 3_600_000)

  it('a reactivated user signs in at once, although a replica has cached the old account', async () => {
    const userId = 'user-1'
    for (let round = 0; round < 5; round += 1) {
      const [one, other] = replicas
      const before = await sessionOf(one, `before-${round}`, userId)
      const { json: old } = await one.redeem(await other.code(before))
      await accepted(other.manage('PATCH', `/management/v1/users/${userId}`, { state: 'inactive' }))
      // Both replicas read the account now and cache it as it is.
      expect([await one.isActive(old.access_token), await other.isActive(old.access_token)]).toEqual([
        false,
        false,
      ])
      expect((await one.refresh(old.refresh_token)).status).toBe(400)
      await accepted(other.manage('PATCH', `/management/v1/users/${userId}`, { state: 'active' }))
      const after = await sessionOf(one, `after-${round}`, userId)
      expect((await one.redeem(await other.code(after))).status).toBe(200)
      expect(await one.isActive(old.access_token)).toBe(false)
    }
  }, 60_000)

  it('a revoked token is inactive on every replica', async () => {
    const userId = 'user-0'
    for (let round = 0; round < size('revocations'); round += 1) {
      const [one, other] = replicas
      const session = await sessionOf(one, `revoked-${round}`, userId)
      const { json } = await one.redeem(await one.code(session))
      expect(await other.isActive(json.access_token)).toBe(true)
      await accepted(one.revoke(json.access_token))
      expect(await other.isActive(json.access_token)).toBe(false)
      expect(await one.isActive(json.access_token)).toBe(false)
    }
  }, 3_600_000)
})
