// A realm of a real Keycloak as the identity provider of Signet: by OpenID Connect with back-channel logout, and by SAML 2.0 with
// signed requests and encrypted assertions. `npm run test:interop` runs it where Java and Maven are installed.
import { decodeEntities } from '@signet/platform/load/http-browser'
import { HttpBrowser, type Page } from '@signet/testing/http-browser'
import { type Keycloak, startKeycloak } from '@signet/testing/keycloak-server'
import { startSystem } from '@signet/testing/system/start-system'
import { REDIRECT_URI } from '@signet/testing/system/test-directory'
import type { TestSystem } from '@signet/testing/system/test-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const programs = process.env.SIGNET_TEST_INTEROP?.split(',') ?? []
const canRun = ['java', 'mvn'].every((program) => programs.includes(program))

const REALM = 'corporate'
const PASSWORD = 'a-password-of-the-realm'
const SECRET = 'a-secret-of-the-realm'
const XENC = 'http://www.w3.org/2001/04/xmlenc#'
const XENC11 = 'http://www.w3.org/2009/xmlenc11#'
const AES128_GCM = `${XENC11}aes128-gcm`
/** The realm keeps attributes that a change leaves out. */
const OWN_ALGORITHMS = {
  'saml.encryption.algorithm': `${XENC11}aes256-gcm`,
  'saml.encryption.keyAlgorithm': `${XENC11}rsa-oaep`,
  'saml.encryption.digestMethod': `${XENC}sha256`,
}
const SHA1 = { 'saml.encryption.digestMethod': 'http://www.w3.org/2000/09/xmldsig#sha1' }
const OF_ASSERTION = { 'saml.server.signature': 'false', 'saml.assertion.signature': 'true' }
const NO_SIGNATURE = { 'saml.server.signature': 'false', 'saml.assertion.signature': 'false' }

describe.runIf(canRun)('a realm of Keycloak', () => {
  const opened = new AsyncDisposableStack()
  let system: TestSystem
  let keycloak: Keycloak

  beforeAll(async () => {
    system = await startSystem({ mode: 'in-process' })
    opened.defer(async () => void (await system.stop()))
    keycloak = await startKeycloak()
    opened.defer(() => keycloak.remove())
    const people = ['ann', 'ben', 'cat'].map((username) => ({
      ...{ username, enabled: true, firstName: 'Given', lastName: 'Family' },
      ...{ email: `${username}@corporate.example`, emailVerified: true },
      credentials: [{ type: 'password', value: PASSWORD, temporary: false }],
    }))
    await keycloak.call('POST', '/realms', {
      realm: REALM,
      enabled: true,
      sslRequired: 'none',
      users: people,
    })
  }, 600_000)
  afterAll(() => opened.disposeAsync())

  const locationOf = ({ headers }: Page) => headers.get('location') ?? ''
  const authorizePath = (more: Readonly<Record<string, string>> = {}) =>
    `/oauth/v2/authorize?${new URLSearchParams({ client_id: 'web', redirect_uri: REDIRECT_URI, response_type: 'code', scope: 'openid', ...more })}`

  /** Presses the button of the provider, and signs in at the realm. Returns its last page. */
  async function signInThere(browser: HttpBrowser, username: string, providerId: string) {
    const button = new RegExp(`id="(provider-\\d+)"[^>]* value="${providerId}"`)
    const open = async () => browser.open(authorizePath())
    // Other replicas see a new provider within a second.
    await expect.poll(async () => (await open()).body, { timeout: 10_000 }).toMatch(button)
    const offered = await open()
    const [, id = ''] = button.exec(offered.body) ?? []
    const away = await browser.press(offered, id)
    expect(locationOf(away)).toContain(`${keycloak.origin}/realms/${REALM}/protocol/`)
    const there = new HttpBrowser(keycloak.origin)
    const page = await there.open(locationOf(away))
    if (page.status !== 200) throw new Error(page.body)
    return there.submit(page, { username, password: PASSWORD })
  }

  const isAnswered = (page: Page) =>
    locationOf(page).startsWith(REDIRECT_URI) && locationOf(page).includes('code=')

  async function lastRefusal() {
    const { json } = await system.manage('GET', '/refusals?provider=saml&limit=1')
    return JSON.stringify((json.items as readonly unknown[])[0])
  }

  async function createProvider(provider: object) {
    const { status, json } = await system.manage('POST', '/identity-providers', {
      ...{ organizationId: 'acme', creationAllowed: true, ...provider },
    })
    expect([status, json.message]).toEqual([201, undefined])
    return json
  }

  describe('by OpenID Connect', () => {
    beforeAll(async () => {
      const own = `${system.issuer}/ui/identity-providers/kc`
      await keycloak.call('POST', `/realms/${REALM}/clients`, {
        ...{ clientId: 'signet', secret: SECRET, publicClient: false, redirectUris: [`${own}/callback`] },
        attributes: {
          'backchannel.logout.url': `${own}/backchannel-logout`,
          'backchannel.logout.session.required': 'true',
          'pkce.code.challenge.method': 'S256',
        },
      })
      await createProvider({
        ...{ id: 'kc', preset: 'keycloak', name: 'A Keycloak', issuer: `${keycloak.origin}/realms/${REALM}` },
        ...{ clientId: 'signet', clientSecret: SECRET, backchannelLogout: true },
      })
    })

    async function signIn(username: string) {
      const browser = system.newBrowser()
      const back = await signInThere(browser, username, 'kc')
      const page = await browser.open(locationOf(back))
      return { browser, page }
    }

    it('signs a person in, and the same account again', async () => {
      const first = await signIn('ann')
      expect(isAnswered(first.page)).toBe(true)
      expect(isAnswered((await signIn('ann')).page)).toBe(true)
      const { json } = await system.manage('GET', '/users?organizationId=acme&limit=200')
      const made = (json.items as readonly { readonly userName: string }[]).filter(({ userName }) =>
        userName.startsWith('ann'),
      )
      expect(made).toHaveLength(1)
    })

    it('ends the session here where an administrator of the realm signs the person out', async () => {
      const ben = await signIn('ben')
      expect(isAnswered(ben.page)).toBe(true)
      const cat = await signIn('cat')
      const isSignedIn = async ({ browser }: { readonly browser: HttpBrowser }) =>
        isAnswered(await browser.send(authorizePath({ prompt: 'none' })))
      expect([await isSignedIn(ben), await isSignedIn(cat)]).toEqual([true, true])
      const found = await keycloak.call('GET', `/realms/${REALM}/users?username=ben&exact=true`)
      const [{ id }] = found as [{ readonly id: string }]
      await keycloak.call('POST', `/realms/${REALM}/users/${id}/logout`)
      await expect.poll(() => isSignedIn(ben), { timeout: 10_000 }).toBe(false)
      expect(await isSignedIn(cat)).toBe(true)
    })
  })

  describe('by SAML 2.0', () => {
    const CLIENT_ID = 'urn:signet:sp'
    const CALLBACK = '/ui/identity-providers/saml/callback'
    let client: { readonly id: string; readonly attributes: Readonly<Record<string, string>> }

    beforeAll(async () => {
      await createProvider({
        ...{ id: 'saml', type: 'saml', name: 'B Keycloak', clientId: CLIENT_ID },
        metadataUrl: `${keycloak.origin}/realms/${REALM}/protocol/saml/descriptor`,
        ...{ assertionEncryption: 'required', signAuthnRequests: true },
      })
      const { body } = await system.newBrowser().open('/ui/identity-providers/saml/metadata')
      const described = await keycloak.call('POST', `/realms/${REALM}/client-description-converter`, body)
      await keycloak.call('POST', `/realms/${REALM}/clients`, described)
      const found = await keycloak.call('GET', `/realms/${REALM}/clients?clientId=${CLIENT_ID}`)
      client = (found as [typeof client])[0]
    })

    const change = (attributes: object) =>
      keycloak.call('PUT', `/realms/${REALM}/clients/${client.id}`, {
        ...client,
        attributes: { ...client.attributes, ...OWN_ALGORITHMS, ...attributes },
      })

    async function signIn(username: string) {
      const browser = system.newBrowser()
      const { body } = await signInThere(browser, username, 'saml')
      const fieldOf = (name: string) => {
        const [, value] = new RegExp(`name="${name}"[^>]* value="([^"]*)"`, 'i').exec(body) ?? []
        if (value === undefined) throw new Error(`no ${name} in:\n${body}`)
        return decodeEntities(value)
      }
      const fields = { SAMLResponse: fieldOf('SAMLResponse'), RelayState: fieldOf('RelayState') }
      const kept = await browser.send(CALLBACK, fields, { withCookies: false })
      expect(kept.status).toBe(303)
      return { fields, page: await browser.open(locationOf(kept)) }
    }
    const xmlOf = ({ SAMLResponse = '' }: Readonly<Record<string, string>>) =>
      Buffer.from(SAMLResponse, 'base64').toString()

    it('takes the keys of Signet from its metadata', () => {
      expect(client.attributes).toMatchObject({ 'saml.client.signature': 'true', 'saml.encrypt': 'true' })
    })

    it('signs a person in by a signed request and an encrypted assertion', async () => {
      const { fields, page } = await signIn('ann')
      expect(isAnswered(page), await lastRefusal()).toBe(true)
      expect(xmlOf(fields)).toContain('<saml:EncryptedAssertion>')
      expect(xmlOf(fields)).not.toContain('<saml:Assertion')
    })

    it.each([
      ['a signature of the assertion alone', { ...OF_ASSERTION, 'saml.encryption.algorithm': AES128_GCM }],
      ['SHA-1 in the wrapped key', { 'saml.encryption.keyAlgorithm': `${XENC}rsa-oaep-mgf1p`, ...SHA1 }],
    ])('takes %s', async (_, attributes) => {
      await change(attributes)
      const { page } = await signIn('ann')
      expect(isAnswered(page), await lastRefusal()).toBe(true)
    })

    it.each([
      ['AES-CBC', { 'saml.encryption.algorithm': `${XENC}aes256-cbc` }, 'aes256-cbc'],
      ['RSA PKCS #1 v1.5', { 'saml.encryption.keyAlgorithm': `${XENC}rsa-1_5` }, 'rsa-1_5'],
      ['an assertion that nothing signs', NO_SIGNATURE, 'signature_missing'],
      ['a plain assertion', { 'saml.encrypt': 'false' }, 'encryption_missing'],
    ])('refuses %s', async (_, attributes, rule) => {
      await change(attributes)
      expect(isAnswered((await signIn('ann')).page)).toBe(false)
      await expect.poll(lastRefusal, { timeout: 10_000 }).toContain(rule)
    })

    it('is refused there with a request that is not signed', async () => {
      await change({})
      const set = (signAuthnRequests: boolean) =>
        system.manage('PATCH', '/identity-providers/saml', { signAuthnRequests })
      expect((await set(false)).status).toBe(200)
      await expect(signIn('ann')).rejects.toThrow('Invalid requester')
      expect((await set(true)).status).toBe(200)
      expect(isAnswered((await signIn('ann')).page), await lastRefusal()).toBe(true)
    })
  })
})
