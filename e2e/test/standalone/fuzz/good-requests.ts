import type { Page } from '@signet/testing/http-browser'
import { basic, type Provider } from '../provider.ts'
import { PASSWORD, POST_LOGOUT_URI, REDIRECT_URI } from '../provider-directory.ts'
import type { Target } from './malformed-request.ts'

type Parameters = Readonly<Record<string, string>>

export interface GoodRequests {
  /** By what they ask for. */
  readonly targets: Readonly<Record<string, Target>>
  /** Tokens, names and values that damaged requests are made of. */
  readonly known: readonly string[]
  /** Those that name nothing which an administrator could delete. */
  readonly secrets: readonly string[]
}

const TOKEN = '/oauth/v2/token'
const HANDLE = 'a'.repeat(43)

const get = (path: string, parameters: Parameters, headers: Parameters = {}): Target => ({
  method: 'GET',
  path,
  parameters,
  headers,
})
const post = (path: string, parameters: Parameters, headers: Parameters = {}): Target => ({
  method: 'POST',
  path,
  parameters,
  headers,
})

/** A request to every endpoint that it answers well, in a browser where alice is signed in. */
export async function goodRequests(provider: Provider): Promise<GoodRequests> {
  const { browser, tokens } = await provider.signIn({ scope: 'openid profile offline_access' })
  const { access_token, refresh_token = '', id_token = '' } = tokens
  const code = (await provider.authorize({}, { browser })).parameters.get('code') ?? ''
  const assertion = await provider.assertion()
  const cookieOf = (of = browser) => [...of.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  /** The form of a page after a user entered these values. */
  const form = (shown: Page, action: string, entered: Parameters, from = browser): Target => {
    const hidden = [...shown.body.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)]
    if (hidden.length === 0) throw new Error(`no form for ${action} in:\n${shown.body}`)
    const fields = Object.fromEntries(hidden.map(([, name, value]) => [name, value]))
    return post(action, { ...fields, ...entered }, { cookie: cookieOf(from) })
  }
  const stranger = provider.newBrowser()
  const passwordOfBob = { login_name: 'bob', password: PASSWORD }
  const secondFactor = await stranger.submit(await provider.open(stranger), passwordOfBob)
  const page = (prompt: string) => provider.open(browser, { prompt })
  const query = new URLSearchParams(provider.authorizationUrl().split('?')[1])
  const request = {
    ...Object.fromEntries(query),
    ...{
      nonce: 'n',
      state: 's',
      ui_locales: 'de',
      max_age: '10000',
      prompt: 'none',
      id_token_hint: id_token,
    },
    claims: '{"userinfo":{"name":null}}',
  }
  const logout = { client_id: 'web', state: 's', post_logout_redirect_uri: POST_LOGOUT_URI }
  const registration = {
    given_name: 'A',
    family_name: 'B',
    email: 'a@b.example',
    user_name: 'ab',
    password: 'x',
  }
  const refresh = { grant_type: 'refresh_token', refresh_token, scope: 'openid' }
  const redeem = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, code_verifier: HANDLE }
  const exchange = {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: access_token,
    subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    actor_token: id_token,
    actor_token_type: 'urn:ietf:params:oauth:token-type:id_token',
    ...{ audience: 'portal', scope: 'openid', requested_token_type: 'urn:ietf:params:oauth:token-type:jwt' },
  }
  const byAssertion = {
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion: assertion.client_assertion ?? '',
  }
  const targets: Record<string, Target> = {
    'the sign-in form': form(await page('login'), '/ui/login', { login_name: 'nobody', password: 'x' }),
    'the registration form': form(await page('create'), '/ui/register', registration),
    'the account chooser': form(await page('select_account'), '/ui/accounts', { sid: HANDLE }),
    'the consent form': form(await page('consent'), '/ui/consent', { decision: 'perhaps' }),
    'the logout form': form(await browser.open('/oidc/v1/end_session'), '/ui/logout', { x: 'y' }),
    'the second factor': form(secondFactor, '/ui/totp', { code: '123456' }, stranger),
    'the sign-in page': get('/ui/login', { request: HANDLE }),
    authorize: get('/oauth/v2/authorize', request, { cookie: cookieOf() }),
    'authorize by POST': post('/oauth/v2/authorize', request, { cookie: cookieOf() }),
    'authorize, continued': get('/oauth/v2/authorize', { continue: HANDLE, posted: HANDLE }),
    'end session': get('/oidc/v1/end_session', { ...logout, id_token_hint: id_token }),
    'token by code': post(TOKEN, redeem, basic()),
    'token by refresh token': post(TOKEN, refresh, basic()),
    'token by client credentials': post(
      TOKEN,
      { grant_type: 'client_credentials', scope: 'openid' },
      basic('machine'),
    ),
    'token by assertion': post(TOKEN, { ...byAssertion, scope: 'openid' }),
    'token by exchange': post(TOKEN, exchange, basic('exchanger')),
    'token for private_key_jwt': post(TOKEN, { ...refresh, ...assertion }),
    introspection: post('/oauth/v2/introspect', { token: access_token, token_type_hint: 'x' }, basic('api')),
    'introspection for private_key_jwt': post('/oauth/v2/introspect', { token: access_token, ...assertion }),
    revocation: post('/oauth/v2/revoke', { token: access_token, token_type_hint: 'x' }, basic('other')),
    userinfo: get('/oidc/v1/userinfo', { x: 'y' }, { authorization: `Bearer ${access_token}` }),
    'userinfo by POST': post('/oidc/v1/userinfo', { access_token }),
    'the key set': get('/oauth/v2/keys', { x: 'y' }),
    discovery: get('/.well-known/openid-configuration', { x: 'y' }),
    'no endpoint': get('/oauth/v2', { x: 'y' }),
  }
  const names = ['alice', 'web', 'openid email', 'none login', 'code id_token', 'S256', 'de en', 'form_post']
  const secrets = [access_token, refresh_token, id_token, code, cookieOf()]
  return { targets, known: [...secrets, ...Object.values(request), ...names], secrets }
}
