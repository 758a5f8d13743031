// People sign in with the password that they have in a directory (LDAP): through login, federation and the directory.

import { hiddenFields } from '@signet/platform/load/http-browser'
import { createCertificateAuthority } from '@signet/testing/client-certificates'
import type { Page } from '@signet/testing/http-browser'
import { type LdapEntry, type LdapServer, startLdapServer } from '@signet/testing/ldap-server'
import { startSystem } from '@signet/testing/system/start-system'
import { REDIRECT_URI } from '@signet/testing/system/test-directory'
import type { TestSystem } from '@signet/testing/system/test-system'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'

const BASE = 'dc=example,dc=org'
const OWN = { dn: `cn=signet,${BASE}`, password: 'the password of signet', attributes: {} }
const PAGE = '/ui/login/identity-provider/password'

let system: TestSystem
let server: LdapServer
let number = 0

beforeAll(async () => {
  const authority = await createCertificateAuthority('CN=Authority of the directory')
  const certificate = await authority.issue({ names: [{ type: 'dns', value: 'localhost' }] })
  server = await startLdapServer({ certificate })
  system = await startSystem({ mode: 'in-process' })
  const created = await system.manage('POST', '/identity-providers', {
    ...{ id: 'ldap', organizationId: 'acme', type: 'ldap', name: 'Directory', clientId: OWN.dn },
    ...{ clientSecret: OWN.password, servers: [`ldaps://localhost:${server.port}`], baseDn: BASE },
    ...{ certificates: [authority.cert], groupsClaim: 'memberOf', creationAllowed: true },
  })
  expect([created.status, created.json]).toEqual([201, expect.objectContaining({ type: 'ldap' })])
}, 120_000)
afterAll(async () => {
  await system?.stop()
  await server?.stop()
})
beforeEach(() => {
  server.entries = [OWN]
  server.requests.length = 0
})

/** Adds a person whom no account here knows. */
function addPerson(more: LdapEntry['attributes'] = {}) {
  number += 1
  const uid = `ldap-person-${number}`
  const uuid = `0b5c6e1c-7f0c-4d5e-9a4b-${`${number}`.padStart(12, '0')}`
  const person = {
    dn: `uid=${uid},${BASE}`,
    password: `the password of ${uid}`,
    attributes: { objectClass: 'person', uid, entryUUID: uuid, cn: uid, ...more },
  }
  server.entries.push(person)
  return { uid, ...person }
}

const signInPage = (browser = system.newBrowser(), scope = 'openid') => {
  const query = { client_id: 'web', redirect_uri: REDIRECT_URI, response_type: 'code', scope }
  return browser.open(`/oauth/v2/authorize?${new URLSearchParams(query)}`)
}

async function open(browser = system.newBrowser(), scope = 'openid') {
  const page = await signInPage(browser, scope)
  const shown = await browser.press(page, 'provider-1')
  return { browser, page: await browser.open(shown.headers.get('location') ?? '') }
}

type Opened = Awaited<ReturnType<typeof open>>

async function submit({ browser, page }: Opened, login_name: string, password: string): Promise<Page> {
  const form = page.body.split('<form ').find((text) => text.includes(`action="${PAGE}"`)) ?? ''
  const answer = await browser.send(PAGE, { ...hiddenFields({ body: form }), login_name, password })
  const location = answer.headers.get('location')
  return location?.startsWith('/') ? browser.open(location) : answer
}

const signIn = async (name: string, password: string) => submit(await open(), name, password)
const isSignedIn = ({ headers }: Page) => headers.get('location')?.includes('code=') ?? false

async function accountsOf(uid: string): Promise<readonly string[]> {
  const { json } = await system.manage('GET', `/users?organizationId=acme&userName=${uid}`)
  return ((json as { items?: { id: string }[] }).items ?? []).map(({ id }) => id)
}

it('makes an account at the first sign-in, finds it at the second, and takes no other password', async () => {
  const { uid, password } = addPerson()
  expect(isSignedIn(await signIn(uid, password))).toBe(true)
  const [id] = await accountsOf(uid)
  expect(id).toBeDefined()
  // A new name in the directory is no new person.
  const [, person] = server.entries
  server.entries = [
    OWN,
    { ...person, attributes: { ...person?.attributes, uid: `${uid}-renamed` } } as LdapEntry,
  ]
  expect(isSignedIn(await signIn(`${uid}-renamed`, password))).toBe(true)
  expect(await accountsOf(uid)).toEqual([id])
  const wrong = await signIn(`${uid}-renamed`, 'wrong')
  expect([wrong.status, wrong.body]).toEqual([400, expect.stringContaining('password is not right')])
})

it('links no account by the name or the address of a person of the directory', async () => {
  const { uid, password } = addPerson({ uid: 'alice', mail: 'alice@acme.localhost' })
  const page = await signIn('alice', password)
  expect(isSignedIn(page)).toBe(false)
  const { json } = await system.manage('GET', '/users/alice/identity-links')
  expect(JSON.stringify(json)).not.toContain(uid)
})

it('makes one account when a person signs in twice at once', async () => {
  const { uid, password } = addPerson()
  const opened = await Promise.all(Array.from({ length: 4 }, () => open()))
  const answers = await Promise.all(opened.map((one) => submit(one, uid, password)))
  expect(answers.map(isSignedIn)).toEqual([true, true, true, true])
  expect(await accountsOf(uid)).toHaveLength(1)
})

it('refuses once the provider is deactivated, also a page that is open', async () => {
  const { uid, password } = addPerson()
  const opened = await open()
  expect((await system.manage('POST', '/identity-providers/ldap/deactivate', {})).status).toBe(200)
  const refused = await submit(opened, uid, password)
  expect(isSignedIn(refused)).toBe(false)
  expect(server.requests).toEqual([])
  expect((await system.manage('POST', '/identity-providers/ldap/activate')).status).toBe(200)
  // The pages have the providers of a second ago at most.
  const isOffered = async () => (await signInPage()).body.includes('id="provider-1"')
  await expect.poll(isOffered).toBe(true)
  expect(isSignedIn(await submit(await open(), uid, password))).toBe(true)
})

it('offers the provider to no other organization, and takes no password for it there', async () => {
  const { uid, password } = addPerson()
  const opened = await open()
  const { browser } = opened
  const other = await browser.open(
    `/oauth/v2/authorize?${new URLSearchParams({ client_id: 'web', redirect_uri: REDIRECT_URI, response_type: 'code', scope: 'openid urn:service:iam:org:id:globex' })}`,
  )
  expect(other.body).not.toContain('id="provider-1"')
  const [, request = ''] = /name="request" value="([^"]*)"/.exec(other.body) ?? []
  const page = await browser.open(`${PAGE}?request=${request}&provider=ldap`)
  expect(page.body).not.toContain(`action="${PAGE}"`)
  expect(server.requests).toEqual([])
  expect(isSignedIn(await submit(opened, uid, password))).toBe(true)
})

it('tests the provider: shows the entry and the account that a sign-in would make, and makes none', async () => {
  const { uid, password } = addPerson({ givenName: 'Ann', sn: 'Test', memberOf: [`cn=staff,${BASE}`] })
  const { json: link } = await system.manage('POST', '/identity-providers/ldap/tests')
  const { id, url } = link as { readonly id: string; readonly url: string }
  const browser = system.newBrowser()
  const { pathname, search } = new URL(url)
  const page = await browser.open(`${pathname}${search}`)
  const shown = await browser.send(pathname, { ...hiddenFields(page), login_name: uid, password })
  expect([shown.status, shown.body]).toEqual([200, expect.stringContaining('id="test-result"')])
  const { json: result } = await system.manage('POST', `/identity-providers/ldap/tests/${id}/take`)
  expect(result).toMatchObject({
    ...{ state: 'done', outcome: 'creates', groups: [`cn=staff,${BASE}`] },
    account: { userName: uid, profile: { givenName: 'Ann', familyName: 'Test' }, methods: ['pwd'] },
    documents: { ldap_entry: { dn: `uid=${uid},${BASE}`, givenname: ['Ann'] } },
  })
  expect(JSON.stringify(result)).not.toContain(password)
  expect(await accountsOf(uid)).toEqual([])
  expect((await browser.open(`${pathname}${search}`)).status).toBe(400)
})
