import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTokenWorld, type TokenWorld } from '../../token/test/fixtures/token-world.ts'

let world: TokenWorld
beforeAll(async () => {
  world = await startTokenWorld()
})
afterAll(() => world?.stop())

it('responds without PostgreSQL for a limited time, and reports the age of its data', async () => {
  const issue = async () => String((await world.redeem(await world.issueCode())).json.access_token)
  const [alive, revoked] = [await issue(), await issue()]
  await world.post('token', '/oauth/v2/revoke', { client_id: 'spa', token: revoked })
  const fresh = await world.introspect(alive)
  expect([fresh.json.active, fresh.headers.get('signet-revocation-age')]).toEqual([true, null])
  await world.database.cut()
  await expect
    .poll(async () => {
      const { json, headers } = await world.introspect(alive)
      return [json.active, Number(headers.get('signet-revocation-age')) > 2]
    })
    .toEqual([true, true])
  expect((await world.introspect(revoked)).json.active).toBe(false)
})
