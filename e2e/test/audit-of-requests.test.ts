import type { HttpBrowser, Page } from '@signet/testing/http-browser'
import type { InProcessSystem } from '@signet/testing/system/in-process-system'
import { startSystem } from '@signet/testing/system/start-system'
import {
  bootstrapDocument,
  OTHER_SECRET,
  PASSWORD,
  REDIRECT_URI,
} from '@signet/testing/system/test-directory'
import { afterAll, beforeAll, expect, it } from 'vitest'

let system: InProcessSystem
const messages: { readonly to: string; readonly subject: string; readonly text: string }[] = []

const NEW_PASSWORD = 'Violet-harbour-27'
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

/** The rows that no request provoked, by the actor and the action, each with the reason. */
const WITHOUT_REQUEST: readonly (readonly [rows: RegExp, reason: string])[] = [
  [/^bootstrap /, 'the file is applied at the start of a service'],
  [/^service key\./, 'keys rotate by their schedule'],
  [/^service organization\.deleted$/, 'a job deletes the rest; organization.delete has the request'],
  [/^service application\.delete$/, 'a job deletes clients that registered themselves and are not used'],
  [/^service mail\.delivery$/, 'the outbox gives a message up after an hour of tries'],
  [/^service back_channel_logout$/, 'the outbox gives a logout token up after an hour of tries'],
]

beforeAll(async () => {
  const { organizations, ...document } = bootstrapDocument({
    moreApplications: [
      {
        ...{ id: 'tv', clientId: 'tv', name: 'tv', type: 'web', redirectUris: [REDIRECT_URI] },
        ...{ authMethod: 'client_secret_basic', clientSecret: OTHER_SECRET, firstParty: true },
        ...{ responseTypes: ['code'], grantTypes: ['authorization_code', DEVICE_GRANT] },
      },
    ],
  })
  system = await startSystem({
    mode: 'in-process',
    mailbox: (mail) => messages.push(mail),
    document: { ...document, organizations },
    clientRegistration: true,
  })
}, 60_000)
afterAll(() => system?.stop())

async function signedIn(loginName: string, password = PASSWORD): Promise<HttpBrowser> {
  const browser = system.newBrowser()
  await browser.submit(await browser.open('/ui/account'), { login_name: loginName, password })
  return browser
}

/** The path of the link in the newest message to an address. */
async function linkTo(address: string, path: string): Promise<string> {
  const found = () => {
    const { text = '' } = messages.findLast(({ to, text }) => to === address && text.includes(path)) ?? {}
    return new RegExp(`${path}\\?token=\\S+`).exec(text)?.[0]
  }
  await expect.poll(found, { timeout: 20_000 }).toBeDefined()
  return found() ?? ''
}

const submitAt = async (browser: HttpBrowser, path: string, values: Record<string, string>): Promise<Page> =>
  browser.submit(await browser.open(path), values)

async function actOnOwnAccount(): Promise<void> {
  const browser = await signedIn('alice')
  await system.tokens({ loginName: 'alice', browser, scope: 'openid offline_access' })
  await submitAt(browser, '/ui/account/profile', {
    ...{ given_name: 'Alice', family_name: 'Example', nick_name: '', display_name: 'A' },
    preferred_language: 'en',
  })
  await submitAt(browser, '/ui/account/password', { current: PASSWORD, password: NEW_PASSWORD })
  await submitAt(browser, '/ui/account/email', { address: 'alice@new.example' })
  await submitAt(browser, await linkTo('alice@new.example', '/ui/account/email'), {})
  await submitAt(browser, '/ui/applications', { client_id: 'web' })
  await submitAt(browser, '/ui/account/sessions', { others: 'yes' })
  await submitAt(await signedIn('dora'), '/ui/account/delete', { login_name: 'dora@acme.localhost' })
}

async function actByMail(): Promise<void> {
  const browser = system.newBrowser()
  const query = new URLSearchParams({
    ...{ client_id: 'web', redirect_uri: REDIRECT_URI, response_type: 'code', scope: 'openid' },
    prompt: 'create',
  })
  await submitAt(browser, `/oauth/v2/authorize?${query}`, {
    ...{ user_name: 'newcomer', email: 'newcomer@example.org', given_name: 'New', family_name: 'Comer' },
    password: PASSWORD,
  })
  await submitAt(browser, await linkTo('newcomer@example.org', '/ui/email/verify'), {})
  await submitAt(system.newBrowser(), '/ui/password/forgot', { login_name: 'newcomer@acme.localhost' })
  const reset = await linkTo('newcomer@example.org', '/ui/password/reset')
  await submitAt(system.newBrowser(), reset, { password: NEW_PASSWORD })
  const { json: invited } = await system.manage('POST', '/users', {
    ...{ organizationId: 'acme', userName: 'invited', profile: { givenName: 'I', familyName: 'N' } },
    email: { address: 'invited@example.org' },
  })
  await system.manage('POST', `/users/${invited.id}/invitation`)
  await submitAt(system.newBrowser(), await linkTo('invited@example.org', '/ui/invitation'), {
    password: NEW_PASSWORD,
  })
}

async function actByTokens(): Promise<void> {
  const browser = await signedIn('bob')
  const tokens = await system.tokens({ loginName: 'bob', browser, scope: 'openid offline_access' })
  // At once: the store ends them in one transaction.
  const more = await Promise.all([1, 2, 3].map(() => system.tokens({ loginName: 'bob', browser })))
  await Promise.all(more.map(({ access_token }) => system.revoke('web', access_token)))
  const first = await system.refresh('web', tokens.refresh_token)
  await system.refresh('web', first.json.refresh_token as string)
  await system.refresh('web', tokens.refresh_token)
  const second = await system.tokens({ loginName: 'bob', browser, scope: 'openid offline_access' })
  await system.revoke('web', second.refresh_token)
  const code = await system.code({ loginName: 'bob', browser })
  await system.redeem(code)
  await system.redeem(code)
  const headers = { authorization: `Basic ${btoa(`tv:${OTHER_SECRET}`)}` }
  const begun = await system.post(
    '/oauth/v2/device_authorization',
    { scope: 'openid' },
    { headers, form: {} },
  )
  expect([begun.status, begun.text]).toEqual([200, expect.any(String)])
  const entered = await submitAt(browser, '/ui/device', { user_code: begun.json.user_code as string })
  const [, sid = ''] = /name="sid" value="([^"]+)"/.exec(entered.body) ?? []
  const asked = await browser.submit(entered, { sid })
  const approved = await browser.submit(asked, { decision: 'allow' })
  expect(approved.body).toContain('The device has access')
  await system.tryPassword('bob', 'Wrong-password-1')
}

async function actByRegisteredClient(): Promise<void> {
  const policy = {
    ...{ redirectHosts: ['agent.example'], loopbackRedirects: true, authMethods: ['none'] },
    mostClients: 10,
  }
  const { json } = await system.manage('POST', '/projects/portal/registration-tokens', policy)
  const registered = await system.fetch('/oauth/v2/register', {
    method: 'POST',
    headers: { authorization: `Bearer ${json.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ redirect_uris: ['https://agent.example/callback'], client_name: 'Agent' },
      token_endpoint_auth_method: 'none',
    }),
  })
  const browser = await signedIn('carol')
  const query = new URLSearchParams({
    ...{ client_id: registered.json.client_id as string, redirect_uri: 'https://agent.example/callback' },
    ...{ response_type: 'code', scope: 'openid profile', code_challenge: 'A'.repeat(43) },
    code_challenge_method: 'S256',
  })
  await submitAt(browser, `/oauth/v2/authorize?${query}`, { decision: 'allow' })
  await submitAt(browser, '/ui/applications', { client_id: registered.json.client_id as string })
  await submitAt(browser, `/oidc/v1/end_session`, {})
}

async function actByJobs(): Promise<void> {
  const call = async (path: string, body: object) => {
    const { status, headers, text } = await system.administer('POST', `/admin/v1/${path}`, body)
    expect([path, status, text]).toEqual([path, 200, expect.any(String)])
    return headers.get('x-signet-job')
  }
  const moved = { orgId: 'moved', org: { name: 'Moved' } }
  const id = await call('import', { org_ids: [], data_orgs: { orgs: [moved] } })
  await call(`jobs/${id}/undo`, {})
  await call('export', { org_ids: ['acme'], excludedOrgIds: [] })
}

const PROVOKED = [
  ...['sign_in', 'user.update', 'password.change', 'email_change.request', 'email.change', 'access.end'],
  ...['sign_out', 'user.delete', 'registration', 'email.verify', 'password_reset.request', 'password.reset'],
  ...['invitation.accept', 'user.create', 'user.invite', 'refresh_family.begin'],
  ...['token.revoke', 'refresh_token.reuse', 'authorization_code.reuse', 'device.approve'],
  ...['application.create', 'consent', 'consent.withdraw', 'import.start', 'import.batch', 'import.end'],
  ...['undo.start', 'undo.batch', 'undo.end', 'export.start', 'export', 'export.end', 'keys.read'],
]

interface Row {
  readonly action: string
  readonly actor: { readonly kind: string }
  readonly target?: { readonly kind: string }
  readonly details: { readonly request_id?: string }
}

/** The rows of all audit logs. */
async function readAudit(): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (let cursor = ''; ; ) {
    const { json } = await system.manage('GET', `/audit?limit=200${cursor && `&cursor=${cursor}`}`)
    rows.push(...(json.items as readonly Row[]))
    if (typeof json.nextCursor !== 'string') return rows
    cursor = encodeURIComponent(json.nextCursor)
  }
}

it('every row of the audit log names the request that provoked it', async () => {
  await actByMail()
  await actOnOwnAccount()
  await actByTokens()
  await actByRegisteredClient()
  await actByJobs()
  await system.manage('GET', '/keys')
  const rows = await readAudit()
  const revoked = rows.filter(({ action, target }) => action === 'token.revoke' && target?.kind === 'token')
  expect(new Set(revoked.map(({ details }) => details.request_id)).size).toBe(3)
  const actions = new Set(rows.map(({ action }) => action))
  expect(PROVOKED.filter((action) => !actions.has(action))).toEqual([])
  const without = rows.filter(({ details }) => !/^[0-9a-f]{8}-[0-9a-f]{4}-7/.test(details.request_id ?? ''))
  const unexplained = without.filter(
    ({ action, actor }) => !WITHOUT_REQUEST.some(([rows]) => rows.test(`${actor.kind} ${action}`)),
  )
  expect(unexplained).toEqual([])
})
