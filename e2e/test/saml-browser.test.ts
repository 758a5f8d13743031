// A person signs in through a SAML partner in Chromium, with and without JavaScript.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createCertificateAuthority, rsaPss } from '@signet/testing/client-certificates'
import { openChromium } from '@signet/testing/system/chromium'
import type { InProcessSystem } from '@signet/testing/system/in-process-system'
import { type RelyingParty, startRelyingParty } from '@signet/testing/system/relying-party'
import { startSystem } from '@signet/testing/system/start-system'
import { bootstrapDocument, PASSWORD } from '@signet/testing/system/test-directory'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type SamlPartner, startSamlPartner } from './saml-partner.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const ENTITY_ID = 'urn:example:idp'
const AUDIENCE = 'https://id.example.com/saml/acme'

let system: InProcessSystem
let app: RelyingParty
let partner: SamlPartner
let chrome: Browser
let key: string
const contexts: BrowserContext[] = []
beforeAll(async () => {
  const own = await createCertificateAuthority('CN=idp', rsaPss('SHA-256'))
  key = own.key
  app = await startRelyingParty()
  const document = bootstrapDocument({ redirectUris: [app.redirectUri] })
  ;[system, partner, chrome] = await Promise.all([
    startSystem({ mode: 'in-process', document }),
    startSamlPartner({ entityId: ENTITY_ID, audience: AUDIENCE, key }),
    openChromium(),
  ])
  const created = await system.manage('POST', '/identity-providers', {
    ...{ id: 'saml', organizationId: 'acme', type: 'saml', name: 'Partner', issuer: ENTITY_ID },
    ...{ clientId: AUDIENCE, ssoUrl: partner.ssoUrl, certificates: [own.cert] },
    ...{ linkingAllowed: true, creationAllowed: true },
  })
  expect(created.status).toBe(201)
}, 120_000)
afterEach(async () => {
  await Promise.all(contexts.splice(0).map((context) => context.close()))
})
afterAll(async () => {
  await chrome?.close()
  await partner?.stop()
  await system?.stop()
  await app?.close()
})

/** Opens the sign-in page in a new browser, and goes through the partner. */
async function throughPartner(subject: string, javaScriptEnabled: boolean, width = 1280): Promise<Page> {
  partner.subject = subject
  const context = await chrome.newContext({ javaScriptEnabled, viewport: { width, height: 800 } })
  contexts.push(context)
  const page = await context.newPage()
  const query = { client_id: 'web', redirect_uri: app.redirectUri, response_type: 'code', scope: 'openid' }
  await page.goto(`${system.issuer}/oauth/v2/authorize?${new URLSearchParams(query)}`)
  await page.click('#provider-1')
  if (!javaScriptEnabled) await page.getByRole('button', { name: 'Continue' }).click()
  await page.waitForURL((url) => url.origin !== new URL(partner.ssoUrl).origin)
  return page
}

const isAnswered = (page: Page) => page.waitForURL((url) => url.href.startsWith(`${app.redirectUri}?code=`))

describe.each([
  ['with JavaScript', true],
  ['without JavaScript', false],
])('a person %s', (name, javaScriptEnabled) => {
  it('gets an account at the first sign-in, and is asked nothing at the second', async () => {
    const page = await throughPartner(`new ${name}`, javaScriptEnabled)
    await page.click('#unlinked-create')
    await isAnswered(page)
    await isAnswered(await throughPartner(`new ${name}`, javaScriptEnabled))
  })

  it('links an account after a sign-in to it', async () => {
    const page = await throughPartner(`linked ${name}`, javaScriptEnabled)
    await page.click('#unlinked-link')
    await page.fill('#login-name', 'alice')
    await page.fill('#password', PASSWORD)
    await page.click('#login-submit')
    await page.click('#link-accept')
    await isAnswered(page)
    const { json } = await system.manage('GET', '/users/alice/identity-links')
    expect(json.items).toContainEqual(
      expect.objectContaining({ subject: `linked ${name}`, providerId: 'saml' }),
    )
  })

  it('that the partner may not sign in sees one page with the id that finds the refusal', async () => {
    const { key: other } = await createCertificateAuthority('CN=other', rsaPss('SHA-256'))
    partner.key = other
    try {
      const page = await throughPartner('alice', javaScriptEnabled, 320)
      const alert = (await page.getByRole('alert').textContent()) ?? ''
      const [id = ''] = /[0-9a-f-]{32,36}/.exec(alert) ?? []
      expect(id, alert).not.toBe('')
      expect(await page.locator('#login-name').isVisible()).toBe(true)
      expect(page.url()).not.toContain('SAMLResponse')
      if (!javaScriptEnabled) return
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320)
      await page.evaluate(AXE)
      const violations = await page.evaluate(
        'axe.run().then((found) => found.violations.map(({ id }) => id))',
      )
      expect(violations).toEqual([])
    } finally {
      partner.key = key
    }
  })
})
