// The request of SAML 2.0 Core section 3.4 in the binding HTTP-Redirect (Bindings section 3.4).
import type { KeyObject } from 'node:crypto'
import { escapedValue } from './canonical-xml.ts'
import { ASSERTION, HTTP_POST, PROTOCOL } from './names.ts'
import { redirectWith } from './redirect-binding.ts'

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
  return redirectWith(ssoUrl, { name: 'SAMLRequest', xml, relayState, key })
}
