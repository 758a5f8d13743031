// A provider of SAML 2.0 for tests: it signs what a test wants, and posts it by a page of its own.
import { randomBytes, sign } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { startHttpServer } from '@signet/testing/http-server'
import { SignedXml } from 'xml-crypto'

const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#'
const SAML = 'urn:oasis:names:tc:SAML:2.0'

interface Response {
  /** Undefined: the provider sends it without a request. */
  readonly requestId?: string
  readonly subject: string
  /** PEM of the key that signs. */
  readonly key: string
  readonly entityId: string
  readonly audience: string
  /** The address that the response goes to. */
  readonly consumer: string
  /** The name of the session at the provider. */
  readonly sessionIndex?: string
}

/** The XML of a response with a signed assertion. */
export function signedResponse({
  requestId,
  subject,
  key,
  entityId,
  audience,
  consumer,
  ...more
}: Response): string {
  const answers = requestId === undefined ? '' : ` InResponseTo="${requestId}"`
  const index = more.sessionIndex === undefined ? '' : ` SessionIndex="${more.sessionIndex}"`
  const at = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString()
  const xml = `<samlp:Response xmlns:samlp="${SAML}:protocol" ID="_r" Version="2.0"${answers}><samlp:Status><samlp:StatusCode Value="${SAML}:status:Success"/></samlp:Status><saml:Assertion xmlns:saml="${SAML}:assertion" ID="_${randomBytes(8).toString('hex')}" Version="2.0" IssueInstant="${at(0)}"><saml:Issuer>${entityId}</saml:Issuer><saml:Subject><saml:NameID>${subject}</saml:NameID><saml:SubjectConfirmation Method="${SAML}:cm:bearer"><saml:SubjectConfirmationData${answers} Recipient="${consumer}" NotOnOrAfter="${at(60)}"/></saml:SubjectConfirmation></saml:Subject><saml:Conditions><saml:AudienceRestriction><saml:Audience>${audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions><saml:AuthnStatement AuthnInstant="${at(0)}"${index}><saml:AuthnContext/></saml:AuthnStatement></saml:Assertion></samlp:Response>`
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

/** The query of a signed message of a sign-out (SAML 2.0 Bindings section 3.4). */
export function signedLogoutQuery(
  { name, inResponseTo, ...values }: LogoutValues,
  { key, relayState }: { readonly key: string; readonly relayState: string },
): string {
  const { entityId, destination, content } = values
  const answers = inResponseTo === undefined ? '' : ` InResponseTo="${inResponseTo}"`
  const xml = `<samlp:${name} xmlns:samlp="${SAML}:protocol" xmlns:saml="${SAML}:assertion" ID="_${randomBytes(8).toString('hex')}" Version="2.0" IssueInstant="${new Date().toISOString()}" Destination="${destination}"${answers}><saml:Issuer>${entityId}</saml:Issuer>${content}</samlp:${name}>`
  const parameters = {
    [name === 'LogoutRequest' ? 'SAMLRequest' : 'SAMLResponse']: deflateRawSync(xml).toString('base64'),
    ...{ RelayState: relayState, SigAlg: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256' },
  }
  const query = new URLSearchParams(parameters).toString()
  const Signature = sign('sha256', Buffer.from(query), key).toString('base64')
  return `${query}&${new URLSearchParams({ Signature })}`
}

interface LogoutValues {
  readonly name: 'LogoutRequest' | 'LogoutResponse'
  readonly inResponseTo?: string
  readonly entityId: string
  readonly destination: string
  readonly content: string
}

/** The AuthnRequest in the address of the provider. */
function readRequest(url: URL) {
  const { searchParams } = url
  const xml = inflateRawSync(Buffer.from(searchParams.get('SAMLRequest') ?? '', 'base64')).toString()
  const value = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(xml)?.[1] ?? ''
  return {
    ...{ id: value('ID'), consumer: value('AssertionConsumerServiceURL') },
    relayState: searchParams.get('RelayState') ?? '',
  }
}

export type SamlPartner = Awaited<ReturnType<typeof startSamlPartner>>

/** Starts a provider at another site than `localhost`. Its page posts the response by script, and by its button without. */
export async function startSamlPartner(values: Pick<Response, 'entityId' | 'audience' | 'key'>) {
  const partner = { subject: 'alice', ...values }
  const { port, stop } = await startHttpServer((req, res) => {
    const request = readRequest(new URL(req.url ?? '/', 'http://127.0.0.1'))
    const { consumer, relayState } = request
    const xml = signedResponse({ ...partner, consumer, requestId: request.id })
    res.setHeader('Content-Type', 'text/html')
    res.end(`<!doctype html><title>Partner</title><form method="post" action="${consumer}">
      <input type="hidden" name="SAMLResponse" value="${Buffer.from(xml).toString('base64')}">
      <input type="hidden" name="RelayState" value="${relayState}">
      <noscript><button type="submit">Continue</button></noscript></form>
      <script>document.forms[0].submit()</script>`)
  })
  return Object.assign(partner, { ssoUrl: `http://127.0.0.1:${port}/sso`, stop })
}
