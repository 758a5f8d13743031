import { z } from 'zod'
import { operation } from '../../management-api/operation.ts'
import { userId } from '../../management-api/parameters.ts'
import { managesAccounts, onUser, viewsAccounts } from '../../permissions/permission.ts'
import { deleteRecoveryCodes, readRecoveryCodes } from './recovery-codes.service.ts'

const PATH = '/management/v1/users/{userId}/recovery-codes'
const target = { kind: 'user', field: 'userId' }

export const recoveryCodeOperations = [
  operation({
    id: 'recovery_codes.read',
    summary: 'Shows how many recovery codes a person has left',
    description: 'The codes themselves are shown to the person only, once.',
    method: 'get',
    path: PATH,
    parameters: { userId },
    response: z
      .strictObject({ left: z.int().describe('Unused codes. The person makes ten at a time.') })
      .meta({ id: 'RecoveryCodes' }),
    permission: onUser(viewsAccounts),
    target,
    handle: readRecoveryCodes,
  }),
  operation({
    id: 'recovery_codes.delete',
    summary: 'Deletes the recovery codes of a person',
    description:
      'For somebody whose codes may have been read by others. They make new ones on the page of their second factors. Sessions and tokens go on.',
    method: 'delete',
    path: PATH,
    parameters: { userId },
    permission: onUser(managesAccounts),
    target,
    handle: deleteRecoveryCodes,
  }),
]
