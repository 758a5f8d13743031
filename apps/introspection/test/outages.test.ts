import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTokenWorld, type TokenWorld } from '../../token/test/fixtures/token-world.ts'

let world: TokenWorld
let alive: string
let revoked: string
beforeAll(async () => {
  world = await startTokenWorld()
  const token = async () => String((await world.redeem(await world.issueCode())).json.access_token)
  alive = await token()
  revoked = await token()
  await world.post('token', '/oauth/v2/revoke', { client_id: 'spa', token: revoked })
})
afterAll(() => world?.stop())

const activeOf = async (token: string) => (await world.introspect(token)).json.active

it('with everything available: distinguishes active from revoked tokens [F-24]', async () => {
  expect([await activeOf(alive), await activeOf(revoked)]).toEqual([true, false])
})

it('without Redis PostgreSQL distinguishes active from revoked tokens [F-24]', async () => {
  world.redis.cut()
  expect([await activeOf(alive), await activeOf(revoked)]).toEqual([true, false])
})

it('without both: no token is reported active: 503 with Retry-After [F-24]', async () => {
  await world.database.cut()
  for (const token of [alive, revoked]) {
    const answer = await world.introspect(token)
    expect(answer.json.active).not.toBe(true)
    if (token === alive) {
      expect(answer).toMatchObject({ status: 503, json: { error: 'temporarily_unavailable' } })
      expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
    }
  }
})
