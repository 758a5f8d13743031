// An administrator signs in as another person: the tokens of applications, and each ending of such a session.
import { hiddenFields } from '@signet/platform/load/http-browser'
import { LOOPBACK } from '@signet/platform/outbound-http/address-policy'
import type { HttpBrowser, Page } from '@signet/testing/http-browser'
import { startLogoutReceiver } from '@signet/testing/logout-receiver'
import { REDIRECT_URI } from '@signet/testing/system/oauth-directory'
import {
  createOAuthEnvironment,
  OAUTH_SYSTEM,
  type OAuthEnvironment,
} from '@signet/testing/system/oauth-environment'
import { startSystem } from '@signet/testing/system/start-system'
import { PASSWORD } from '@signet/testing/system/test-directory'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readResponse } from './authorization-response.ts'

const API = 'openid urn:service:iam:org:project:id:signet:aud'
const SCOPE = 'openid offline_access'
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'
const reason = 'Ticket 4711: the report stays empty'

let oauth: OAuthEnvironment
let browser: HttpBrowser
let token: string
beforeAll(async () => {
  oauth = createOAuthEnvironment(await startSystem({ ...OAUTH_SYSTEM, outboundAllow: LOOPBACK }))
  for (const userId of ['helper', 'alice'])
    await manage('POST', `/users/${userId}/password`, { password: PASSWORD })
  await manage('PUT', '/v2/features/instance', { oidcTokenExchange: true })
}, 60_000)
afterAll(() => oauth?.stop())

async function manage(method: string, path: string, body?: unknown) {
  const url = path.startsWith('/v2/') ? path : `/management/v1${path}`
  const { status, json } = await oauth.manage(method, url, body)
  expect([path, status]).toEqual([path, expect.toSatisfy((given: number) => given < 300)])
  return json
}

/** A browser in which `helper` acts as `alice`. */
beforeEach(async () => {
  const policy = { enableImpersonation: true, iamRequiresMfa: false, allowImpersonatedApiCalls: true }
  await manage('PATCH', '/v2/policies/security', policy)
  await manage('PATCH', '/organizations/acme/policies/login', { allowImpersonation: true })
  await manage('PUT', '/members/helper', { roles: ['IAM_END_USER_IMPERSONATOR'] })
  // Services know for up to a second that the account was deactivated.
  await expect.poll(isSignedIn, { timeout: 10_000 }).toBe(true)
  const epoch = await oauth.epochOf('helper')
  const signedIn = await oauth.tokens({ clientId: 'console', userId: 'helper', scope: API, epoch })
  const bearer = String(signedIn.json.access_token)
  await expect.poll(async () => (await oauth.manage('POST', LINKS, { reason }, bearer)).status).toBe(200)
  const { url } = (await oauth.manage('POST', LINKS, { reason }, bearer)).json
  const { pathname, search } = new URL(String(url))
  const begun = await browser.submit(await browser.open(`${pathname}${search}`), {})
  expect(begun.body).toContain('id="impersonation-banner"')
  token = String((await tokens()).access_token)
  expect(await oauth.isActive(token)).toBe(true)
})

/** Signs `helper` in, in a new browser. */
async function isSignedIn(): Promise<boolean> {
  browser = oauth.system.newBrowser()
  await browser.submit(await authorize(), { login_name: 'helper@acme.localhost', password: PASSWORD })
  return !(await browser.open('/ui/account')).headers.has('location')
}

const LINKS = '/management/v1/users/alice/impersonations'

function authorize(parameters: Readonly<Record<string, string>> = {}): Promise<Page> {
  const request = { client_id: 'web', redirect_uri: REDIRECT_URI, response_type: 'code', scope: SCOPE }
  return browser.open(`/oauth/v2/authorize?${new URLSearchParams({ ...request, ...parameters })}`)
}

/** Chooses the account of the person. */
async function choose(page: Page): Promise<Page> {
  const body = page.body.slice(page.body.indexOf('<main>'))
  const sid = /value="([^"]*)"[^>]*>(?:(?!<\/button>).)*You act as this person/.exec(body)?.[1]
  if (sid === undefined) throw new Error(`the person is not offered: ${body}`)
  const chosen = await browser.send('/ui/accounts', { ...hiddenFields({ body }), sid })
  return browser.open(chosen.headers.get('location') ?? '')
}

const codeOf = async (parameters = {}) =>
  readResponse(await choose(await authorize(parameters))).parameters.get('code') ?? ''

const tokens = async (clientId = 'web') =>
  (await oauth.redeem(await codeOf({ client_id: clientId }), { basic: clientId })).json

describe('the tokens', () => {
  it('name the administrator as act, no method of the person, and have no refresh token', async () => {
    const given = await tokens('jwt')
    expect(Object.keys(given)).not.toContain('refresh_token')
    expect(given.scope).toBe('openid')
    expect(Number(given.expires_in)).toBeLessThanOrEqual(3_600)
    const act = { iss: oauth.system.issuer, sub: 'helper' }
    const idToken = await oauth.verify(given.id_token)
    const accessToken = await oauth.verify(given.access_token, 'at+jwt')
    for (const claims of [idToken, accessToken]) expect(claims).toMatchObject({ sub: 'alice', act })
    for (const claims of [idToken, accessToken]) {
      expect(Object.keys(claims)).not.toContain('amr')
      expect(Object.keys(claims)).not.toContain('acr')
    }
    expect((await oauth.introspect(token)).json).toMatchObject({ active: true, sub: 'alice', act })
    expect((await oauth.userinfo(token)).json).toMatchObject({ sub: 'alice', act })
  })

  it('name the administrator also in the response of the authorization endpoint, and end with it', async () => {
    const request = { client_id: 'page', response_type: 'id_token token', nonce: 'n' }
    const { parameters } = readResponse(await choose(await authorize(request)))
    const [idToken, accessToken] = [parameters.get('id_token'), parameters.get('access_token')]
    const act = { iss: oauth.system.issuer, sub: 'helper' }
    expect(await oauth.verify(idToken)).toMatchObject({ sub: 'alice', act })
    expect((await oauth.userinfo(String(accessToken))).json).toMatchObject({ sub: 'alice', act })
    expect(Number(parameters.get('expires_in'))).toBeLessThanOrEqual(3_600)
    await manage('DELETE', '/members/helper')
    expect((await oauth.userinfo(String(accessToken))).status).toBe(401)
  })

  it('are no bearers of our own APIs, also exchanged, where a setting takes other tokens with act', async () => {
    const page = await choose(await authorize({ client_id: 'console', scope: API }))
    expect([page.status, page.body.includes('You cannot administer as another person')]).toEqual([403, true])
    const exchanger = { basic: 'exchanger-api' }
    const subject_token = String((await tokens('exchanger-api')).access_token)
    const form = { grant_type: EXCHANGE, subject_token, subject_token_type: ACCESS_TOKEN }
    const exchanged = await oauth.token({ ...form, requested_token_type: ACCESS_TOKEN }, exchanger)
    expect((await oauth.introspect(exchanged.json.access_token)).json).toMatchObject({
      act: { sub: 'helper' },
    })
    for (const bearer of [token, subject_token, exchanged.json.access_token]) {
      expect(
        (await oauth.manage('GET', '/management/v1/users/alice', undefined, String(bearer))).status,
      ).toBe(401)
    }
    await browser.submit(await browser.open('/ui/impersonation'), {})
    expect(await oauth.isActive(exchanged.json.access_token)).toBe(false)
  })

  it('are exchanged for none by an ID token', async () => {
    const { id_token } = await tokens('exchanger')
    const form = { grant_type: EXCHANGE, subject_token: String(id_token) }
    const type = { subject_token_type: 'urn:ietf:params:oauth:token-type:id_token' }
    const answer = await oauth.token({ ...form, ...type }, { basic: 'exchanger' })
    expect(answer.status).toBe(400)
  })
})

const sessionsOfHelper = async () =>
  (await manage('GET', '/users/helper/sessions')).items as readonly { id: string }[]

const ENDINGS: Readonly<Record<string, () => Promise<unknown>>> = {
  'End on the banner': async () => browser.submit(await browser.open('/ui/impersonation'), {}),
  'a sign-out of the browser': async () => {
    const page = await browser.open('/ui/logout')
    return browser.send('/ui/logout', hiddenFields({ body: page.body.slice(page.body.indexOf('<main>')) }))
  },
  'the end of the sessions of the administrator': async () => {
    for (const { id } of await sessionsOfHelper()) await manage('DELETE', `/users/helper/sessions/${id}`)
  },
  'a sign-out of the administrator everywhere': () => manage('POST', '/users/helper/sign-out'),
  'a deactivated administrator': async () => {
    await manage('PATCH', '/users/helper', { state: 'inactive' })
  },
  'a lost role': () => manage('DELETE', '/members/helper'),
  'a role of the person': () => manage('PUT', '/members/alice', { roles: ['IAM_OWNER_VIEWER'] }),
  'the setting of the instance': () =>
    manage('PATCH', '/v2/policies/security', { enableImpersonation: false }),
  'the policy of the organization': () =>
    manage('PATCH', '/organizations/acme/policies/login', { allowImpersonation: false }),
  'a sign-out of the person everywhere': () => manage('POST', '/users/alice/sign-out'),
  'the end of the session by an administrator': async () => {
    const { items } = await manage('GET', '/users/alice/sessions')
    for (const { id } of items as readonly { id: string }[])
      await manage('DELETE', `/users/alice/sessions/${id}`)
  },
}

it.each(Object.keys(ENDINGS))('ends at once with %s', async (name) => {
  const code = await codeOf()
  await ENDINGS[name]?.()
  const active = await oauth.isActive(token)
  const redeemed = await oauth.redeem(code)
  const page = await authorize()
  await manage('PATCH', '/users/helper', { state: 'active' })
  await manage('PUT', '/members/alice', { roles: ['IAM_OWNER_VIEWER'] })
  await manage('DELETE', '/members/alice')
  expect([active, redeemed.status]).toEqual([false, 400])
  expect(page.body).not.toContain('You act as this person')
})

it('sends its application a logout token when the administrator loses the role', async () => {
  const application = await startLogoutReceiver()
  try {
    await manage('PATCH', '/applications/jwt', { devMode: true, backChannelLogoutUri: application.uri })
    // The session of the administrator goes on, and its application gets none.
    const own = await oauth.tokens({
      clientId: 'jwt',
      userId: 'helper',
      epoch: await oauth.epochOf('helper'),
    })
    const { sub, sid } = await oauth.verify((await tokens('jwt')).id_token)
    await manage('DELETE', '/members/helper')
    await expect.poll(() => application.received.length, { timeout: 20_000 }).toBe(1)
    const [form] = application.received
    const claims = await oauth.verify(form?.get('logout_token'), 'logout+jwt')
    expect(claims).toMatchObject({ sub: 'alice', sid, aud: 'jwt' })
    expect(sub).toBe('alice')
    expect(claims.events).toEqual({ 'http://schemas.openid.net/event/backchannel-logout': {} })
    expect(await oauth.isActive(own.json.access_token)).toBe(true)
  } finally {
    await manage('PATCH', '/applications/jwt', { devMode: false, backChannelLogoutUri: null })
    await application.stop()
  }
})

it('is in the audit log: who, as whom, why, and that it ended', async () => {
  await browser.submit(await browser.open('/ui/impersonation'), {})
  const items = (await manage('GET', '/audit?actorId=helper&limit=100')).items as readonly Record<
    string,
    unknown
  >[]
  const actions = items.map(({ action }) => action)
  expect(actions).toEqual(expect.arrayContaining(['impersonation.create', 'impersonation.begin', 'sign_out']))
  expect(items.find(({ action }) => action === 'impersonation.begin')).toMatchObject({
    ...{ target: { kind: 'user', id: 'alice' }, details: { reason } },
  })
})
