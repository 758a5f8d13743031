import {
  asserted,
  assertionOf,
  basic,
  type ClientCredentials,
  credentialsOf,
  JWT_BEARER,
  NO_CREDENTIALS,
  post,
  publicClient,
} from '@signet/testing/system/client-credentials'
import { startSystem } from '@signet/testing/system/start-system'
import { OTHER_SECRET, REDIRECT_URI, WEB_SECRET } from '@signet/testing/system/test-directory'
import type { Answer, TestSystem } from '@signet/testing/system/test-system'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const TOKEN = '/oauth/v2/token'
let system: TestSystem

beforeAll(async () => {
  system = await startSystem({ mode: 'in-process' })
}, 60_000)
afterAll(() => system?.stop())

/** RFC 6749 section 5.2: the shape of every refusal. */
function expectError(answer: Answer, status: number, error: string): void {
  expect(answer.json).toEqual({
    error,
    error_description: expect.stringMatching(/^[\x20\x21\x23-\x5B\x5D-\x7E]+$/),
  })
  expect(answer.status).toBe(status)
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
}

const codeForm = { grant_type: 'authorization_code', code: 'sgco_x', redirect_uri: REDIRECT_URI }

describe('RFC 6749 section 5.2: malformed requests', () => {
  it.each([
    ['grant_type is missing', { code: 'x' }, 'invalid_request'],
    ['grant_type is empty', { grant_type: '' }, 'invalid_request'],
    ['grant_type is unknown', { grant_type: 'telepathy' }, 'unsupported_grant_type'],
    [
      'the grant_type is password [F-04]',
      { grant_type: 'password', username: 'alice', password: 'x' },
      'unsupported_grant_type',
    ],
    ['the grant_type is implicit', { grant_type: 'implicit' }, 'unsupported_grant_type'],
    ['code is missing', { ...codeForm, code: '' }, 'invalid_request'],
    ['redirect_uri is missing', { ...codeForm, redirect_uri: '' }, 'invalid_request'],
    ['refresh_token is missing', { grant_type: 'refresh_token' }, 'invalid_request'],
    ['code is garbage', codeForm, 'invalid_grant'],
    ['refresh_token is garbage', { grant_type: 'refresh_token', refresh_token: 'sgrt_x' }, 'invalid_grant'],
  ])('refuses a request where %s [fapi.server.no-password-grant]', async (_, form, error) => {
    expectError(await system.post(TOKEN, form, await credentialsOf('web', system.issuer)), 400, error)
  })

  it.each([{}, { refresh_token: '' }, { refresh_token: 'undefined' }])(
    'says how to get a refresh token when %j holds none',
    async (form) => {
      const answer = await system.post(
        TOKEN,
        { grant_type: 'refresh_token', ...form },
        await credentialsOf('web', system.issuer),
      )
      expect(answer.json.error_description).toContain('offline_access')
    },
  )

  it.each(['grant_type', 'code', 'redirect_uri', 'code_verifier', 'client_id'])(
    '%s is repeated [F-09]',
    async (name) => {
      const pairs = [...Object.entries(codeForm), [name, 'a'], [name, 'a']]
      expectError(
        await system.post(TOKEN, pairs, await credentialsOf('web', system.issuer)),
        400,
        'invalid_request',
      )
    },
  )

  it.each(['extra', 'resource', 'utm_source'])('ignores a repeated %s (RFC 8707 section 2)', async (name) => {
    const { headers, form } = await credentialsOf('web', system.issuer)
    const pairs = [
      ...Object.entries({ ...codeForm, ...form }),
      [name, 'https://a.test'],
      [name, 'https://b.test'],
    ]
    expectError(await system.post(TOKEN, pairs, { headers, form: {} }), 400, 'invalid_grant')
  })

  it('RFC 6749 section 3.2: unknown parameters are ignored', async () => {
    const answer = await system.redeem(await system.code(), { extra: 'foobar' })
    expect(answer.status).toBe(200)
  })

  it('RFC 6749 section 3.2: parameters in the query do not count', async () => {
    const answer = await system.post(
      `${TOKEN}?${new URLSearchParams(codeForm)}`,
      {},
      await credentialsOf('web', system.issuer),
    )
    expectError(answer, 400, 'invalid_request')
  })

  it.each([
    ['JSON', 'application/json', JSON.stringify(codeForm)],
    ['text', 'text/plain', 'grant_type=authorization_code'],
  ])('token endpoint: a body of %s is refused', async (_, type, body) => {
    const { headers } = await credentialsOf('web', system.issuer)
    const answer = await system.fetch(TOKEN, {
      method: 'POST',
      body,
      headers: { ...headers, 'content-type': type },
    })
    expectError(answer, 400, 'invalid_request')
  })

  it('limits: a form over 64 KiB is refused', async () => {
    const form = { ...codeForm, extra: 'x'.repeat(70_000) }
    expectError(
      await system.post(TOKEN, form, await credentialsOf('web', system.issuer)),
      413,
      'invalid_request',
    )
  })

  it('RFC 6749 section 3.2: only POST, and the question of a browser whether it may', async () => {
    const answer = await system.fetch(`${TOKEN}?grant_type=authorization_code`)
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')?.split(', ').toSorted()).toEqual(['OPTIONS', 'POST'])
    expect(answer.json.error).toBe('invalid_request')
  })
})

describe('client authentication: one method each', () => {
  it.each(['web', 'post', 'spa', 'keyed'])('%s gets tokens with its method', async (clientId) => {
    const answer = await system.redeem(await system.code({ clientId }))
    expect(answer.json).toMatchObject({ token_type: 'Bearer' })
  })

  it('RFC 6749 section 2.3.1: client_id beside Basic may be repeated in the body', async () => {
    expect((await system.redeem(await system.code(), { client_id: 'web' })).status).toBe(200)
  })

  it.each(['the issuer', 'the token endpoint'])('private_key_jwt with %s as audience', async (which) => {
    const audience = which === 'the issuer' ? system.issuer : `${system.issuer}${TOKEN}`
    const code = await system.code({ clientId: 'keyed' })
    expect((await system.redeem(code, {}, asserted(await assertionOf(audience)))).status).toBe(200)
  })

  it('an assertion works once [F-11]', async () => {
    const credentials = asserted(await assertionOf(system.issuer))
    expect((await system.redeem(await system.code({ clientId: 'keyed' }), {}, credentials)).status).toBe(200)
    expectError(
      await system.redeem(await system.code({ clientId: 'keyed' }), {}, credentials),
      401,
      'invalid_client',
    )
  })

  it('an assertion that was used at revocation is used at the token endpoint too [F-11]', async () => {
    const credentials = asserted(await assertionOf(system.issuer))
    expect((await system.post('/oauth/v2/revoke', { token: 'x' }, credentials)).status).toBe(200)
    expectError(await system.post(TOKEN, codeForm, credentials), 401, 'invalid_client')
  })
})

describe('token endpoint errors: invalid_client', () => {
  const cases: [string, () => ClientCredentials | Promise<ClientCredentials>, boolean][] = [
    ['a wrong secret by Basic', () => basic('web', 'wrong'), true],
    ['a wrong secret by POST', () => post('post', 'wrong'), false],
    ['an unknown client by Basic', () => basic('nobody', 'x'), true],
    ['an unknown client by POST', () => post('nobody', 'x'), false],
    ['an unknown public client', () => publicClient('nobody'), false],
    ['no authentication at all', () => NO_CREDENTIALS, false],
    ['no secret of a client that has one', () => publicClient('web'), false],
    ['Basic by a client registered for POST', () => basic('post', OTHER_SECRET), true],
    ['POST by a client registered for Basic', () => post('web', WEB_SECRET), false],
    ['a secret by a public client', () => post('spa', 'anything'), false],
    ['a Bearer header', () => ({ headers: { authorization: 'Bearer abc' }, form: {} }), true],
    [
      'an assertion for somebody else',
      async () => asserted(await assertionOf('https://other.example.com')),
      false,
    ],
    [
      'an assertion that has expired',
      async () => asserted(await assertionOf(system.issuer, { iat: 1, exp: 60 })),
      false,
    ],
    [
      'an assertion of another client',
      async () => asserted(await assertionOf(system.issuer, { iss: 'web', sub: 'web' })),
      false,
    ],
    [
      'an assertion under the client secret as HMAC key [F-26]',
      async () => {
        const now = Math.floor(Date.now() / 1000)
        const forged = await new SignJWT({
          iss: 'web',
          sub: 'web',
          aud: system.issuer,
          iat: now,
          exp: now + 60,
        })
          .setProtectedHeader({ alg: 'HS256' })
          .sign(new TextEncoder().encode(WEB_SECRET))
        return asserted(forged)
      },
      false,
    ],
    ['an assertion that is none', () => asserted('a.b.c'), false],
  ]

  it.each(cases)('%s: 401, challenged only if the header was tried', async (_, credentials, challenged) => {
    const answer = await system.post(TOKEN, codeForm, await credentials())
    expectError(answer, 401, 'invalid_client')
    expect(answer.headers.get('www-authenticate')).toEqual(
      challenged ? expect.stringMatching(/^Basic realm=/) : null,
    )
  })
})

describe('more than one client authentication method is invalid_request [F-10]', () => {
  const both = (...all: readonly ClientCredentials[]): ClientCredentials => ({
    headers: Object.assign({}, ...all.map(({ headers }) => headers)),
    form: Object.assign({}, ...all.map(({ form }) => form)),
  })
  const cases: [string, () => ClientCredentials][] = [
    ['Basic and POST', () => both(basic('web', WEB_SECRET), post('web', WEB_SECRET))],
    ['Basic and an assertion', () => both(basic('web', WEB_SECRET), asserted('a.b.c'))],
    ['POST and an assertion', () => both(post('web', WEB_SECRET), asserted('a.b.c'))],
    ['Basic and another client_id', () => both(basic('web', WEB_SECRET), publicClient('spa'))],
    [
      'an assertion of unknown type',
      () => ({ headers: {}, form: { client_assertion: 'a', client_assertion_type: 'x' } }),
    ],
    ['only the type of an assertion', () => ({ headers: {}, form: { client_assertion_type: JWT_BEARER } })],
  ]

  it.each(cases)('%s', async (_, credentials) => {
    expectError(await system.post(TOKEN, codeForm, credentials()), 400, 'invalid_request')
  })
})

describe('token endpoint errors: unauthorized_client', () => {
  it.each([
    ['api', codeForm],
    ['no-refresh', { grant_type: 'refresh_token', refresh_token: 'sgrt_x' }],
  ])('%s may not use the grant %j', async (clientId, form) => {
    expectError(
      await system.post(TOKEN, form, await credentialsOf(clientId, system.issuer)),
      400,
      'unauthorized_client',
    )
  })
})
