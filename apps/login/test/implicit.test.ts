import { ACR_PASSWORD } from '@signet/protocol/acr-values'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LoginWorld, startLoginWorld } from './fixtures/login-world.ts'
import type { PageView, TestBrowser } from './fixtures/test-browser.ts'

let world: LoginWorld

beforeAll(async () => {
  world = await startLoginWorld()
})
afterAll(() => world.stop())

const CALLBACK = 'https://old.localhost/callback'

const authorize = (browser: TestBrowser, parameters: Record<string, string>) =>
  world.authorize(browser, {
    client_id: 'implicit',
    redirect_uri: CALLBACK,
    scope: 'openid email',
    nonce: 'n-1',
    ...parameters,
  })

/** What came in the fragment; nothing may be in the query. */
function fragmentOf({ location }: PageView): Record<string, string> {
  expect(location.startsWith(`${CALLBACK}#`), location).toBe(true)
  return Object.fromEntries(new URLSearchParams(location.slice(CALLBACK.length + 1)))
}

async function signedIn(): Promise<TestBrowser> {
  const browser = world.newBrowser()
  await world.signIn(browser, await world.authorize(browser))
  return browser
}

describe('OIDC Core section 3.2.2.5: the answer in the fragment', () => {
  it('id_token: no access token and nothing that describes one', async () => {
    const browser = await signedIn()
    expect(fragmentOf(await authorize(browser, { response_type: 'id_token' }))).toEqual({
      id_token: expect.stringMatching(/^id-token-/),
      scope: 'openid email',
      state: 'st&te=1',
      iss: world.issuer,
    })
    expect(world.peers.implicitRequests.at(-1)).toMatchObject({
      clientId: 'implicit',
      redirectUri: CALLBACK,
      scopes: ['openid', 'email'],
      nonce: 'n-1',
      withAccessToken: false,
      acr: ACR_PASSWORD,
      session: { userId: 'alice', amr: ['pwd'] },
    })
  })

  it.each(['id_token token', 'token id_token'])('%s: an access token beside it', async (responseType) => {
    const claims = '{"id_token":{"name":null}}'
    const answer = await authorize(await signedIn(), { response_type: responseType, claims })
    expect(fragmentOf(answer)).toEqual({
      access_token: 'access-token',
      token_type: 'Bearer',
      expires_in: '3600',
      id_token: expect.stringMatching(/^id-token-/),
      scope: 'openid email',
      state: 'st&te=1',
      iss: world.issuer,
    })
    expect(world.peers.implicitRequests.at(-1)).toMatchObject({ withAccessToken: true, claims })
  })

  it.each(['id_token', 'id_token token'])(
    'OIDC Core section 11: %s ignores offline_access, which only a code can bring',
    async (responseType) => {
      const scope = 'openid offline_access email'
      const answer = await authorize(await signedIn(), { response_type: responseType, scope })
      expect(fragmentOf(answer)).toMatchObject({ scope: 'openid email' })
      expect(world.peers.implicitRequests.at(-1)?.scopes).toEqual(['openid', 'email'])
    },
  )

  it('signs in first where nobody is signed in', async () => {
    const browser = world.newBrowser()
    const page = await authorize(browser, { response_type: 'id_token' })
    const login = await browser.submit(page, { login_name: 'alice', password: 'Correct-horse-9' })
    expect(fragmentOf(await browser.follow(login))).toHaveProperty('id_token')
  })

  it('by form_post when it is asked for, and never in the query', async () => {
    const browser = await signedIn()
    const posted = await authorize(browser, { response_type: 'id_token', response_mode: 'form_post' })
    expect(posted.body).toMatch(/name="id_token" value="id-token-/)
    fragmentOf(await authorize(browser, { response_type: 'id_token', response_mode: 'query' }))
  })
})

describe('OIDC Core section 3.2.2.6: the error in the fragment', () => {
  const cases: [string, Record<string, string>, string][] = [
    ['F-37: nonce missing', { nonce: '' }, 'invalid_request'],
    ['scope without openid', { scope: 'email' }, 'invalid_scope'],
    ['request object', { request: 'x' }, 'request_not_supported'],
    ['nobody signed in', { prompt: 'none' }, 'login_required'],
  ]
  it.each(cases)('%s', async (_what, parameters, error) => {
    for (const responseType of ['id_token', 'id_token token']) {
      const answer = await authorize(world.newBrowser(), { response_type: responseType, ...parameters })
      expect(fragmentOf(answer)).toMatchObject({ error, state: 'st&te=1', iss: world.issuer })
    }
  })

  it('F-04: a response type that the application is not registered for', async () => {
    const answer = await world.authorize(world.newBrowser(), { response_type: 'id_token', nonce: 'n' })
    expect(answer.location).toMatch(/^https:\/\/rp\.localhost\/callback#error=unauthorized_client&/)
  })

  it('conformance 5.2: a missing response_type is answered in the query, or where the mode says', async () => {
    const inQuery = await authorize(world.newBrowser(), { response_type: '' })
    expect(new URL(inQuery.location).searchParams.get('error')).toBe('invalid_request')
    fragmentOf(await authorize(world.newBrowser(), { response_type: '', response_mode: 'fragment' }))
  })
})

it('a session that ends while the tokens are made is told to the client', async () => {
  const browser = await signedIn()
  world.peers.refuse.add('token')
  const answer = await authorize(browser, { response_type: 'id_token' })
  world.peers.refuse.clear()
  expect(fragmentOf(answer)).toMatchObject({ error: 'login_required' })
})
