// The credentials of a service user beside its tokens: keys for assertions (RFC 7523 section 3) and a client secret.

import { z } from 'zod'
import { operation } from '../api/operation.ts'
import { keyId, serviceUserId as userId } from '../api/parameters.ts'
import { managesAccounts, onUser, viewsAccounts } from '../permissions/permission.ts'
import { pageOf, paging } from '../schema/paging.ts'
import { key, keyRequest, newClientSecret, newKeyOf, overlapSeconds } from './credential.schema.ts'
import {
  createMachineKey,
  deleteMachineKey,
  deleteServiceUserSecret,
  listMachineKeys,
  rotateServiceUserSecret,
} from './service-user-credentials.service.ts'

const KEYS = '/management/v1/users/{userId}/keys'

const newKey = newKeyOf({ type: z.literal('serviceaccount'), userId: z.string() }).meta({ id: 'NewKey' })

export const machineKeyOperations = [
  operation({
    id: 'key.list',
    summary: 'Lists the keys that a service user signs assertions with',
    method: 'get',
    path: KEYS,
    parameters: { userId },
    query: paging,
    response: pageOf(key),
    permission: onUser(viewsAccounts),
    handle: listMachineKeys,
  }),
  operation({
    id: 'key.create',
    summary: 'Registers a public key of a service user, or generates a key file',
    description: 'Refused for a user whose roles reach further than those of the caller.',
    method: 'post',
    path: KEYS,
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
      'Assertions with this key are refused within a second. Tokens that were issued for such assertions stay valid; sign the user out to end them.',
    method: 'delete',
    path: `${KEYS}/{keyId}`,
    parameters: { userId, keyId },
    permission: onUser(managesAccounts),
    handle: deleteMachineKey,
  }),
]

const SECRET = '/management/v1/users/{userId}/secret'

export const serviceUserSecretOperations = [
  operation({
    id: 'service_user.rotate_secret',
    summary: 'Gives a service user a new client secret',
    description:
      'For client_credentials. With overlapSeconds 0 the tokens of the service user end before the response, since the old secret may have been disclosed.',
    method: 'post',
    path: SECRET,
    parameters: { userId },
    request: z.strictObject({ overlapSeconds }),
    example: { overlapSeconds: 3600 },
    response: newClientSecret,
    creates: true,
    permission: onUser(managesAccounts),
    target: { kind: 'user', field: 'userId' },
    handle: rotateServiceUserSecret,
  }),
  operation({
    id: 'service_user.delete_secret',
    summary: 'Deletes the client secrets of a service user',
    description: 'Its tokens end before the response.',
    method: 'delete',
    path: SECRET,
    parameters: { userId },
    permission: onUser(managesAccounts),
    target: { kind: 'user', field: 'userId' },
    handle: deleteServiceUserSecret,
  }),
]
