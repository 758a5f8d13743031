// A person signs in by an identity provider of SAML 2.0: through login, federation and the directory.
import { randomBytes } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'
import { createCertificateAuthority, rsaPss } from '@signet/testing/client-certificates'
import { startSystem } from '@signet/testing/system/start-system'
import { REDIRECT_URI } from '@signet/testing/system/test-directory'
import type { TestSystem } from '@signet/testing/system/test-system'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { SignedXml } from 'xml-crypto'

const ENTITY_ID = 'urn:example:idp'
const AUDIENCE = 'https://id.example.com/saml/acme'
const CALLBACK = '/ui/identity-providers/saml/callback'
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#'
const SAML = 'urn:oasis:names:tc:SAML:2.0'

let system: TestSystem
let key: string
beforeAll(async () => {
  system = await startSystem({ mode: 'in-process' })
  const own = await createCertificateAuthority('CN=idp', rsaPss('SHA-256'))
  key = own.key
  const created = await system.manage('POST', '/identity-providers', {
    ...{ id: 'saml', organizationId: 'acme', type: 'saml', name: 'SAML', issuer: ENTITY_ID },
    ...{ clientId: AUDIENCE, ssoUrl: 'https://idp.example/sso', certificates: [own.cert] },
    ...{ creationAllowed: true },
  })
  expect(created.status).toBe(201)
}, 120_000)
afterAll(() => system?.stop())

/** Begins a sign-in in a new browser, and returns what the provider gets. */
async function begin() {
  const browser = system.newBrowser()
  const query = { client_id: 'web', redirect_uri: REDIRECT_URI, response_type: 'code', scope: 'openid' }
  const page = await browser.open(`/oauth/v2/authorize?${new URLSearchParams(query)}`)
  const form = page.body.split('<form ').find((text) => text.includes('id="provider-1"')) ?? ''
  const [, action = ''] = /action="([^"]*)"/.exec(form) ?? []
  const fields = [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)]
  const away = await browser.send(action, {
    ...Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value])),
    provider: 'saml',
  })
  const { searchParams, origin } = new URL(away.headers.get('location') ?? '')
  expect(origin).toBe('https://idp.example')
  const request = inflateRawSync(Buffer.from(searchParams.get('SAMLRequest') ?? '', 'base64')).toString()
  const [, requestId = ''] = / ID="([^"]*)"/.exec(request) ?? []
  return { browser, requestId, relayState: searchParams.get('RelayState') ?? '' }
}

function response(requestId: string, subject: string): string {
  const at = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString()
  const xml = `<samlp:Response xmlns:samlp="${SAML}:protocol" ID="_r" Version="2.0" InResponseTo="${requestId}"><samlp:Status><samlp:StatusCode Value="${SAML}:status:Success"/></samlp:Status><saml:Assertion xmlns:saml="${SAML}:assertion" ID="_${randomBytes(8).toString('hex')}" Version="2.0" IssueInstant="${at(0)}"><saml:Issuer>${ENTITY_ID}</saml:Issuer><saml:Subject><saml:NameID>${subject}</saml:NameID><saml:SubjectConfirmation Method="${SAML}:cm:bearer"><saml:SubjectConfirmationData InResponseTo="${requestId}" Recipient="${system.issuer}${CALLBACK}" NotOnOrAfter="${at(60)}"/></saml:SubjectConfirmation></saml:Subject><saml:Conditions><saml:AudienceRestriction><saml:Audience>${AUDIENCE}</saml:Audience></saml:AudienceRestriction></saml:Conditions><saml:AuthnStatement AuthnInstant="${at(0)}"><saml:AuthnContext/></saml:AuthnStatement></saml:Assertion></samlp:Response>`
  const signature = new SignedXml({
    privateKey: key,
    signatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    canonicalizationAlgorithm: EXCLUSIVE,
  })
  signature.addReference({
    xpath: "//*[local-name(.)='Assertion']",
    transforms: ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', EXCLUSIVE],
    digestAlgorithm: 'http://www.w3.org/2001/04/xmlenc#sha256',
  })
  signature.computeSignature(xml, {
    location: { reference: "//*[local-name(.)='Issuer']", action: 'after' },
  })
  return signature.getSignedXml()
}

/** Posts a response as a page of the provider does, and follows the redirects. */
async function answer({ browser, relayState }: Awaited<ReturnType<typeof begin>>, xml: string) {
  const form = { SAMLResponse: Buffer.from(xml).toString('base64'), RelayState: relayState }
  const kept = await browser.send(CALLBACK, form, { withCookies: false })
  expect(kept.status).toBe(303)
  return browser.open(kept.headers.get('location') ?? '')
}

it('makes an account at the first sign-in, finds it at the second, and takes no changed response', async () => {
  const first = await begin()
  const xml = response(first.requestId, 'alice-of-idp')
  const page = await answer(first, xml)
  const question = page.headers.get('location') ?? page.body
  expect(question).toContain(REDIRECT_URI.split('?')[0])

  const second = await begin()
  const again = await answer(second, response(second.requestId, 'alice-of-idp'))
  expect(again.headers.get('location')).toContain('code=')

  const third = await begin()
  const forged = response(third.requestId, 'alice-of-idp').replace('alice-of-idp', 'bob')
  const refused = await answer(third, forged)
  expect(refused.headers.get('location') ?? '').not.toContain('code=')
  expect(refused.body).not.toContain('code=')
})

it('serves the metadata that the administrator of the provider imports', async () => {
  const { status, body } = await system.newBrowser().open('/ui/identity-providers/saml/metadata')
  expect(status).toBe(200)
  expect(body).toContain(`entityID="${AUDIENCE}"`)
  expect(body).toContain(`Location="${system.issuer}${CALLBACK}"`)
  expect((await system.newBrowser().open('/ui/identity-providers/none/metadata')).status).toBe(404)
})
