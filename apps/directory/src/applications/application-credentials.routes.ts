import { z } from 'zod'
import { operation } from '../api/operation.ts'
import { applicationId, applicationKeyId as keyId, trustId } from '../api/parameters.ts'
import {
  key,
  keyRequest,
  newClientSecret,
  newKeyOf,
  overlapSeconds,
} from '../credentials/credential.schema.ts'
import { changedTrust, newTrust, trustedIssuer } from '../credentials/issuer-trusts.routes.ts'
import { managesProject, onApplication, viewsProject } from '../permissions/permission.ts'
import { pageOf, paging } from '../schema/paging.ts'
import {
  createApplicationIssuerTrust,
  createApplicationKey,
  deleteApplicationIssuerTrust,
  deleteApplicationKey,
  deleteApplicationSecret,
  listApplicationIssuerTrusts,
  listApplicationKeys,
  rotateApplicationSecret,
  updateApplicationIssuerTrust,
} from './application-credentials.service.ts'

const SECRET = '/management/v1/applications/{applicationId}/secret'
const KEYS = '/management/v1/applications/{applicationId}/keys'
const TRUSTS = '/management/v1/applications/{applicationId}/trusted-issuers'

const newKey = newKeyOf({
  type: z.literal('application'),
  appId: z.string(),
  clientId: z.string(),
}).meta({ id: 'NewApplicationKey' })

export const applicationCredentialOperations = [
  operation({
    id: 'application.rotate_secret',
    summary: 'Gives an application a new client secret',
    description:
      'With overlapSeconds 0 all tokens of the application end before the response, since the old secret may have been disclosed.',
    method: 'post',
    path: SECRET,
    parameters: { applicationId },
    request: z.strictObject({ overlapSeconds }),
    example: { overlapSeconds: 3600 },
    response: newClientSecret,
    creates: true,
    permission: onApplication(managesProject),
    target: { kind: 'application', field: 'applicationId' },
    handle: rotateApplicationSecret,
  }),
  operation({
    id: 'application.delete_secret',
    summary: 'Deletes the client secrets of an application',
    description:
      'All tokens of the application end before the response. It cannot authenticate until it gets another secret.',
    method: 'delete',
    path: SECRET,
    parameters: { applicationId },
    permission: onApplication(managesProject),
    handle: deleteApplicationSecret,
  }),
  operation({
    id: 'application_key.list',
    summary: 'Lists the keys that an application authenticates with',
    method: 'get',
    path: KEYS,
    parameters: { applicationId },
    query: paging,
    response: pageOf(key),
    permission: onApplication(viewsProject),
    handle: listApplicationKeys,
  }),
  operation({
    id: 'application_key.create',
    summary: 'Registers a public key of an application, or generates a key file',
    description: 'The key is accepted while the authMethod of the application is private_key_jwt.',
    method: 'post',
    path: KEYS,
    parameters: { applicationId },
    request: keyRequest,
    opaque: ['publicKeyJwk'],
    example: { algorithm: 'ES256', expiresAt: '2100-01-01T00:00:00Z' },
    response: newKey,
    creates: true,
    permission: onApplication(managesProject),
    handle: createApplicationKey,
  }),
  operation({
    id: 'application_key.delete',
    summary: 'Deletes a key of an application',
    description:
      'Assertions with this key are refused within a second. Tokens that were issued for such assertions stay valid.',
    method: 'delete',
    path: `${KEYS}/{keyId}`,
    parameters: { applicationId, keyId },
    permission: onApplication(managesProject),
    handle: deleteApplicationKey,
  }),
  operation({
    id: 'application_trusted_issuer.list',
    summary: 'Lists the issuers whose assertions an application authenticates with',
    method: 'get',
    path: TRUSTS,
    parameters: { applicationId },
    query: paging,
    response: pageOf(trustedIssuer),
    permission: onApplication(viewsProject),
    handle: listApplicationIssuerTrusts,
  }),
  operation({
    id: 'application_trusted_issuer.create',
    summary: 'Lets an application authenticate with the assertions of an issuer',
    description:
      'As client_assertion beside client_id, such as the projected token of a Kubernetes service account, while the authMethod of the application is private_key_jwt.',
    method: 'post',
    path: TRUSTS,
    parameters: { applicationId },
    ...newTrust,
    permission: onApplication(managesProject),
    handle: createApplicationIssuerTrust,
  }),
  operation({
    id: 'application_trusted_issuer.update',
    summary: 'Changes the rules or the key set of an issuer that an application trusts',
    description:
      'Acts within a second, and the rules and keys of before until then: a key set with the keys of before and after replaces one without an interval of refusals. Another issuer needs its keySet, or null.',
    method: 'patch',
    path: `${TRUSTS}/{trustId}`,
    parameters: { applicationId, trustId },
    ...changedTrust,
    permission: onApplication(managesProject),
    handle: updateApplicationIssuerTrust,
  }),
  operation({
    id: 'application_trusted_issuer.delete',
    summary: 'Ends the trust of an application in an issuer',
    description:
      'Assertions of the issuer are refused within a second. Tokens that were issued for such assertions stay valid.',
    method: 'delete',
    path: `${TRUSTS}/{trustId}`,
    parameters: { applicationId, trustId },
    permission: onApplication(managesProject),
    handle: deleteApplicationIssuerTrust,
  }),
]
