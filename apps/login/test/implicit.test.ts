import { ACR_PASSWORD } from '@signet/protocol/authorization-parameters'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PageView, TestBrowser } from './browser.ts'
import { startTestEnvironment, type TestEnvironment } from './setup.ts'

let env: TestEnvironment

beforeAll(async () => {
  env = await startTestEnvironment()
})
afterAll(() => env.stop())

const CALLBACK = 'https://old.localhost/callback'

const authorize = (browser: TestBrowser, parameters: Record<string, string>) =>
  env.authorize(browser, {
    client_id: 'implicit',
    redirect_uri: CALLBACK,
    scope: 'openid email',
    nonce: 'n-1',
    ...parameters,
  })

/** The parameters of the fragment; the query must be empty. */
function fragmentOf({ location }: PageView): Record<string, string> {
  expect(location.startsWith(`${CALLBACK}#`), location).toBe(true)
  return Object.fromEntries(new URLSearchParams(location.slice(CALLBACK.length + 1)))
}

async function signedIn(): Promise<TestBrowser> {
  const browser = env.newBrowser()
  await env.signIn(browser, await env.authorize(browser))
  return browser
}

describe('the response in the fragment (OIDC Core section 3.2.2.5)', () => {
  it('id_token: returns no access token and no member that describes one', async () => {
    const browser = await signedIn()
    expect(fragmentOf(await authorize(browser, { response_type: 'id_token' }))).toEqual({
      id_token: expect.stringMatching(/^id-token-/),
      scope: 'openid email',
      state: 'st&te=1',
      iss: env.issuer,
    })
    expect(env.fakes.implicitRequests.at(-1)).toMatchObject({
      clientId: 'implicit',
      redirectUri: CALLBACK,
      scopes: ['openid', 'email'],
      nonce: 'n-1',
      withAccessToken: false,
      acr: ACR_PASSWORD,
      session: { userId: 'user1', amr: ['pwd'] },
    })
  })

  it.each(['id_token token', 'token id_token'])('%s: returns an access token too', async (responseType) => {
    const claims = '{"id_token":{"name":null}}'
    const answer = await authorize(await signedIn(), { response_type: responseType, claims })
    expect(fragmentOf(answer)).toEqual({
      access_token: 'access-token',
      token_type: 'Bearer',
      expires_in: '3600',
      id_token: expect.stringMatching(/^id-token-/),
      scope: 'openid email',
      state: 'st&te=1',
      iss: env.issuer,
    })
    expect(env.fakes.implicitRequests.at(-1)).toMatchObject({ withAccessToken: true, claims })
  })

  it.each(['id_token', 'id_token token'])(
    '%s ignores offline_access, which needs a code (OIDC Core section 11)',
    async (responseType) => {
      const scope = 'openid offline_access email'
      const answer = await authorize(await signedIn(), { response_type: responseType, scope })
      expect(fragmentOf(answer)).toMatchObject({ scope: 'openid email' })
      expect(env.fakes.implicitRequests.at(-1)?.scopes).toEqual(['openid', 'email'])
    },
  )

  it('signs in first without a session', async () => {
    const browser = env.newBrowser()
    const page = await authorize(browser, { response_type: 'id_token' })
    const login = await browser.submit(page, { login_name: 'user1', password: 'Correct-horse-9' })
    expect(fragmentOf(await browser.follow(login))).toHaveProperty('id_token')
  })

  it('uses form_post on request, and never the query', async () => {
    const browser = await signedIn()
    const posted = await authorize(browser, { response_type: 'id_token', response_mode: 'form_post' })
    expect(posted.body).toMatch(/name="id_token" value="id-token-/)
    fragmentOf(await authorize(browser, { response_type: 'id_token', response_mode: 'query' }))
  })
})

describe('the error in the fragment (OIDC Core section 3.2.2.6)', () => {
  const cases: [string, Record<string, string>, string][] = [
    ['nonce missing [F-37]', { nonce: '' }, 'invalid_request'],
    ['scope without openid', { scope: 'email' }, 'invalid_scope'],
    ['request object', { request: 'x' }, 'request_not_supported'],
    ['no session', { prompt: 'none' }, 'login_required'],
  ]
  it.each(cases)('%s', async (_what, parameters, error) => {
    for (const responseType of ['id_token', 'id_token token']) {
      const answer = await authorize(env.newBrowser(), { response_type: responseType, ...parameters })
      expect(fragmentOf(answer)).toMatchObject({ error, state: 'st&te=1', iss: env.issuer })
    }
  })

  it('rejects a response type for which the application is not registered [F-04]', async () => {
    const answer = await env.authorize(env.newBrowser(), { response_type: 'id_token', nonce: 'n' })
    expect(answer.location).toMatch(/^https:\/\/rp\.localhost\/callback#error=unauthorized_client&/)
  })

  it('sends the error for a missing response_type in the query or the requested mode (conformance 5.2)', async () => {
    const inQuery = await authorize(env.newBrowser(), { response_type: '' })
    expect(new URL(inQuery.location).searchParams.get('error')).toBe('invalid_request')
    fragmentOf(await authorize(env.newBrowser(), { response_type: '', response_mode: 'fragment' }))
  })
})

it('sends an error to the client when the session ends while the tokens are issued', async () => {
  const browser = await signedIn()
  env.fakes.refuse.add('token')
  const answer = await authorize(browser, { response_type: 'id_token' })
  env.fakes.refuse.clear()
  expect(fragmentOf(answer)).toMatchObject({ error: 'login_required' })
})
