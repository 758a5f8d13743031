import { z } from 'zod'
import { operation } from '../management-api/operation.ts'
import { pageOf, paging } from '../management-api/paging.ts'
import { keyId, serviceUserId as userId } from '../management-api/parameters.ts'
import { managesAccounts, onUser, viewsAccounts } from '../permissions/permission.ts'
import { key, keyRequest, newKeyOf } from './credential.schema.ts'
import { createMachineKey, deleteMachineKey, listMachineKeys } from './machine-keys.service.ts'

const COLLECTION = '/management/v1/users/{userId}/keys'

const newKey = newKeyOf({ type: z.literal('serviceaccount'), userId: z.string() }).meta({ id: 'NewKey' })

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
    permission: onUser(managesAccounts),
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
