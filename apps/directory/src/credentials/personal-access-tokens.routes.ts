import { identifier } from '@signet/file-formats/export/record-schemas/fields'
import { z } from 'zod'
import { operation } from '../api/operation.ts'
import { moment, timestamp, tokenId, serviceUserId as userId } from '../api/parameters.ts'
import { managesAccounts, onUser, viewsAccounts } from '../permissions/permission.ts'
import { pageOf, paging } from '../schema/paging.ts'
import {
  createPersonalAccessToken,
  deletePersonalAccessToken,
  listPersonalAccessTokens,
} from './personal-access-tokens.service.ts'

const COLLECTION = '/management/v1/users/{userId}/tokens'

const shown = {
  id: z.string(),
  createdAt: timestamp,
  expiresAt: timestamp.nullable().describe('Null: never.'),
  roles: z
    .array(z.string())
    .readonly()
    .nullable()
    .describe('The administrator roles that it is narrowed to; null: all that the user holds.'),
}
const token = z.strictObject(shown).meta({ id: 'PersonalAccessToken' })
const newToken = z
  .strictObject({ ...shown, token: z.string().describe('Only this response shows it.') })
  .meta({ id: 'NewPersonalAccessToken' })

export const personalAccessTokenOperations = [
  operation({
    id: 'token.list',
    summary: 'Lists the personal access tokens of a service user',
    method: 'get',
    path: COLLECTION,
    parameters: { userId },
    query: paging,
    response: pageOf(token),
    permission: onUser(viewsAccounts),
    handle: listPersonalAccessTokens,
  }),
  operation({
    id: 'token.create',
    summary: 'Makes a personal access token for a service user',
    description: 'Nobody may make one for a user whose roles reach further than their own.',
    method: 'post',
    path: COLLECTION,
    parameters: { userId },
    request: z.strictObject({
      id: identifier.optional().describe('Generated when left out.'),
      expiresAt: moment
        .optional()
        .describe(
          'At most the personalAccessTokenLifetime of the instance from now, which is the end when left out.',
        ),
      roles: z
        .array(z.string().regex(/^(IAM|ORG|PROJECT)_[A-Z_]{1,60}$/, 'must be a role such as ORG_OWNER'))
        .min(1, 'must name a role; leave it out for all roles of the user')
        .max(50, 'may name 50 roles at most')
        .readonly()
        .optional()
        .describe(
          'Narrows the token to these administrator roles, wherever the user holds them. It cannot be exchanged then.',
        ),
    }),
    example: { id: 'nightly-backup' },
    response: newToken,
    creates: true,
    permission: onUser(managesAccounts),
    handle: createPersonalAccessToken,
  }),
  operation({
    id: 'token.delete',
    summary: 'Deletes a personal access token',
    description: 'After the answer nobody is let in with it.',
    method: 'delete',
    path: `${COLLECTION}/{tokenId}`,
    parameters: { userId, tokenId },
    permission: onUser(managesAccounts),
    handle: deletePersonalAccessToken,
  }),
]
