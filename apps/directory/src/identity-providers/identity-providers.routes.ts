// The identity providers by which people of an organization sign in with an identity that they have elsewhere (OpenID Connect
// Core). A link of provider, issuer and subject finds an account, and an e-mail address never does.

import { z } from 'zod'
import { operation } from '../api/operation.ts'
import { organizationId, patch, providerId } from '../api/parameters.ts'
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
import { addOwnKey, retireOwnKey } from './own-keys.service.ts'
import { identityProvider, PROVIDER_PATH, PROVIDERS_PATH } from './shown-provider.ts'

export const identityProviderOperations = [
  operation({
    id: 'identity_provider.list',
    summary: 'Lists identity providers',
    description: 'Without organizationId all that the caller may see.',
    method: 'get',
    path: PROVIDERS_PATH,
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
    path: PROVIDERS_PATH,
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
    path: PROVIDER_PATH,
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
    path: PROVIDER_PATH,
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
    id: 'identity_provider.add_key',
    summary: 'Makes another key of Signet at a SAML provider',
    description:
      'The first step of a replacement. Both keys decrypt, and the metadata of Signet has the new one for encryption and both for signing; the oldest goes on signing requests. A provider has two at most.',
    method: 'post',
    path: `${PROVIDER_PATH}/keys`,
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
    path: `${PROVIDER_PATH}/retire-key`,
    parameters: { providerId },
    response: identityProvider,
    permission: onIdentityProvider(managesOrganization),
    handle: retireOwnKey,
  }),
  operation({
    id: 'identity_provider.activate',
    summary: 'Lets people sign in by an identity provider again',
    method: 'post',
    path: `${PROVIDER_PATH}/activate`,
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
    path: `${PROVIDER_PATH}/deactivate`,
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
    path: PROVIDER_PATH,
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
