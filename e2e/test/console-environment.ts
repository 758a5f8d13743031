// Hosts the console and a browser for the tests of its pages.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { size } from '@signet/testing/sizes'
import { openChromium } from '@signet/testing/system/chromium'
import type { InProcessOptions, InProcessSystem } from '@signet/testing/system/in-process-system'
import { startSystem } from '@signet/testing/system/start-system'
import { bootstrapDocument, PASSWORD } from '@signet/testing/system/test-directory'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { buildConsole } from './console-page.ts'
import { type DocumentServer, startDocumentServer } from './standalone/client-documents.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
export const OPENAPI = new URL('../../apps/directory/openapi.json', import.meta.url)
export const CONSOLE = fileURLToPath(new URL('../../apps/console/', import.meta.url))

/** Names that would run, or load something, where a page took them for markup. */
export const HOSTILE = [
  '<img src=x onerror="window.hacked=1">',
  '"><script>window.hacked=1</script>',
  "javascript:window.hacked=1//'",
  '<svg/onload=window.hacked=1>',
]

export const profile = (id: string, displayName = `The ${id}`) => ({
  givenName: id,
  familyName: id,
  displayName,
})
const people = [
  { id: 'owner', roles: ['IAM_OWNER', 'IAM_ADMIN_IMPERSONATOR'] },
  { id: 'organizer', roles: ['ORG_OWNER'] },
  { id: 'reader', roles: ['ORG_OWNER_VIEWER'] },
  { id: 'stranger' },
].map((person) => ({ ...person, profile: profile(person.id), userName: person.id, password: PASSWORD }))

export let system: InProcessSystem
export let chrome: Browser
export let documents: DocumentServer
/** Closed after each test. */
export const contexts: BrowserContext[] = []
/** Cookies of the persons who have signed in. */
const signedIn = new Map<string, Awaited<ReturnType<BrowserContext['storageState']>>>()
/** Errors of scripts, and loads that the policy of the page refuses: no page may have any. */
const problems: string[] = []

/** Serves the console to a browser during the tests of the calling file, and fails each test in which a page has an error. */
export function serveConsole(options: Pick<InProcessOptions, 'mailbox'> = {}): void {
  beforeAll(async () => {
    signedIn.clear()
    buildConsole()
    const document = bootstrapDocument()
    document.organizations[0]?.users.push(...(people as never[]))
    const clientMetadata = { projectId: 'agents', hosts: { allowed: [], refused: [] } }
    ;[system, chrome, documents] = await Promise.all([
      startSystem({ mode: 'in-process', document, clientRegistration: true, clientMetadata, ...options }),
      openChromium(),
      startDocumentServer(),
    ])
    const application = {
      ...{ id: 'console', projectId: 'portal', clientId: 'signet-console', name: 'Console' },
      ...{ type: 'userAgent', firstParty: true, mayCallApi: true, dpopBoundAccessTokens: true },
      redirectUris: [`${system.issuer}/console/callback`],
      postLogoutRedirectUris: [`${system.issuer}/console/`],
    }
    const made = await Promise.all([
      system.manage('POST', '/applications', application),
      system.manage('POST', '/projects', { id: 'agents', organizationId: 'acme', name: 'Agents' }),
      ...HOSTILE.flatMap((name, at) => [
        system.manage('POST', '/users', {
          ...{ id: `hostile-${at}`, organizationId: 'acme', userName: `hostile-${at}` },
          profile: profile(`hostile-${at}`, name),
        }),
        system.manage('POST', '/projects', { id: `hostile-${at}`, organizationId: 'acme', name }),
        system.manage('POST', '/organizations', {
          id: `hostile-${at}`,
          name,
          primaryDomain: `h${at}.localhost`,
        }),
      ]),
    ])
    expect(made.map(({ status }) => status)).toEqual(made.map(() => 201))
    await addHostileProvider()
    const named = await Promise.all(
      HOSTILE.flatMap((name, at) => [
        system.manage('POST', '/applications', {
          ...{ id: `hostile-${at}`, projectId: `hostile-${at}`, clientId: `client-${at}`, name, type: 'api' },
        }),
        system.manage('POST', `/projects/hostile-${at}/roles`, { key: `role-${at}`, displayName: name }),
      ]),
    )
    expect(named.map(({ status }) => status)).toEqual(named.map(() => 201))
  }, 180_000)
  afterEach(async () => {
    const found = problems.splice(0)
    await Promise.all(contexts.splice(0).map((context) => context.close()))
    expect(found).toEqual([])
  })
  afterAll(async () => {
    await chrome?.close()
    await documents?.stop()
    await system?.stop()
  })
}

/** Adds an identity provider and a link with hostile names. */
async function addHostileProvider(): Promise<void> {
  const [name = '', displayName = '', subject = ''] = HOSTILE
  const provider = await system.manage('POST', '/identity-providers', {
    ...{ id: 'hostile-0', organizationId: 'acme', preset: 'keycloak', name, clientId: 'signet' },
    ...{ issuer: 'https://hostile.example', clientSecret: 'secret', requiredClaims: { hd: displayName } },
  })
  const saml = await system.manage('POST', '/identity-providers', {
    ...{ id: 'saml-0', organizationId: 'acme', type: 'saml', name, clientId: 'urn:signet' },
    metadata: exampleMetadata(),
  })
  const link = { providerId: 'hostile-0', subject, displayName }
  const made = [saml, provider, await system.manage('POST', '/users/bob/identity-links', link)]
  expect(made.map(({ status }) => status)).toEqual([201, 201, 201])
}

/** The document that the description of the API has as an example. */
export function exampleMetadata(): string {
  const { paths } = JSON.parse(readFileSync(OPENAPI, 'utf8'))
  const { requestBody } = paths['/management/v1/identity-providers/{providerId}/metadata'].post
  return requestBody.content['application/json'].example.metadata
}

/** The identity providers of the organization `acme` with a name, as the management API lists them. */
export async function providersOf(name: string) {
  const { json } = await system.manage('GET', '/identity-providers?organizationId=acme')
  return (json.items as Readonly<Record<string, unknown>>[]).filter((provider) => provider.name === name)
}

/** Opens a page of the console as a person, who signs in on the way where no session of theirs goes on. */
export async function openAs(person: string, path = '/', options: { width?: number; locale?: string } = {}) {
  const { width = 1280, locale = 'en' } = options
  const storageState = signedIn.get(person)
  const context = await chrome.newContext({
    ...{ viewport: { width, height: 800 }, locale },
    ...(storageState && { storageState }),
  })
  contexts.push(context)
  const page = await context.newPage()
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      // It becomes an error of the page.
      setTimeout(() => {
        throw new Error(`policy: ${violatedDirective} ${blockedURI}`)
      })
    })
  })
  page.on('pageerror', (error) => problems.push(String(error)))
  await page.goto(`${system.issuer}/console${path}`)
  await page.waitForSelector('#login-name, main h1')
  if ((await page.locator('#login-name').count()) > 0) {
    await page.fill('#login-name', person)
    await page.fill('#password', PASSWORD)
    await page.click('#login-submit')
    await page.waitForSelector('main h1')
    signedIn.set(person, await context.storageState())
  }
  return page
}

export const PAGES = [
  '/',
  '/people',
  '/people/invite?organizationId=acme',
  '/people/hostile-0',
  '/people/bob',
  '/applications',
  '/applications/new?kind=web',
  '/applications/hostile-1',
  '/applications/web',
  '/client-documents',
  '/projects',
  '/projects/hostile-2',
  '/projects/hostile-2/people',
  '/organizations',
  '/organizations/hostile-3',
  '/organizations/acme/branding',
  '/identity-providers/new?organizationId=acme&preset=google',
  '/identity-providers/hostile-0',
  '/identity-providers/new?organizationId=acme&preset=saml',
  '/identity-providers/saml-0',
  '/identity-providers/new?organizationId=acme&preset=ldap',
  '/why?user=bob&application=web',
  '/audit?result=refused',
  '/jobs',
  '/jobs/import',
  '/jobs/none',
  '/keys',
  '/instance',
  '/operations',
  '/operations/user.create',
  '/reference',
  '/nowhere',
]

/** The violations of the page as it is shown now, with all of its parts open. */
export async function violationsOf(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE)
  return page.evaluate(async (only) => {
    for (const part of document.querySelectorAll('details')) part.open = true
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') }
    const found = await axe.run({ resultTypes: ['violations'], ...(only && { runOnly: [...only] }) })
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
  }, rules)
}

/** The items that axe-core looks at in this run, at equal distances. */
export function examined<Item>(items: readonly Item[]): ReadonlySet<Item> {
  const step = Math.max(1, items.length / size('consoleAxePages'))
  return new Set(items.filter((_, at) => at % step < 1))
}

/** Has alice allow a client access, which begins a sign-in with its URL. */
export async function allowAccess(clientId: string): Promise<void> {
  const parameters = {
    ...{ client_id: clientId, redirect_uri: `${documents.url}/callback`, response_type: 'code' },
    ...{ scope: 'openid', code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM' },
    code_challenge_method: 'S256',
  }
  const browser = system.newBrowser()
  const login = await browser.open(`/oauth/v2/authorize?${new URLSearchParams(parameters)}`)
  const consent = await browser.submit(login, { login_name: 'alice', password: PASSWORD })
  const answer = await browser.submit(consent, { decision: 'allow' })
  expect(answer.headers.get('location')).toContain(`${documents.url}/callback?code=`)
}
