import { randomBytes } from 'node:crypto'
import { startSystem } from '@signet/testing/system/start-system'
import { REDIRECT_URI } from '@signet/testing/system/test-directory'
import { type Answer, type TestSystem, tokensOf } from '@signet/testing/system/test-system'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let system: TestSystem
beforeAll(async () => {
  system = await startSystem({ mode: 'in-process' })
}, 60_000)
afterAll(() => system?.stop())

function expectRefused(answer: Answer, error: string): void {
  expect(answer.json).toEqual({ error, error_description: expect.any(String) })
  expect(answer.status).toBe(400)
  expect(answer.headers.get('cache-control')).toBe('no-store')
}

describe('the token response (RFC 6749 section 5.1)', () => {
  it('authorization_code: exactly these members, no-store', async () => {
    const answer = await system.redeem(await system.code({ scope: 'openid email' }))
    expect(answer.status).toBe(200)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    expect(answer.json).toEqual({
      access_token: expect.stringMatching(/^sgat_/),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'openid email',
      id_token: expect.any(String),
    })
  })

  it('authorization_code: refresh_token only with offline_access', async () => {
    const answer = await system.redeem(await system.code({ scope: 'openid offline_access' }))
    expect(answer.json.refresh_token).toMatch(/^sgrt_/)
    expect(Object.keys(answer.json)).toHaveLength(6)
  })

  it('offline_access gives no refresh token to a client without the refresh_token grant', async () => {
    const answer = await system.redeem(
      await system.code({ clientId: 'no-refresh', scope: 'openid offline_access' }),
    )
    expect(answer.status).toBe(200)
    expect(answer.json).not.toHaveProperty('refresh_token')
    expect(answer.json.scope).toBe('openid')
  })

  it('drops unknown scopes and returns the granted ones', async () => {
    const answer = await system.redeem(await system.code({ scope: 'email openid telepathy' }))
    expect(answer.json.scope).toBe('email openid')
  })
})

describe('OIDC Core section 2: the ID token', () => {
  const verified = async (idToken: string, audience: string) =>
    jwtVerify(idToken, createRemoteJWKSet(new URL(`${system.issuer}/oauth/v2/keys`)), {
      issuer: system.issuer,
      audience,
    })

  it('carries exactly the claims of an ID token and no claim of the scopes', async () => {
    const before = Math.floor(Date.now() / 1000)
    const tokens = tokensOf(
      await system.redeem(
        await system.code({
          scope: 'openid profile email phone address',
          parameters: { nonce: 'n-0S6_WzA2Mj' },
        }),
      ),
    )
    const { payload, protectedHeader } = await verified(tokens.id_token, 'web')
    expect(payload).toEqual({
      iss: system.issuer,
      sub: 'alice',
      aud: 'web',
      azp: 'web',
      iat: expect.any(Number),
      exp: (payload.iat ?? 0) + 3600,
      auth_time: expect.any(Number),
      amr: ['pwd'],
      acr: 'urn:service:acr:pwd',
      jti: expect.any(String),
      sid: expect.any(String),
      nonce: 'n-0S6_WzA2Mj',
      at_hash: expect.stringMatching(/^[\w-]{22}$/),
    })
    expect(payload.auth_time).toBeGreaterThanOrEqual(before)
    expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'JWT', kid: expect.any(String) })
  })

  it('id_token_userinfo_assertion: carries the claims of the scopes, signed as registered', async () => {
    const code = await system.code({ clientId: 'asserting', scope: 'openid email phone' })
    const { payload, protectedHeader } = await verified(
      tokensOf(await system.redeem(code)).id_token,
      'asserting',
    )
    expect(protectedHeader.alg).toBe('ES256')
    expect(payload).toMatchObject({
      email: 'alice@acme.localhost',
      email_verified: true,
      phone_number: '+41791234567',
      phone_number_verified: false,
    })
    expect(payload).not.toHaveProperty('name')
  })

  it('is no access token [F-25]', async () => {
    const { id_token } = await system.tokens()
    expect((await system.introspect(id_token)).json).toEqual({ active: false })
    const answer = await system.fetch('/oidc/v1/userinfo', {
      headers: { authorization: `Bearer ${id_token}` },
    })
    expect(answer.status).toBe(401)
  })
})

describe('a code is bound to client, redirect URI and verifier (RFC 6749 section 4.1.3)', () => {
  it.each([
    ['another address', 'https://app.example.com/other'],
    ['a longer path', `${REDIRECT_URI}/`],
    ['another case', 'https://APP.example.com/callback'],
    ['an encoded variant', 'https://app.example.com/%63allback'],
    ['a query', `${REDIRECT_URI}?x=1`],
  ])('redirect_uri is %s: invalid_grant, and the code is still good [F-07]', async (_, redirect_uri) => {
    const code = await system.code()
    expectRefused(await system.redeem(code, { redirect_uri }), 'invalid_grant')
    expect((await system.redeem(code)).status).toBe(200)
  })

  it('another client does not get it and does not consume it [F-07]', async () => {
    const code = await system.code()
    for (const thief of ['post', 'spa', 'keyed']) {
      expectRefused(await system.redeem({ ...code, clientId: thief }), 'invalid_grant')
    }
    expect((await system.redeem(code)).status).toBe(200)
  })

  it.each([
    [
      'a changed character',
      (code: string) => `${code.slice(0, -2)}${code.at(-2) === 'A' ? 'B' : 'A'}${code.at(-1)}`,
    ],
    ['a cut end', (code: string) => code.slice(0, -1)],
    ['an access token', async () => (await system.tokens()).access_token],
  ])('a code with %s is invalid_grant', async (_, change) => {
    const issued = await system.code()
    expectRefused(await system.redeem({ ...issued, code: await change(issued.code) }), 'invalid_grant')
  })
})

describe('RFC 7636 section 4.6: PKCE', () => {
  it.each(['web', 'spa'])(
    '%s with a wrong verifier: invalid_grant, and the code is still good [F-02]',
    async (clientId) => {
      const code = await system.code({ clientId })
      const wrong = randomBytes(32).toString('base64url')
      expectRefused(await system.redeem(code, { code_verifier: wrong }), 'invalid_grant')
      expect((await system.redeem(code)).status).toBe(200)
    },
  )

  it.each(['web', 'spa'])('%s without the verifier: invalid_request [F-03]', async (clientId) => {
    const code = await system.code({ clientId })
    expectRefused(await system.redeem(code, { code_verifier: '' }), 'invalid_request')
    expect((await system.redeem(code)).status).toBe(200)
  })

  it('a verifier without a challenge: invalid_request, without one the code is good [F-03]', async () => {
    const code = { clientId: 'web', code: (await system.signIn()).get('code') ?? '', verifier: '' }
    const surplus = randomBytes(32).toString('base64url')
    expectRefused(await system.redeem(code, { code_verifier: surplus }), 'invalid_request')
    expect((await system.redeem(code)).status).toBe(200)
  })

  it.each(['short', 'x'.repeat(129), `${'x'.repeat(42)}!`])(
    'a verifier like %j: invalid_request',
    async (verifier) => {
      expectRefused(await system.redeem(await system.code(), { code_verifier: verifier }), 'invalid_request')
    },
  )
})

describe('RFC 6749 section 4.1.2: a code works once', () => {
  it('refuses a valid replay and revokes the tokens of the first use [F-05] [fapi.flow.code-once]', async () => {
    const code = await system.code({ scope: 'openid offline_access' })
    const tokens = tokensOf(await system.redeem(code))
    expect(await system.isActive(tokens.access_token)).toBe(true)
    expectRefused(await system.redeem(code), 'invalid_grant')
    expect((await system.introspect(tokens.access_token)).json).toEqual({ active: false })
    expectRefused(await system.refresh('web', tokens.refresh_token), 'invalid_grant')
  })

  it('an invalid replay revokes nothing [F-05]', async () => {
    const code = await system.code({ scope: 'openid offline_access' })
    const tokens = tokensOf(await system.redeem(code))
    await system.redeem({ ...code, clientId: 'spa' })
    await system.redeem(code, { redirect_uri: 'https://app.example.com/other' })
    await system.redeem(code, { code_verifier: randomBytes(32).toString('base64url') })
    await system.redeem(code, { code_verifier: '' })
    expect(await system.isActive(tokens.access_token)).toBe(true)
    expect((await system.refresh('web', tokens.refresh_token)).status).toBe(200)
  })

  it('a code is opaque and has at most 2,000 characters (RFC 9700 section 4.5) [F-06]', async () => {
    const scope = `openid ${Array.from({ length: 8 }, (_, n) => `urn:service:iam:org:project:role:role-${n}`).join(' ')}`
    const { code } = await system.code({ scope, parameters: { nonce: 'n'.repeat(512) } })
    expect(code).toMatch(/^sgco_[\w.-]+$/)
    expect(code.length).toBeLessThanOrEqual(2_000)
    const [header = ''] = code.slice('sgco_'.length).split('.')
    expect(Object.keys(JSON.parse(Buffer.from(header, 'base64url').toString()))).toEqual([
      'alg',
      'enc',
      'kid',
      'typ',
    ])
  })
})
