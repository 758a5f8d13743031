// The metadata of Signet as the service provider of one SAML provider (SAML 2.0 Metadata section 2.4.4). It names what acts and
// nothing else: keys only where messages are signed or assertions encrypted, and a sign-out only where that is set up.
import { assertionConsumer } from '@signet/protocol/assertion-consumer'
import { singleLogoutService } from '@signet/protocol/identity-provider-callback'
import { NAME_ID_CLAIM, STABLE_FORMATS, TRANSIENT } from '@signet/protocol/saml-provider'
import { escapedValue } from './canonical-xml.ts'
import { ENCRYPTION_METHODS } from './decryption.ts'
import { HTTP_POST, HTTP_REDIRECT, PROTOCOL } from './names.ts'
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
  /** Empty: no sign-out goes on at the provider, or comes from there. */
  readonly sloUrl: string
  readonly rpInitiatedLogout: boolean
  readonly backchannelLogout: boolean
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
    ...logoutServices(provider, issuer),
    ...formats.map((format) => `    <md:NameIDFormat>${format}</md:NameIDFormat>`),
    `    <md:AssertionConsumerService Binding="${HTTP_POST}" Location="${escapedValue(consumer)}" index="0" isDefault="true"/>`,
    '  </md:SPSSODescriptor>',
    '</md:EntityDescriptor>',
    '',
  ].join('\n')
}

const hasLogout = ({ sloUrl, rpInitiatedLogout, backchannelLogout }: ServedProvider) =>
  sloUrl !== '' && (rpInitiatedLogout || backchannelLogout)

const logoutServices = (provider: ServedProvider, issuer: string) =>
  (hasLogout(provider) ? [HTTP_REDIRECT, HTTP_POST] : []).map(
    (binding) =>
      `    <md:SingleLogoutService Binding="${binding}" Location="${escapedValue(singleLogoutService(issuer, provider.providerId))}"/>`,
  )

/** All keys that sign or will sign, and the newest of those that decrypt. */
function keyDescriptors(provider: ServedProvider): readonly string[] {
  const { assertionEncryption, signAuthnRequests, ownCertificates } = provider
  return [
    ...(signAuthnRequests || hasLogout(provider) ? ownCertificates : []).map((one) =>
      keyDescriptor('signing', one, []),
    ),
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
