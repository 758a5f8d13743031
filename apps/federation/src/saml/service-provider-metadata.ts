// The metadata of Signet as the service provider of one SAML provider (SAML 2.0 Metadata section 2.4.4). It names what acts and
// nothing else: no key, since requests are not signed and assertions not encrypted, and no logout.
import { identityProviderCallback } from '@signet/protocol/identity-provider-callback'
import { NAME_ID_CLAIM } from './attributes.ts'
import { escapedValue } from './canonical-xml.ts'
import { HTTP_POST, PROTOCOL, STABLE_FORMATS, TRANSIENT } from './names.ts'

interface ServedProvider {
  readonly providerId: string
  /** Entity id of Signet at the provider. */
  readonly clientId: string
  readonly subjectClaim: string
  readonly wantAssertionsSigned: boolean
}

export function serviceProviderMetadata(
  { providerId, clientId, subjectClaim, wantAssertionsSigned }: ServedProvider,
  issuer: string,
): string {
  // Where an attribute identifies people, the format of the NameID means nothing.
  const formats = subjectClaim === NAME_ID_CLAIM ? STABLE_FORMATS : [...STABLE_FORMATS, TRANSIENT]
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
