// The identity providers by which people of an organization sign in with an identity that they have elsewhere (OpenID Connect
// Core). A link of provider, issuer and subject finds an account, and an e-mail address never does.

import { BRANDING_MEDIA_TYPES } from '@signet/protocol/branding-files'
import { PROVIDER_TYPES } from '@signet/protocol/identity-provider-types'
import { z } from 'zod'
import { operation } from '../api/operation.ts'
import { organizationId, patch, providerId, timestamp } from '../api/parameters.ts'
import {
  listsSeen,
  managesOrganization,
  onIdentityProvider,
  onOrganization,
  viewsOrganization,
  withChosenIds,
} from '../permissions/permission.ts'
import { pageOf, paging } from '../schema/paging.ts'
import { metadataMembers } from './given-metadata.ts'
import {
  clientSecret,
  newProviderMembers,
  PROVIDER_DEFAULTS,
  preset,
  providerMembers,
} from './identity-provider.schema.ts'
import {
  activateIdentityProvider,
  createIdentityProvider,
  deactivateIdentityProvider,
  deleteIdentityProvider,
  listIdentityProviders,
  readIdentityProvider,
  updateIdentityProvider,
} from './identity-providers.service.ts'
import { importMetadata } from './metadata-import.service.ts'
import { addOwnKey, retireOwnKey } from './own-keys.service.ts'
import { deleteProviderLogo, setProviderLogo } from './provider-logo.service.ts'
import { logoContent } from './provider-logo.ts'

const COLLECTION = '/management/v1/identity-providers'
const ITEM = `${COLLECTION}/{providerId}`

const roleMapping = z.strictObject({
  group: z.string(),
  projectId: z.string(),
  roles: z.array(z.string()).readonly(),
})

const identityProvider = z
  .strictObject({
    id: z.string(),
    organizationId: z.string(),
    type: z.enum(PROVIDER_TYPES),
    preset: preset.nullable(),
    name: z.string(),
    issuer: z.string(),
    clientId: z.string(),
    clientAuthentication: providerMembers.clientAuthentication,
    hasSecret: z.boolean(),
    clientPublicJwk: z
      .record(z.string(), z.string())
      .nullable()
      .describe('The key to register at the provider, with private_key_jwt (RFC 7517).'),
    scopes: z.array(z.string()).readonly(),
    subjectClaim: z.string(),
    requiredClaims: z.record(z.string(), z.string()),
    mappedClaims: providerMembers.mappedClaims,
    groupsClaim: z.string().nullable(),
    roleMappings: z.array(roleMapping).readonly(),
    linkingAllowed: z.boolean(),
    creationAllowed: z.boolean(),
    updatesProfile: z.boolean(),
    trustedEmailDomains: z.array(z.string()).readonly(),
    trustsMethods: z.boolean(),
    crossAppAccess: z.boolean(),
    backchannelLogout: z.boolean(),
    rpInitiatedLogout: z.boolean(),
    teamId: z.string().nullable(),
    keyId: z.string().nullable(),
    ssoUrl: z.string().nullable(),
    sloUrl: z.string().nullable(),
    certificates: z.array(z.string()).readonly(),
    wantAssertionsSigned: z.boolean(),
    nameIdFormat: z.string().nullable(),
    assertionConsumerPath: z.string().nullable(),
    assertionEncryption: providerMembers.assertionEncryption,
    signAuthnRequests: z.boolean(),
    providerInitiated: z.boolean(),
    providerInitiatedClientId: z.string().nullable(),
    ownCertificates: z
      .array(z.string())
      .readonly()
      .describe('The certificates of the keys of Signet at a SAML provider, in base64, the oldest first.'),
    servers: z.array(z.string()).readonly(),
    baseDn: z.string().nullable(),
    objectClass: z.string().nullable(),
    nameAttributes: z.array(z.string()).readonly(),
    logo: z
      .strictObject({
        mediaType: z.enum(Object.values(BRANDING_MEDIA_TYPES)),
        sha256: z.string().describe('Of the content, in hexadecimal digits.'),
      })
      .nullable()
      .describe('The picture of the button on the sign-in page. Null: it has none.'),
    state: z.enum(['active', 'inactive']),
    usable: z
      .boolean()
      .describe(
        'Whether people may sign in by it: state, its organization and the login policy of that decide.',
      ),
    lastUsedOn: z.iso
      .date()
      .nullable()
      .describe(
        'The day (UTC) of the latest sign-in by it, known after a minute. Null: none since it was added.',
      ),
    createdAt: timestamp,
    changedAt: timestamp,
  })
  .meta({ id: 'IdentityProvider' })

const metadataImport = z
  .strictObject({
    applied: z.boolean(),
    needs: z
      .array(z.enum(['otherEntityId', 'otherHost']))
      .readonly()
      .describe('Members that have to be true for these changes.'),
    changes: z
      .array(
        z.strictObject({
          member: z.enum(['issuer', 'ssoUrl', 'sloUrl']),
          before: z.string(),
          after: z.string(),
        }),
      )
      .readonly(),
    certificates: z
      .array(
        z.strictObject({
          fingerprint: z.string().describe('SHA-256 of the certificate in hexadecimal digits.'),
          validUntil: timestamp,
          state: z
            .enum(['added', 'kept', 'only_here'])
            .describe('only_here: the document does not have it. It stays until an update takes it out.'),
        }),
      )
      .readonly(),
    remarks: z.array(z.string()).readonly().describe('Parts of the document that have no effect.'),
    provider: identityProvider,
  })
  .meta({ id: 'MetadataImport' })

/** A PNG image of one pixel. */
const EXAMPLE_LOGO =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const EXAMPLE_METADATA = `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.acme.example">
  <IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    <KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data>
      <X509Certificate>MIIBYDCCAQagAwIBAgIBATAKBggqhkjOPQQDAjAOMQwwCgYDVQQDDANpZHAwIBcNMjYxMTMwMDQ0NTQ1WhgPMjEyNjExMDYwNDQ1NDVaMA4xDDAKBgNVBAMMA2lkcDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABJhwpX7xJuPCmxwDrDEIdkjYr00zJHwcECb9D318Ip7/lFMSTkZY8spvCF/OpIrp9Jp3Yg2hlec8IBQpjBCGLC+jUzBRMB0GA1UdDgQWBBTanOs4kO1BAxbITwEsu0i7/mj0NzAfBgNVHSMEGDAWgBTanOs4kO1BAxbITwEsu0i7/mj0NzAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCIAg4vNH9se1P5zCh3ijbv8K2WWYtiYZnuZOerudhJnYhAiEAomnw1M69ax82y7o1cq+gcrqDr90EWUtq+xxI6DE6XBc=</X509Certificate>
    </X509Data></KeyInfo></KeyDescriptor>
    <SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://idp.acme.example/sso"/>
  </IDPSSODescriptor>
</EntityDescriptor>`

export const identityProviderOperations = [
  operation({
    id: 'identity_provider.list',
    summary: 'Lists identity providers',
    description: 'Without organizationId all that the caller may see.',
    method: 'get',
    path: COLLECTION,
    query: { ...paging, organizationId: organizationId.optional() },
    response: pageOf(identityProvider),
    permission: listsSeen(onOrganization(viewsOrganization), viewsOrganization),
    handle: listIdentityProviders,
  }),
  operation({
    id: 'identity_provider.create',
    summary: 'Lets people of an organization sign in by an identity provider',
    description: `A preset fills in what the request leaves out. The provider makes and links accounts of its organization only, and none unless creationAllowed or linkingAllowed says so. Its redirect URI is /ui/identity-providers/{id}/callback below the issuer, unless assertionConsumerPath names another one, which IAM_OWNER alone sets. Without other values: ${Object.entries(
      PROVIDER_DEFAULTS,
    )
      .map(([member, value]) => `${member} ${JSON.stringify(value)}`)
      .join(', ')}.`,
    method: 'post',
    path: COLLECTION,
    request: z.strictObject({ organizationId, ...newProviderMembers, ...metadataMembers }),
    opaque: ['requiredClaims'],
    mostValues: 20_000,
    example: {
      ...{ organizationId: 'acme', preset: 'google', name: 'Google', clientId: 'signet' },
      ...{ clientSecret: 'GOCSPX-example', requiredClaims: { hd: 'acme.example' }, creationAllowed: true },
    },
    response: identityProvider,
    creates: true,
    permission: withChosenIds(onOrganization(managesOrganization), 'id'),
    handle: createIdentityProvider,
  }),
  operation({
    id: 'identity_provider.read',
    summary: 'Shows an identity provider',
    method: 'get',
    path: ITEM,
    parameters: { providerId },
    response: identityProvider,
    untagged: ['lastUsedOn'],
    permission: onIdentityProvider(viewsOrganization),
    handle: readIdentityProvider,
  }),
  operation({
    id: 'identity_provider.update',
    summary: 'Changes an identity provider',
    description:
      'Another issuer, another server of a directory, and a change to or from private_key_jwt or apple_client_secret needs its clientSecret. Accounts that are linked to identities of the issuer of before are found by the new one only where it has the same identifier. IAM_OWNER alone sets an assertionConsumerPath. Refused for a provider by which a person signs in whose roles reach further than those of the caller, when the change decides who that person is.',
    method: 'patch',
    path: ITEM,
    parameters: { providerId },
    request: patch({ ...providerMembers, clientSecret: clientSecret.nullable() }),
    opaque: ['requiredClaims'],
    mostValues: 20_000,
    example: { creationAllowed: false },
    response: identityProvider,
    permission: onIdentityProvider(managesOrganization),
    handle: updateIdentityProvider,
  }),
  operation({
    id: 'identity_provider.import_metadata',
    summary: 'Imports the metadata of a SAML provider',
    description:
      'Takes entity id, ssoUrl, sloUrl and certificates from the document. Certificates are added and none is taken out; no rule about signatures changes, and sloUrl stays where the document has none. Another entity id needs otherEntityId, another host of ssoUrl or sloUrl needs otherHost. With dryRun nothing is changed, and the response says what would be. Refused as identity_provider.update is.',
    method: 'post',
    path: `${ITEM}/metadata`,
    parameters: { providerId },
    request: z.strictObject({
      ...metadataMembers,
      dryRun: z.boolean().default(false).describe('Shows the changes without applying them.'),
      otherEntityId: z.boolean().default(false).describe('The entity id may change.'),
      otherHost: z.boolean().default(false).describe('People may be led to another host.'),
    }),
    example: { metadata: EXAMPLE_METADATA, dryRun: true },
    response: metadataImport,
    permission: onIdentityProvider(managesOrganization),
    handle: importMetadata,
  }),
  operation({
    id: 'identity_provider.add_key',
    summary: 'Makes another key of Signet at a SAML provider',
    description:
      'The first step of a replacement. Both keys decrypt, and the metadata of Signet has the new one for encryption and both for signing; the oldest goes on signing requests. A provider has two at most.',
    method: 'post',
    path: `${ITEM}/keys`,
    parameters: { providerId },
    response: identityProvider,
    permission: onIdentityProvider(managesOrganization),
    handle: addOwnKey,
  }),
  operation({
    id: 'identity_provider.retire_key',
    summary: 'Deletes the oldest key of Signet at a SAML provider',
    description:
      'The second step, when the provider has the metadata with the new key. Assertions that are encrypted for the old one are refused, and the new one signs requests. Refused for the last key while assertionEncryption, signAuthnRequests or a sign-out at the provider needs it.',
    method: 'post',
    path: `${ITEM}/retire-key`,
    parameters: { providerId },
    response: identityProvider,
    permission: onIdentityProvider(managesOrganization),
    handle: retireOwnKey,
  }),
  operation({
    id: 'identity_provider.set_logo',
    summary: 'Gives the button of an identity provider a picture',
    description:
      'A PNG, JPEG, WebP or SVG image of at most 32 KiB and 512 pixels, SVG without script and references. The content decides, not a name. Pages have it within a second.',
    method: 'put',
    path: `${ITEM}/logo`,
    parameters: { providerId },
    request: z.strictObject({ content: logoContent.describe('The image in Base64 (RFC 4648 section 4).') }),
    example: { content: EXAMPLE_LOGO },
    response: identityProvider,
    permission: onIdentityProvider(managesOrganization),
    handle: setProviderLogo,
  }),
  operation({
    id: 'identity_provider.delete_logo',
    summary: 'Takes the picture of an identity provider away',
    method: 'delete',
    path: `${ITEM}/logo`,
    parameters: { providerId },
    response: identityProvider,
    permission: onIdentityProvider(managesOrganization),
    handle: deleteProviderLogo,
  }),
  operation({
    id: 'identity_provider.activate',
    summary: 'Lets people sign in by an identity provider again',
    method: 'post',
    path: `${ITEM}/activate`,
    parameters: { providerId },
    response: identityProvider,
    permission: onIdentityProvider(managesOrganization),
    handle: activateIdentityProvider,
  }),
  operation({
    id: 'identity_provider.deactivate',
    summary: 'Refuses sign-ins by an identity provider',
    description:
      'Also those that have begun. Links stay. Sessions and tokens of people who signed in by it stay too; with endSessions all sessions and tokens of every person with a link have ended after the response, which needs roles that reach as far as those of each account of the organization.',
    method: 'post',
    path: `${ITEM}/deactivate`,
    parameters: { providerId },
    request: z.strictObject({ endSessions: z.boolean().default(false) }),
    example: { endSessions: false },
    response: identityProvider,
    permission: {
      ...onIdentityProvider(managesOrganization),
      actsOnEveryAccount: ({ endSessions }) => endSessions === true,
    },
    handle: deactivateIdentityProvider,
  }),
  operation({
    id: 'identity_provider.delete',
    summary: 'Deletes an identity provider',
    description:
      'With its links. Sessions and tokens of people who signed in by it stay: deactivate it with endSessions first to end them. Refused while a person with a link has no other way to sign in, unless force is true, and when the roles of one reach further than those of the caller.',
    method: 'delete',
    path: ITEM,
    parameters: { providerId },
    query: {
      force: z
        .enum(['true', 'false'])
        .default('false')
        .transform((text) => text === 'true')
        .describe('Also when people have no other way to sign in.'),
    },
    permission: onIdentityProvider(managesOrganization),
    handle: deleteIdentityProvider,
  }),
]
