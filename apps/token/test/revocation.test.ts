import {
  asserted,
  assertionOf,
  basic,
  credentialsOf,
  NO_CREDENTIALS,
  post,
} from '@signet/testing/system/client-credentials'
import { startSystem } from '@signet/testing/system/start-system'
import { POST_LOGOUT_URI, WEB_SECRET } from '@signet/testing/system/test-directory'
import { type Answer, type TestSystem, tokensOf } from '@signet/testing/system/test-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const REVOKE = '/oauth/v2/revoke'
let system: TestSystem
beforeAll(async () => {
  system = await startSystem({ mode: 'in-process' })
}, 60_000)
afterAll(() => system?.stop())

/** RFC 7009 section 2.2: the body means nothing, so there is none. */
function expectRevoked(answer: Answer): void {
  expect(answer.status).toBe(200)
  expect(answer.text).toBe('')
  expect(answer.headers.get('cache-control')).toBe('no-store')
}

async function expectDead(token: string): Promise<void> {
  expect((await system.introspect(token)).text).toBe('{"active":false}')
}

async function expectRefreshDead(clientId: string, token: string): Promise<void> {
  const answer = await system.refresh(clientId, token)
  expect(answer.status).toBe(400)
  expect(answer.json.error).toBe('invalid_grant')
}

describe('the tokens that a revocation ends (RFC 7009 section 2.1)', () => {
  it.each(['web', 'post', 'spa', 'keyed'])(
    '%s revokes a refresh token and every access token of it [F-22]',
    async (clientId) => {
      const first = await system.tokens({ clientId })
      const second = tokensOf(await system.refresh(clientId, first.refresh_token))
      expectRevoked(await system.revoke(clientId, second.refresh_token))
      await expectDead(first.access_token)
      await expectDead(second.access_token)
      await expectRefreshDead(clientId, second.refresh_token)
    },
  )

  it('a refresh token that was rotated away still names its family [F-22]', async () => {
    const first = await system.tokens()
    const second = tokensOf(await system.refresh('web', first.refresh_token))
    expectRevoked(await system.revoke('web', first.refresh_token))
    await expectDead(second.access_token)
    await expectRefreshDead('web', second.refresh_token)
  })

  it('revoking an access token revokes no other token [F-22]', async () => {
    const first = await system.tokens()
    const second = tokensOf(await system.refresh('web', first.refresh_token))
    expectRevoked(await system.revoke('web', first.access_token))
    await expectDead(first.access_token)
    expect(await system.isActive(second.access_token)).toBe(true)
    expect((await system.refresh('web', second.refresh_token)).status).toBe(200)
  })

  it('the grants of other applications in the same browser session stay', async () => {
    const browser = system.newBrowser()
    const web = await system.tokens({ browser })
    const spa = await system.tokens({ browser, clientId: 'spa' })
    expectRevoked(await system.revoke('web', web.refresh_token))
    expect(await system.isActive(spa.access_token)).toBe(true)
  })

  it.each(['access_token', 'refresh_token', 'nonsense'])(
    'token_type_hint=%s changes nothing',
    async (token_type_hint) => {
      const tokens = await system.tokens()
      expectRevoked(await system.revoke('web', tokens.refresh_token, { token_type_hint }))
      await expectDead(tokens.access_token)
    },
  )

  it('returns 200 for repeated revocations (RFC 7009 section 2.2)', async () => {
    const { refresh_token, access_token } = await system.tokens()
    for (const token of [refresh_token, refresh_token, access_token, access_token]) {
      expectRevoked(await system.revoke('web', token))
    }
  })

  it.each(['garbage', 'sgat_x', 'sgrt_a.b.0.c', 'x'.repeat(10_000)])(
    'RFC 7009 section 2.2: an unknown token like %.20j is 200',
    async (token) => {
      expectRevoked(await system.revoke('web', token))
    },
  )
})

describe('a token of another client', () => {
  it.each(['spa', 'post', 'keyed', 'foreign'])(
    '%s gets 400 invalid_grant, and the tokens stay active',
    async (stranger) => {
      const tokens = await system.tokens()
      for (const token of [tokens.access_token, tokens.refresh_token]) {
        const answer = await system.revoke(stranger, token)
        expect(answer.status).toBe(400)
        expect(answer.json).toEqual({ error: 'invalid_grant', error_description: expect.any(String) })
      }
      expect(await system.isActive(tokens.access_token)).toBe(true)
      expect((await system.refresh('web', tokens.refresh_token)).status).toBe(200)
    },
  )
})

describe('RFC 7009 section 2.2.1: refusals', () => {
  it.each([
    ['a wrong secret by Basic', () => basic('web', 'wrong'), true],
    ['a wrong secret by POST', () => post('post', 'wrong'), false],
    ['no authentication', () => NO_CREDENTIALS, false],
    ['an assertion that is none', () => asserted('a.b.c'), false],
  ])('%s: 401 invalid_client, and the token stays active', async (_, credentials, challenged) => {
    const { access_token } = await system.tokens()
    const answer = await system.post(REVOKE, { token: access_token }, credentials())
    expect(answer.status).toBe(401)
    expect(answer.json).toEqual({ error: 'invalid_client', error_description: expect.any(String) })
    expect(answer.headers.get('www-authenticate') !== null).toBe(challenged)
    expect(await system.isActive(access_token)).toBe(true)
  })

  it.each([
    ['no token', []],
    [
      'two tokens [F-09]',
      [
        ['token', 'a'],
        ['token', 'b'],
      ],
    ],
    [
      'two client authentication methods [F-10]',
      [
        ['token', 'a'],
        ['client_secret', WEB_SECRET],
      ],
    ],
  ])('%s: 400 invalid_request', async (_, pairs) => {
    const answer = await system.post(REVOKE, pairs, await credentialsOf('web', system.issuer))
    expect(answer.status).toBe(400)
    expect(answer.json.error).toBe('invalid_request')
  })

  it('the audience of an assertion may be this endpoint, and it works once [F-11]', async () => {
    const credentials = asserted(await assertionOf(`${system.issuer}${REVOKE}`))
    expectRevoked(await system.post(REVOKE, { token: 'x' }, credentials))
    expect((await system.post(REVOKE, { token: 'x' }, credentials)).status).toBe(401)
  })

  it('RFC 7009 section 2: only POST', async () => {
    expect((await system.fetch(`${REVOKE}?token=x`)).status).toBe(405)
  })
})

describe('logout: the end of a browser session ends its tokens', () => {
  const signOut = (idToken: string) =>
    `/oidc/v1/end_session?${new URLSearchParams({ id_token_hint: idToken, post_logout_redirect_uri: POST_LOGOUT_URI })}`

  it('access and refresh tokens of every application die with it', async () => {
    const browser = system.newBrowser()
    const web = await system.tokens({ browser })
    const spa = await system.tokens({ browser, clientId: 'spa' })
    const elsewhere = await system.tokens()
    const page = await browser.open(signOut(web.id_token))
    expect(page.headers.get('location')).toBe(POST_LOGOUT_URI)
    await expectDead(web.access_token)
    await expectDead(spa.access_token)
    await expectRefreshDead('web', web.refresh_token)
    await expectRefreshDead('spa', spa.refresh_token)
    expect(await system.isActive(elsewhere.access_token)).toBe(true)
  })

  it('refuses a code that was not redeemed before the sign-out', async () => {
    const browser = system.newBrowser()
    const { id_token } = await system.tokens({ browser })
    const code = await system.code({ browser })
    await browser.open(signOut(id_token))
    const answer = await system.redeem(code)
    expect(answer.status).toBe(400)
    expect(answer.json.error).toBe('invalid_grant')
  })

  it('refreshTokensSurviveLogout: only tokens with offline_access stay valid', async () => {
    const browser = system.newBrowser()
    const offline = await system.tokens({ browser, clientId: 'keeping' })
    const online = await system.tokens({ browser, clientId: 'keeping', scope: 'openid' })
    await browser.open(signOut(offline.id_token))
    await expectDead(online.access_token)
    expect(await system.isActive(offline.access_token)).toBe(true)
    expect((await system.refresh('keeping', offline.refresh_token)).status).toBe(200)
  })
})
