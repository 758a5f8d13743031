import { size } from '@signet/testing/sizes'
import type { InProcessSystem } from '@signet/testing/system/in-process-system'
import {
  createOAuthEnvironments,
  OAUTH_SYSTEM,
  type OAuthEnvironment,
} from '@signet/testing/system/oauth-environment'
import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const PARALLEL_REDEMPTIONS = 100
const PARALLEL_REFRESHES = 50

let system: InProcessSystem
let replicas: readonly OAuthEnvironment[]
beforeAll(async () => {
  system = await startSystem({ ...OAUTH_SYSTEM, replicas: 2 })
  replicas = createOAuthEnvironments(system)
}, 60_000)
afterAll(() => system?.stop())

const replicaOf = (index: number) => replicas[index % replicas.length] as OAuthEnvironment
const sessionOf = (sid: string) => ({ sid, scope: 'openid offline_access' })

async function newTokens(sid: string) {
  const { status, json } = await replicaOf(0).redeem(await replicaOf(1).code(sessionOf(sid)))
  expect(status).toBe(200)
  return json
}

describe('an authorization code [F-05]', () => {
  it(`of ${PARALLEL_REDEMPTIONS} parallel redemptions on two replicas exactly one succeeds`, async () => {
    for (let round = 0; round < size('racedCodes'); round += 1) {
      const code = await replicaOf(round).code(sessionOf(`race-${round}`))
      const answers = await Promise.all(
        Array.from({ length: PARALLEL_REDEMPTIONS }, (_, index) => replicaOf(index).redeem(code)),
      )
      const won = answers.filter(({ status }) => status === 200)
      expect(won).toHaveLength(1)
      // The losers were valid replays, so what the winner got has ended.
      expect(await replicaOf(round).isActive(won[0]?.json.access_token ?? '')).toBe(false)
    }
  }, 3_600_000)

  it('RFC 6749 section 4.1.2: a valid replay ends the grant, an invalid one does not', async () => {
    const code = await replicaOf(0).code(sessionOf('replay'))
    const { json } = await replicaOf(0).redeem(code)
    const damaged = `${code.slice(0, -4)}AAAA`
    expect((await replicaOf(1).redeem(damaged)).status).toBe(400)
    expect(await replicaOf(1).isActive(json.access_token)).toBe(true)
    expect((await replicaOf(1).redeem(code)).status).toBe(400)
    expect(await replicaOf(0).isActive(json.access_token)).toBe(false)
    expect((await replicaOf(0).refresh(json.refresh_token)).status).toBe(400)
  })
})

describe('a refresh token [F-19]', () => {
  it(`presented ${PARALLEL_REFRESHES} times at once has one successor, byte for byte the same`, async () => {
    for (let round = 0; round < size('racedFamilies'); round += 1) {
      const { refresh_token } = await newTokens(`refresh-${round}`)
      const answers = await Promise.all(
        Array.from({ length: PARALLEL_REFRESHES }, (_, index) => replicaOf(index).refresh(refresh_token)),
      )
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
      expect(new Set(answers.map(({ json }) => json.refresh_token)).size).toBe(1)
      expect(new Set(answers.map(({ json }) => json.access_token)).size).toBe(PARALLEL_REFRESHES)
    }
  }, 3_600_000)

  it('older than the predecessor ends its family', async () => {
    const first = await newTokens('reuse')
    const second = (await replicaOf(0).refresh(first.refresh_token)).json
    const third = (await replicaOf(1).refresh(second.refresh_token)).json
    expect((await replicaOf(0).refresh(first.refresh_token)).status).toBe(400)
    expect((await replicaOf(1).refresh(third.refresh_token)).status).toBe(400)
    expect(await replicaOf(1).isActive(third.access_token)).toBe(false)
  })
})
