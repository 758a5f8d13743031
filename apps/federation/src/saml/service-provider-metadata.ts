// The metadata of Signet as the service provider of one SAML provider (SAML 2.0 Metadata section 2.4.4). It names what acts and
// nothing else: no key, since requests are not signed and assertions not encrypted, and no logout.
import { identityProviderCallback } from '@signet/protocol/identity-provider-callback'
import { NAME_ID_CLAIM, STABLE_FORMATS, TRANSIENT } from '@signet/protocol/saml-provider'
import { escapedValue } from './canonical-xml.ts'
import { HTTP_POST, PROTOCOL } from './names.ts'

interface ServedProvider {
  readonly providerId: string
  /** Entity id of Signet at the provider. */
  readonly clientId: string
  readonly subjectClaim: string
  readonly wantAssertionsSigned: boolean
  /** Empty: any. */
  readonly nameIdFormat: string
}

export function serviceProviderMetadata(
  { providerId, clientId, subjectClaim, wantAssertionsSigned, nameIdFormat }: ServedProvider,
  issuer: string,
): string {
  // Where an attribute identifies people, the format of the NameID means nothing.
  const taken = subjectClaim === NAME_ID_CLAIM ? STABLE_FORMATS : [...STABLE_FORMATS, TRANSIENT]
  const formats = nameIdFormat === '' ? taken : [nameIdFormat]
  const consumer = identityProviderCallback(issuer, providerId)
  return [
    `<md:EntityDescriptor xmlns:md="${METADATA}" entityID="${escapedValue(clientId)}">`,
    `  <md:SPSSODescriptor AuthnRequestsSigned="false" WantAssertionsSigned="${wantAssertionsSigned}" protocolSupportEnumeration="${PROTOCOL}">`,
    ...formats.map((format) => `    <md:NameIDFormat>${format}</md:NameIDFormat>`),
    `    <md:AssertionConsumerService Binding="${HTTP_POST}" Location="${escapedValue(consumer)}" index="0" isDefault="true"/>`,
    '  </md:SPSSODescriptor>',
    '</md:EntityDescriptor>',
    '',
  ].join('\n')
}

const METADATA = 'urn:oasis:names:tc:SAML:2.0:metadata'
