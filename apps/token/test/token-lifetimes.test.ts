import { createFakeClock } from '@signet/testing/fake-clock'
import {
  createOAuthEnvironment,
  OAUTH_SYSTEM,
  type OAuthEnvironment,
} from '@signet/testing/system/oauth-environment'
import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const clock = createFakeClock()
let environment: OAuthEnvironment
beforeAll(async () => {
  environment = createOAuthEnvironment(await startSystem({ ...OAUTH_SYSTEM, clock }))
})
afterAll(() => environment?.stop())

describe('the life of a code [F-06] [fapi.server.code-lifetime]', () => {
  it('ends after 60 seconds and not before', async () => {
    const [early, late] = [await environment.code(), await environment.code()]
    clock.advance(59_000)
    expect((await environment.redeem(early)).status).toBe(200)
    clock.advance(1_000)
    expect(await environment.redeem(late)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } })
  })

  it('RFC 6749 section 4.1.2: replayed 30 seconds later it revokes, once it has expired it does not', async () => {
    const [replayed, expired] = [await environment.code(), await environment.code()]
    const tokens = [await environment.redeem(replayed), await environment.redeem(expired)].map(({ json }) =>
      String(json.access_token),
    )
    clock.advance(30_000)
    expect((await environment.redeem(replayed)).status).toBe(400)
    clock.advance(30_000)
    expect((await environment.redeem(expired)).status).toBe(400)
    const active = await Promise.all(
      tokens.map(async (token) => (await environment.introspect(token)).json.active),
    )
    expect(active).toEqual([false, true])
  })

  it('limits: the longest nonce fits, more than a code can carry is refused to the login service', async () => {
    expect((await environment.redeem(await environment.code({ nonce: 'n'.repeat(512) }))).status).toBe(200)
    const scopes = Array.from({ length: 40 }, (_, n) => `urn:service:iam:org:project:role:a-long-name-${n}`)
    await expect(environment.code({ scope: ['openid', ...scopes].join(' ') })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
  })

  it('for an application that is unknown there is none', async () => {
    await expect(environment.code({ clientId: 'nobody' })).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
    })
  })
})

describe('the life of an access token', () => {
  it('expires_in is exact', async () => {
    const { json } = await environment.redeem(await environment.code())
    expect(json.expires_in).toBe(3_600)
    const token = String(json.access_token)
    clock.advance(3_599_000)
    expect((await environment.introspect(token)).json.active).toBe(true)
    clock.advance(1_000)
    expect((await environment.introspect(token)).json).toEqual({ active: false })
  })

  it('a sealing key that is a day old seals no more and opens its tokens', async () => {
    const { json } = await environment.redeem(await environment.code({ scope: 'openid offline_access' }))
    clock.advance(24 * 3_600_000)
    // The key service looks at its rings once a second; leases follow.
    const kidOf = (token: unknown) =>
      JSON.parse(Buffer.from(String(token).slice(5).split('.')[0] ?? '', 'base64url').toString()).kid.split(
        '.',
      )[0]
    const before = kidOf(json.access_token)
    await expect
      .poll(async () => kidOf((await environment.redeem(await environment.code())).json.access_token), {
        timeout: 10_000,
      })
      .not.toBe(before)
    expect((await environment.refresh(json.refresh_token)).status).toBe(200)
  })
})

describe('revocation does not wait for caches', () => {
  it('refuses the code and refresh token of a user whose epoch was raised', async () => {
    const code = await environment.code({ userId: 'bob', scope: 'openid offline_access' })
    const { json } = await environment.redeem(
      await environment.code({ userId: 'bob', scope: 'openid offline_access' }),
    )
    await environment.database.query({
      name: '',
      text: `UPDATE directory.account SET token_epoch = token_epoch + 1 WHERE user_id = 'bob'`,
    })
    for (const answer of [await environment.redeem(code), await environment.refresh(json.refresh_token)]) {
      expect(answer).toMatchObject({ status: 400, json: { error: 'invalid_grant' } })
    }
    await expect.poll(async () => (await environment.introspect(json.access_token)).json.active).toBe(false)
  })
})
