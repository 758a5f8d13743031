import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTokenEnvironment, type TokenEnvironment } from '../../token/test/fixtures/token-environment.ts'

let environment: TokenEnvironment
let alive: string
let revoked: string
beforeAll(async () => {
  environment = await startTokenEnvironment()
  const token = async () =>
    String((await environment.redeem(await environment.issueCode())).json.access_token)
  alive = await token()
  revoked = await token()
  await environment.post('token', '/oauth/v2/revoke', { client_id: 'spa', token: revoked })
})
afterAll(() => environment?.stop())

const activeOf = async (token: string) => (await environment.introspect(token)).json.active

it('with everything available: distinguishes active from revoked tokens [F-24]', async () => {
  expect([await activeOf(alive), await activeOf(revoked)]).toEqual([true, false])
})

it('without Redis PostgreSQL distinguishes active from revoked tokens [F-24]', async () => {
  environment.redis.cut()
  expect([await activeOf(alive), await activeOf(revoked)]).toEqual([true, false])
})

it('without both: no token is reported active: 503 with Retry-After [F-24]', async () => {
  await environment.database.cut()
  for (const token of [alive, revoked]) {
    const answer = await environment.introspect(token)
    expect(answer.json.active).not.toBe(true)
    if (token === alive) {
      expect(answer).toMatchObject({ status: 503, json: { error: 'temporarily_unavailable' } })
      expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
    }
  }
})
