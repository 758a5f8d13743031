import { SIGNING_ALGORITHMS } from '@signet/oauth-protocol/signing-algorithms'
import { z } from 'zod'
import { readPublicKey } from '../../bootstrap/schema/public-key.ts'
import { identifier } from '../../bootstrap/schema/text-fields.ts'
import { createMachineKey, deleteMachineKey, listMachineKeys } from '../../credentials/machine-keys.ts'
import { onUser } from '../../permissions/permission.ts'
import { impersonatesAccount, managesAccounts, viewsAccounts } from '../../permissions/sufficient-roles.ts'
import { operation } from '../operation.ts'
import { pageOf, paging } from './paging.ts'
import { keyId, serviceUserId as userId } from './parameters.ts'
import { moment, timestamp } from './timestamp.ts'

const COLLECTION = '/management/v1/users/{userId}/keys'

const shown = {
  id: z.string(),
  publicKeyJwk: z.record(z.string(), z.unknown()),
  createdAt: timestamp,
  expiresAt: timestamp.nullable().describe('Null: never.'),
}
const key = z.strictObject(shown).meta({ id: 'Key' })
const newKey = z
  .strictObject({
    ...shown,
    keyFile: z
      .strictObject({
        type: z.literal('serviceaccount'),
        keyId: z.string(),
        key: z.string().describe('The private key as PEM.'),
        userId: z.string(),
        expirationDate: z.string().optional(),
      })
      .optional()
      .describe('Of a generated key, for client libraries. Shown here and nowhere again.'),
  })
  .meta({ id: 'NewKey' })

const keyRequest = z
  .strictObject({
    id: identifier.optional().describe('The kid of assertions; generated when left out.'),
    expiresAt: moment.optional().describe('Never when left out.'),
    publicKeyJwk: z.record(z.string(), z.unknown()).optional().describe('An RSA, P-256 or Ed25519 key.'),
    publicKeyPem: z.string().max(10_000).optional().describe('The same as PEM.'),
    algorithm: z
      .enum(SIGNING_ALGORITHMS)
      .default('RS256')
      .describe('What a key is generated for when no public key is given.'),
  })
  .transform(({ publicKeyJwk, publicKeyPem, ...rest }, context) => {
    if (publicKeyJwk === undefined && publicKeyPem === undefined) return rest
    const read = readPublicKey(publicKeyJwk, publicKeyPem)
    if ('jwk' in read) return { ...rest, publicKey: read.jwk }
    const field = publicKeyPem === undefined ? 'publicKeyJwk' : 'publicKeyPem'
    context.addIssue({ code: 'custom', path: [field], message: read.problem })
    return z.NEVER
  })

export const machineKeyOperations = [
  operation({
    id: 'key.list',
    summary: 'Lists the keys that a service user signs assertions with',
    method: 'get',
    path: COLLECTION,
    parameters: { userId },
    query: paging,
    response: pageOf(key),
    permission: onUser(viewsAccounts),
    handle: listMachineKeys,
  }),
  operation({
    id: 'key.create',
    summary: 'Registers a public key of a service user, or generates a key file',
    description: 'Nobody may do it for a user whose roles reach further than their own.',
    method: 'post',
    path: COLLECTION,
    parameters: { userId },
    request: keyRequest,
    opaque: ['publicKeyJwk'],
    example: { algorithm: 'ES256', expiresAt: '2100-01-01T00:00:00Z' },
    response: newKey,
    creates: true,
    permission: onUser(managesAccounts, impersonatesAccount),
    handle: createMachineKey,
  }),
  operation({
    id: 'key.delete',
    summary: 'Deletes a key of a service user',
    description:
      'Assertions that name it are refused everywhere within a second. Tokens that were bought with it live on; end them by signing the user out.',
    method: 'delete',
    path: `${COLLECTION}/{keyId}`,
    parameters: { userId, keyId },
    permission: onUser(managesAccounts),
    handle: deleteMachineKey,
  }),
]
