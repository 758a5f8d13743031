import { randomBytes } from 'node:crypto'
import { openChromium } from '@signet/testing/system/chromium'
import { type RelyingParty, startRelyingParty } from '@signet/testing/system/relying-party'
import type { StandaloneSystem } from '@signet/testing/system/standalone-system'
import { startSystem } from '@signet/testing/system/start-system'
import { ADMIN_TOKEN, PASSWORD } from '@signet/testing/system/test-directory'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const MALLORY_TOKEN = randomBytes(32).toString('base64url')
const API = 'urn:service:iam:org:project:id:signet:aud'
const API_ALIAS = 'urn:zitadel:iam:org:project:id:zitadel:aud'
const PORTAL = 'urn:service:iam:org:project:id:portal:aud'

let trusted: RelyingParty
let hostile: RelyingParty
let signet: StandaloneSystem
let browser: Browser
let hostileClientId: string

beforeAll(async () => {
  trusted = await startRelyingParty()
  hostile = await startRelyingParty()
  signet = await startSystem({ mode: 'standalone', document: document() })
  browser = await openChromium()
  const roles = { roles: ['PROJECT_OWNER'] }
  expect(await manage(ADMIN_TOKEN, 'PUT', '/projects/lunch/members/mallory', roles)).toMatchObject({
    status: 200,
  })
  const registered = await manage(MALLORY_TOKEN, 'POST', '/applications', {
    projectId: 'lunch',
    name: 'Lunch menu',
    type: 'web',
    authMethod: 'client_secret_basic',
    redirectUris: [hostile.redirectUri],
  })
  expect(registered.status).toBe(201)
  hostileClientId = String(registered.json.clientId)
}, 120_000)

afterAll(async () => {
  await browser?.close()
  await signet?.stop()
  await Promise.all([trusted, hostile].map((party) => party?.close()))
})

function document() {
  const profile = { givenName: 'Chief', familyName: 'Example' }
  const web = { id: 'web', clientId: 'web', name: 'Web', type: 'web', firstParty: true }
  const token = (value: string) => [{ id: 'first', token: value }]
  return {
    organizations: [
      {
        id: 'acme',
        name: 'ACME',
        primaryDomain: 'acme.localhost',
        users: [{ id: 'chief', userName: 'chief', profile, password: PASSWORD, roles: ['IAM_OWNER'] }],
        serviceUsers: [
          {
            id: 'administrator',
            userName: 'administrator',
            roles: ['IAM_OWNER'],
            personalAccessTokens: token(ADMIN_TOKEN),
          },
        ],
        projects: [
          {
            id: 'portal',
            name: 'Portal',
            applications: [
              { ...web, authMethod: 'none', pkceOptional: true, redirectUris: [trusted.redirectUri] },
            ],
          },
        ],
      },
      {
        id: 'globex',
        name: 'Globex',
        primaryDomain: 'globex.localhost',
        serviceUsers: [{ id: 'mallory', userName: 'mallory', personalAccessTokens: token(MALLORY_TOKEN) }],
        projects: [{ id: 'lunch', name: 'Lunch' }],
      },
    ],
    defaultOrganization: 'acme',
  }
}

async function manage(bearer: string, method: string, path: string, body: object) {
  const response = await fetch(`${signet.issuer}/management/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const json: Readonly<Record<string, unknown>> = await response.json()
  return { status: response.status, json }
}

function authorizeLink(clientId: string, redirectUri: string, parameters: Record<string, string>): string {
  const request = { client_id: clientId, redirect_uri: redirectUri, response_type: 'code', state: 's' }
  return `${signet.issuer}/oauth/v2/authorize?${new URLSearchParams({ ...request, ...parameters })}`
}

describe.each([
  ['with JavaScript', true],
  ['without JavaScript', false],
])("an administrator's browser opens a hostile authorize link %s", (_what, javaScriptEnabled) => {
  /** A page of a browser in which an IAM_OWNER is signed in. */
  async function administratorsPage(): Promise<Page> {
    const page = await (await browser.newContext({ javaScriptEnabled })).newPage()
    await page.goto(authorizeLink('web', trusted.redirectUri, { scope: 'openid' }))
    await page.fill('#login-name', 'chief')
    await page.fill('#password', PASSWORD)
    await page.click('#login-submit')
    await page.waitForSelector('#app')
    expect((await trusted.nextCallback()).searchParams.get('code')).not.toBeNull()
    return page
  }

  const hostileLink = (parameters: Record<string, string>) =>
    authorizeLink(hostileClientId, hostile.redirectUri, parameters)

  const refused: [string, Record<string, string>, string][] = [
    ['our own APIs', { scope: `openid offline_access ${API}` }, 'invalid_scope'],
    ['our own APIs by their other name', { scope: `openid ${API_ALIAS}` }, 'invalid_scope'],
    ['our own APIs, silently', { scope: `openid offline_access ${API}`, prompt: 'none' }, 'invalid_scope'],
    ["a project of the administrator's organization", { scope: `openid ${PORTAL}` }, 'invalid_scope'],
    ['nothing in particular, silently', { scope: 'openid', prompt: 'none' }, 'consent_required'],
  ]
  it.each(refused)('that asks for %s: no page, no code', async (_what, parameters, error) => {
    const page = await administratorsPage()
    await page.goto(hostileLink(parameters))
    const { searchParams } = await hostile.nextCallback()
    expect(searchParams.get('error')).toBe(error)
    expect(searchParams.has('code')).toBe(false)
    await page.context().close()
  })

  it('that asks for harmless scopes: the question, and no code unless it is allowed', async () => {
    const page = await administratorsPage()
    await page.goto(hostileLink({ scope: 'openid email offline_access' }))
    expect(new URL(page.url()).pathname).toBe('/ui/consent')
    const text = await page.textContent('main')
    expect(text).toContain('Lunch menu asks for:')
    expect(text).toContain('Access that lasts while you are away')
    await page.click('#consent-deny')
    await page.waitForSelector('#app')
    expect((await hostile.nextCallback()).searchParams.get('error')).toBe('access_denied')
    await page.context().close()
  })
})
