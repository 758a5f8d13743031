// The metadata of Signet as the service provider of one SAML provider (SAML 2.0 Metadata section 2.4.4). It names what acts and
// nothing else: keys only where requests are signed or assertions encrypted, and no logout.
import { assertionConsumer } from '@signet/protocol/assertion-consumer'
import { NAME_ID_CLAIM, STABLE_FORMATS, TRANSIENT } from '@signet/protocol/saml-provider'
import { escapedValue } from './canonical-xml.ts'
import { ENCRYPTION_METHODS } from './decryption.ts'
import { HTTP_POST, PROTOCOL } from './names.ts'
import { DSIG } from './signature.ts'

interface ServedProvider {
  readonly providerId: string
  /** Entity id of Signet at the provider. */
  readonly clientId: string
  readonly subjectClaim: string
  readonly wantAssertionsSigned: boolean
  /** Empty: any. */
  readonly nameIdFormat: string
  /** Empty: that of Signet. */
  readonly assertionConsumerPath: string
  readonly assertionEncryption: string
  readonly signAuthnRequests: boolean
  /** The oldest first. */
  readonly ownCertificates: readonly string[]
}

export function serviceProviderMetadata(provider: ServedProvider, issuer: string): string {
  const { providerId, clientId, subjectClaim, wantAssertionsSigned, nameIdFormat, signAuthnRequests } =
    provider
  // Where an attribute identifies people, the format of the NameID means nothing.
  const taken = subjectClaim === NAME_ID_CLAIM ? STABLE_FORMATS : [...STABLE_FORMATS, TRANSIENT]
  const formats = nameIdFormat === '' ? taken : [nameIdFormat]
  const consumer = assertionConsumer(issuer, providerId, provider.assertionConsumerPath)
  return [
    `<md:EntityDescriptor xmlns:md="${METADATA}" entityID="${escapedValue(clientId)}">`,
    `  <md:SPSSODescriptor AuthnRequestsSigned="${signAuthnRequests}" WantAssertionsSigned="${wantAssertionsSigned}" protocolSupportEnumeration="${PROTOCOL}">`,
    ...keyDescriptors(provider),
    ...formats.map((format) => `    <md:NameIDFormat>${format}</md:NameIDFormat>`),
    `    <md:AssertionConsumerService Binding="${HTTP_POST}" Location="${escapedValue(consumer)}" index="0" isDefault="true"/>`,
    '  </md:SPSSODescriptor>',
    '</md:EntityDescriptor>',
    '',
  ].join('\n')
}

/** All keys that sign or will sign, and the newest of those that decrypt. */
function keyDescriptors({
  assertionEncryption,
  signAuthnRequests,
  ownCertificates,
}: ServedProvider): readonly string[] {
  return [
    ...(signAuthnRequests ? ownCertificates : []).map((one) => keyDescriptor('signing', one, [])),
    ...(assertionEncryption === 'none' ? [] : ownCertificates.slice(-1)).map((one) =>
      keyDescriptor('encryption', one, ENCRYPTION_METHODS),
    ),
  ]
}

const keyDescriptor = (use: string, certificate: string, methods: readonly string[]) =>
  [
    `    <md:KeyDescriptor use="${use}">`,
    `      <ds:KeyInfo xmlns:ds="${DSIG}"><ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>`,
    ...methods.map((method) => `      <md:EncryptionMethod Algorithm="${method}"/>`),
    '    </md:KeyDescriptor>',
  ].join('\n')

const METADATA = 'urn:oasis:names:tc:SAML:2.0:metadata'
