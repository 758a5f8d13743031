// The identities by which a person signs in at identity providers, as administrators see and change them.

import { z } from 'zod'
import { operation } from '../api/operation.ts'
import { linkId, providerId, timestamp, userId } from '../api/parameters.ts'
import { managesAccounts, onUser, viewsAccounts } from '../permissions/permission.ts'
import { name } from '../schema/fields.ts'
import { pageOf, paging } from '../schema/paging.ts'
import { createIdentityLink, deleteIdentityLink, listIdentityLinks } from './identity-links.service.ts'
import { providerMembers } from './identity-provider.schema.ts'

const COLLECTION = '/management/v1/users/{userId}/identity-links'

const identityLink = z
  .strictObject({
    id: z.string(),
    providerId: z.string(),
    issuer: z.string(),
    subject: z.string(),
    displayName: z.string().nullable().describe('The name of the account at the provider.'),
    createdAt: timestamp,
    lastUsedAt: timestamp.nullable().describe('Null: it was not used yet.'),
  })
  .meta({ id: 'IdentityLink' })

export const identityLinkOperations = [
  operation({
    id: 'identity_link.list',
    summary: 'Lists the identities by which a person signs in at identity providers',
    method: 'get',
    path: COLLECTION,
    parameters: { userId },
    query: paging,
    response: pageOf(identityLink),
    permission: onUser(viewsAccounts),
    handle: listIdentityLinks,
  }),
  operation({
    id: 'identity_link.create',
    summary: 'Lets a person sign in with an identity at an identity provider',
    description:
      'Whoever has the identity signs in to the account from then on. Refused for a user whose roles reach further than those of the caller. The person gets a notice.',
    method: 'post',
    path: COLLECTION,
    parameters: { userId },
    request: z.strictObject({
      providerId: providerId.describe('An identity provider of the organization of the person.'),
      issuer: providerMembers.issuer.optional().describe('By default that of the provider.'),
      subject: z
        .string()
        .min(1)
        .max(500)
        .describe('The value of subjectClaim of the provider, character by character.'),
      displayName: name.optional().describe('The name of the account at the provider, for lists.'),
    }),
    example: { providerId: 'corporate', subject: '248289761002', displayName: 'alice@corporate.example' },
    response: identityLink,
    creates: true,
    permission: onUser(managesAccounts),
    handle: createIdentityLink,
  }),
  operation({
    id: 'identity_link.delete',
    summary: 'Ends the sign-in of a person with an identity',
    description:
      'After the response all sessions and tokens of the person have ended. Refused while the person has no other way to sign in, unless force is true.',
    method: 'delete',
    path: `${COLLECTION}/{linkId}`,
    parameters: { userId, linkId },
    query: {
      force: z
        .enum(['true', 'false'])
        .default('false')
        .transform((text) => text === 'true')
        .describe('Also when the person has no other way to sign in.'),
    },
    permission: onUser(managesAccounts),
    handle: deleteIdentityLink,
  }),
]
