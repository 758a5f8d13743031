import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTokenEnvironment, type TokenEnvironment } from '../../token/test/fixtures/token-environment.ts'

let environment: TokenEnvironment
beforeAll(async () => {
  environment = await startTokenEnvironment()
})
afterAll(() => environment?.stop())

it('responds without PostgreSQL for a limited time, and reports the age of its data', async () => {
  const issue = async () =>
    String((await environment.redeem(await environment.issueCode())).json.access_token)
  const [alive, revoked] = [await issue(), await issue()]
  await environment.post('token', '/oauth/v2/revoke', { client_id: 'spa', token: revoked })
  const fresh = await environment.introspect(alive)
  expect([fresh.json.active, fresh.headers.get('signet-revocation-age')]).toEqual([true, null])
  await environment.database.cut()
  await expect
    .poll(async () => {
      const { json, headers } = await environment.introspect(alive)
      return [json.active, Number(headers.get('signet-revocation-age')) > 2]
    })
    .toEqual([true, true])
  expect((await environment.introspect(revoked)).json.active).toBe(false)
})
