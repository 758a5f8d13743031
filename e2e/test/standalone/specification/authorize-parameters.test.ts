import type { HttpBrowser } from '@signet/testing/http-browser'
import { startSystem } from '@signet/testing/system/start-system'
import { PASSWORD } from '@signet/testing/system/test-directory'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readResponse } from '../authorization-response.ts'
import { connectProvider, type Parameters, PROVIDER_SYSTEM, type Provider } from '../provider.ts'
import { SECOND_REDIRECT_URI } from '../provider-directory.ts'

let provider: Provider
let signedIn: HttpBrowser
beforeAll(async () => {
  provider = await connectProvider(await startSystem(PROVIDER_SYSTEM))
  signedIn = (await provider.signIn()).browser
}, 60_000)
afterAll(() => provider?.stop())

/** The parameters that the client receives for a request in a signed-in browser. */
async function answerTo(parameters: Parameters): Promise<Record<string, string>> {
  const response = await provider.authorize(parameters, { browser: signedIn })
  return Object.fromEntries(response.parameters)
}

const textOf = async (parameters: Parameters) =>
  (await provider.open(provider.system.newBrowser(), parameters)).body

describe('required parameters', () => {
  it('without a client_id, or with an unknown one, there is no redirect [authorize.client_id]', async () => {
    for (const client_id of ['', 'nobody']) {
      const page = await provider.open(signedIn, { client_id })
      expect([page.status, page.headers.get('location')]).toEqual([400, null])
      expect(page.body).toContain('client_id')
    }
  })

  it('any of the registered redirect URIs may be named, each as it is [authorize.redirect_uri]', async () => {
    const page = await provider.open(signedIn, { redirect_uri: SECOND_REDIRECT_URI })
    expect(page.headers.get('location')).toMatch(/^https:\/\/app\.example\.com\/callback\?tenant=1&code=/)
  })

  it('response_type decides which artifacts are returned [authorize.response_type.code] [authorize.response_type.id_token] [authorize.response_type.id_token-token]', async () => {
    const implicit = { client_id: 'implicit', nonce: 'n' }
    expect(Object.keys(await answerTo({}))).toEqual(['code', 'iss'])
    const idToken = await answerTo({ ...implicit, response_type: 'id_token' })
    expect(Object.keys(idToken).sort()).toEqual(['id_token', 'iss', 'scope'])
    const both = await answerTo({ ...implicit, response_type: 'id_token token' })
    expect(Object.keys(both).sort()).toEqual(
      ['access_token', 'expires_in', 'id_token', 'iss', 'scope', 'token_type'].sort(),
    )
  })

  it('scope is split at spaces and has to include openid [authorize.scope] [authorize.error.invalid_scope]', async () => {
    expect(await answerTo({ scope: '' })).toMatchObject({ error: 'invalid_request' })
    for (const scope of ['profile email', 'openid,profile']) {
      expect(await answerTo({ scope })).toMatchObject({ error: 'invalid_scope' })
    }
    const { tokens } = await provider.signIn({ scope: 'email openid profile', browser: signedIn })
    expect(tokens.scope?.split(' ').sort()).toEqual(['email', 'openid', 'profile'])
  })
})

describe('parameters by client authentication method', () => {
  it.each(['web', 'post', 'keyed'])(
    '%s needs no further parameter [authorize.method.client_secret_basic] [authorize.method.client_secret_post] [authorize.method.private_key_jwt]',
    async (client_id) => {
      expect(await answerTo({ client_id })).toEqual({ code: expect.any(String), iss: provider.issuer })
    },
  )

  it('none: an S256 challenge, or no authentication [authorize.method.none]', async () => {
    const code_challenge = await oidc.calculatePKCECodeChallenge('v'.repeat(43))
    const spa = { client_id: 'spa', code_challenge, code_challenge_method: 'S256' }
    expect(await answerTo(spa)).toHaveProperty('code')
    for (const wrong of [
      { code_challenge: '', code_challenge_method: '' },
      { code_challenge_method: '' },
      { code_challenge_method: 'plain' },
      { code_challenge: 'short' },
    ]) {
      expect(await answerTo({ ...spa, ...wrong })).toMatchObject({ error: 'invalid_request' })
    }
  })
})

describe('optional parameters', () => {
  it('id_token_hint: a session of another user does not count [authorize.id_token_hint]', async () => {
    const carol = await provider.signIn({ loginName: 'carol+1' })
    const hint = { id_token_hint: carol.tokens.id_token ?? '', prompt: 'none' }
    expect(await answerTo(hint)).toMatchObject({ error: 'login_required' })
    expect(await provider.authorize(hint, { browser: carol.browser })).toMatchObject({ mode: 'query' })
    expect(await answerTo({ ...hint, id_token_hint: 'rubbish' })).toHaveProperty('error')
  })

  it('login_hint fills in the name, an encoded plus sign included [authorize.login_hint]', async () => {
    expect(await textOf({ login_hint: 'carol+1@acme.localhost' })).toContain('value="carol+1@acme.localhost"')
  })

  it('nonce is in the ID token, state is returned byte for byte [authorize.nonce] [authorize.state]', async () => {
    const state = ' &=?#%+/"<>é '
    const { claims, response } = await provider.signIn({
      browser: signedIn,
      parameters: { nonce: 'n&1', state },
    })
    expect([claims.nonce, response.parameters.get('state')]).toEqual(['n&1', state])
  })

  it('a client that sends neither gets neither [authorize.nonce] [authorize.state]', async () => {
    const { claims, response } = await provider.signIn({
      browser: signedIn,
      parameters: { nonce: '', state: '' },
    })
    expect(claims).not.toHaveProperty('nonce')
    expect(response.parameters.has('state')).toBe(false)
  })

  it('an implicit response needs a nonce [authorize.nonce.implicit]', async () => {
    const implicit = { client_id: 'implicit', response_type: 'id_token' }
    expect(await answerTo(implicit)).toMatchObject({ error: 'invalid_request' })
  })

  it('max_age has to be a number of seconds; authentication is real when it is exceeded [authorize.max_age]', async () => {
    expect(await answerTo({ max_age: 'soon' })).toMatchObject({ error: 'invalid_request' })
    expect(await answerTo({ max_age: '-1' })).toMatchObject({ error: 'invalid_request' })
    const { browser, claims } = await provider.signIn()
    provider.system.clock.advance(5_000)
    const again = await provider.open(browser, { max_age: '3' })
    expect(again.body).toContain('id="password"')
    const answer = readResponse(await browser.submit(again, { login_name: 'alice', password: PASSWORD }))
    const tokens = await oidc.authorizationCodeGrant(await provider.client(), answer.received() as URL, {
      maxAge: 3,
    })
    expect(tokens.claims()?.auth_time).toBeGreaterThan(Number(claims.auth_time))
  })

  it('ui_locales chooses the first language that there is [authorize.ui_locales]', async () => {
    expect(await textOf({ ui_locales: 'se de-CH en' })).toContain('<html lang="de"')
    expect(await textOf({ ui_locales: 'en de' })).toContain('<html lang="en"')
  })

  it('accept-language decides where ui_locales names none or none matches [authorize.ui_locales.accept-language]', async () => {
    for (const ui_locales of ['', 'se fi']) {
      const browser = provider.system.newBrowser()
      browser.acceptLanguage = 'it, de;q=0.9, en;q=0.8'
      expect((await provider.open(browser, { ui_locales })).body).toContain('<html lang="de"')
    }
  })

  it('an unknown prompt is refused, and none beside another [authorize.prompt]', async () => {
    for (const prompt of ['maybe', 'none login']) {
      expect(await answerTo({ prompt })).toMatchObject({ error: 'invalid_request' })
    }
  })
})
