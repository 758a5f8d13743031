import type { InProcessSystem } from '@signet/testing/system/in-process-system'
import { oauthDirectory } from '@signet/testing/system/oauth-directory'
import {
  createOAuthEnvironments,
  OAUTH_SYSTEM,
  type OAuthEnvironment,
} from '@signet/testing/system/oauth-environment'
import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { interleave, seedOfRun } from './interleavings.ts'

const USERS = ['user-0', 'user-1', 'user-2']
const INTERLEAVINGS = 20

let system: InProcessSystem
let replicas: readonly [OAuthEnvironment, OAuthEnvironment]
beforeAll(async () => {
  system = await startSystem({ ...OAUTH_SYSTEM, document: oauthDirectory(USERS), replicas: 2, pooled: true })
  replicas = createOAuthEnvironments(system) as [OAuthEnvironment, OAuthEnvironment]
}, 60_000)
afterAll(() => system?.stop())

describe('through PgBouncer in transaction mode, named statements off', () => {
  it('one of 100 parallel redemptions succeeds', async () => {
    const [one, other] = replicas
    const code = await one.code({ sid: 'pooled', userId: 'user-0' })
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? one : other).redeem(code)),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  it('ended tokens stay ended [F-20]', async () => {
    for (let round = 0; round < INTERLEAVINGS; round += 1)
      await interleave(replicas, USERS, `${seedOfRun()}-${round}`)
  }, 600_000)
})
