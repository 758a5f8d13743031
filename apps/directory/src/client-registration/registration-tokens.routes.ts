import { z } from 'zod'
import { operation } from '../api/operation.ts'
import { moment, projectId, registrationTokenId, timestamp } from '../api/parameters.ts'
import { managesProject, onProject, viewsProject } from '../permissions/permission.ts'
import { hostPattern } from '../schema/fields.ts'
import { pageOf, paging } from '../schema/paging.ts'
import { REGISTERED_AUTH_METHODS, REGISTERED_GRANT_TYPES } from './registration-policy.ts'
import {
  createRegistrationToken,
  deleteRegistrationToken,
  listRegistrationTokens,
} from './registration-tokens.service.ts'

const COLLECTION = '/management/v1/projects/{projectId}/registration-tokens'

const MOST_HOSTS = 100

const policy = {
  redirectHosts: z
    .array(hostPattern)
    .max(MOST_HOSTS)
    .readonly()
    .describe('Hosts of https redirect URIs: app.example, or *.example.com for the hosts below.'),
  loopbackRedirects: z.boolean().describe('Whether http redirect URIs of loopback hosts are allowed.'),
  grantTypes: z.array(z.enum(REGISTERED_GRANT_TYPES)).min(1, 'must name a grant type').readonly(),
  authMethods: z.array(z.enum(REGISTERED_AUTH_METHODS)).min(1, 'must name a method').readonly(),
  mostClients: z.int().min(1).max(10_000).describe('Most clients at once; a deleted one makes room.'),
  unusedDays: z.int().min(1).max(400).describe('A client that no person uses for so many days is deleted.'),
}

const shown = {
  id: z.string(),
  ...policy,
  redirectHosts: z.array(z.string()).readonly(),
  createdAt: timestamp,
  expiresAt: timestamp,
  clients: z.int().min(0).describe('Clients that it registered and that were not deleted.'),
}
const token = z.strictObject(shown).meta({ id: 'RegistrationToken' })
const newToken = z
  .strictObject({ ...shown, token: z.string().describe('Only this response shows it.') })
  .meta({ id: 'NewRegistrationToken' })

export const registrationTokenOperations = [
  operation({
    id: 'registration_token.list',
    summary: 'Lists the initial access tokens of a project',
    method: 'get',
    path: COLLECTION,
    parameters: { projectId },
    query: paging,
    response: pageOf(token),
    permission: onProject(viewsProject),
    handle: listRegistrationTokens,
  }),
  operation({
    id: 'registration_token.create',
    summary: 'Makes an initial access token for a project',
    description:
      'Whoever holds it registers clients in the project at /oauth/v2/register (RFC 7591), within its policy. Needs SIGNET_CLIENT_REGISTRATION.',
    method: 'post',
    path: COLLECTION,
    parameters: { projectId },
    request: z.strictObject({
      redirectHosts: policy.redirectHosts.default([]),
      loopbackRedirects: policy.loopbackRedirects.default(false),
      grantTypes: policy.grantTypes.default(['authorization_code', 'refresh_token']),
      authMethods: policy.authMethods.default(['none']),
      mostClients: policy.mostClients,
      unusedDays: policy.unusedDays.default(30),
      expiresAt: moment.optional().describe('At most 400 days from now; 30 days when left out.'),
    }),
    example: { redirectHosts: ['app.example'], mostClients: 10 },
    response: newToken,
    creates: true,
    permission: onProject(managesProject),
    handle: createRegistrationToken,
  }),
  operation({
    id: 'registration_token.delete',
    summary: 'Revokes an initial access token',
    description:
      'Its clients stay until they are deleted or unused for too long; they cannot change their registration any more.',
    method: 'delete',
    path: `${COLLECTION}/{registrationTokenId}`,
    parameters: { projectId, registrationTokenId },
    permission: onProject(managesProject),
    handle: deleteRegistrationToken,
  }),
]
