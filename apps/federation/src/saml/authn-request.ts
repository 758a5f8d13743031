// The request of SAML 2.0 Core section 3.4 in the binding HTTP-Redirect (Bindings section 3.4).
import { type KeyObject, sign } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import { escapedValue } from './canonical-xml.ts'
import { ASSERTION, HTTP_POST, PROTOCOL, RSA_SHA256 } from './names.ts'

interface AuthnRequest {
  readonly id: string
  readonly at: Date
  readonly ssoUrl: string
  /** Entity id of Signet at the provider. */
  readonly entityId: string
  /** Address of the assertion consumer service, to which the response goes. */
  readonly consumer: string
  readonly relayState: string
  /** The format of the NameID that the response has to have. Empty: any. */
  readonly nameIdFormat: string
  /** The person has to authenticate again. */
  readonly forced: boolean
  /** Signs the request. */
  readonly key: KeyObject | undefined
}

/** Returns where the browser goes with the request. */
export function authnRequestUrl(request: AuthnRequest): URL {
  const { id, at, ssoUrl, entityId, consumer, relayState, nameIdFormat, forced, key } = request
  const attributes = {
    ...{ ID: id, Version: '2.0', IssueInstant: at.toISOString(), Destination: ssoUrl },
    ...{ AssertionConsumerServiceURL: consumer, ProtocolBinding: HTTP_POST },
    ...(forced && { ForceAuthn: 'true' }),
  }
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}="${escapedValue(value)}"`)
  const policy =
    nameIdFormat === ''
      ? ''
      : `<samlp:NameIDPolicy Format="${escapedValue(nameIdFormat)}" AllowCreate="true"/>`
  const xml =
    `<samlp:AuthnRequest xmlns:samlp="${PROTOCOL}"${written.join('')}>` +
    `<saml:Issuer xmlns:saml="${ASSERTION}">${escapedValue(entityId)}</saml:Issuer>${policy}</samlp:AuthnRequest>`
  const parameters = {
    SAMLRequest: deflateRawSync(xml).toString('base64'),
    RelayState: relayState,
    ...(key && { SigAlg: RSA_SHA256 }),
  }
  const url = new URL(ssoUrl)
  for (const name of [...Object.keys(parameters), 'Signature']) url.searchParams.delete(name)
  // The signature covers these octets as they stand in the address (Bindings section 3.4.4.1).
  const query = encoded(parameters)
  const signature = key && sign('sha256', Buffer.from(query), key).toString('base64')
  const added = signature === undefined ? query : `${query}&${encoded({ Signature: signature })}`
  url.search = url.search === '' ? added : `${url.search}&${added}`
  return url
}

const encoded = (parameters: Readonly<Record<string, string>>) =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')
