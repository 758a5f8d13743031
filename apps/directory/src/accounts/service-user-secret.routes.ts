import { z } from 'zod'
import { newClientSecret, overlapSeconds } from '../credentials/credential.schema.ts'
import { operation } from '../management-api/operation.ts'
import { serviceUserId as userId } from '../management-api/parameters.ts'
import { managesAccounts, onUser } from '../permissions/permission.ts'
import { deleteServiceUserSecret, rotateServiceUserSecret } from './service-user-secret.service.ts'

const PATH = '/management/v1/users/{userId}/secret'

export const serviceUserSecretOperations = [
  operation({
    id: 'service_user.rotate_secret',
    summary: 'Gives a service user a new client secret',
    description:
      'For client_credentials. Without an overlap the tokens of the service user end before the answer, since the old secret is taken to be in wrong hands.',
    method: 'post',
    path: PATH,
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
    summary: 'Takes the client secrets of a service user away',
    description: 'Its tokens end before the answer.',
    method: 'delete',
    path: PATH,
    parameters: { userId },
    permission: onUser(managesAccounts),
    target: { kind: 'user', field: 'userId' },
    handle: deleteServiceUserSecret,
  }),
]
