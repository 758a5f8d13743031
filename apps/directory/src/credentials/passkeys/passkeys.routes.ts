import { z } from 'zod'
import { operation } from '../../management-api/operation.ts'
import { pageOf, paging } from '../../management-api/paging.ts'
import { passkeyId, timestamp, userId } from '../../management-api/parameters.ts'
import { managesAccounts, onUser, viewsAccounts } from '../../permissions/permission.ts'
import { deletePasskey, listPasskeys } from './passkeys.service.ts'

const COLLECTION = '/management/v1/users/{userId}/passkeys'

const passkey = z
  .strictObject({
    id: z.string(),
    rpId: z
      .string()
      .describe('The RP ID that it was made for; it signs in only while the instance has the same.'),
    name: z.string().describe('Chosen by its owner.'),
    aaguid: z.string().describe('The model of the authenticator, as the authenticator claims.'),
    transports: z.array(z.string()).readonly(),
    backupEligible: z.boolean().describe('Whether the private key may be on several devices.'),
    backedUp: z.boolean().describe('Whether it is.'),
    createdAt: timestamp,
    lastUsedAt: timestamp.nullable().describe('Null: it was not used yet.'),
    clonedAt: timestamp
      .nullable()
      .describe(
        'When its signature counter went back: two authenticators have its private key. From then on it signs in no more, and nothing takes the mark away: delete it, and its owner adds another one. Null: it did not.',
      ),
  })
  .meta({ id: 'Passkey' })

export const passkeyOperations = [
  operation({
    id: 'passkey.list',
    summary: 'Lists the passkeys of a person',
    method: 'get',
    path: COLLECTION,
    parameters: { userId },
    query: paging,
    response: pageOf(passkey),
    permission: onUser(viewsAccounts),
    handle: listPasskeys,
  }),
  operation({
    id: 'passkey.delete',
    summary: 'Deletes a passkey of a person',
    description:
      'After the response it signs in no more. Sessions and tokens go on; end them by signing the user out. A passkey with clonedAt can only be deleted.',
    method: 'delete',
    path: `${COLLECTION}/{passkeyId}`,
    parameters: { userId, passkeyId },
    permission: onUser(managesAccounts),
    handle: deletePasskey,
  }),
]
