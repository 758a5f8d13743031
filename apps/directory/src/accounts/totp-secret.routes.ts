import { z } from 'zod'
import { operation } from '../management-api/operation.ts'
import { userId } from '../management-api/parameters.ts'
import { managesAccounts, onUser, viewsAccounts } from '../permissions/permission.ts'
import { deleteTotp, readTotp } from './totp-secret.service.ts'

const PATH = '/management/v1/users/{userId}/totp'
const target = { kind: 'user', field: 'userId' }

export const totpOperations = [
  operation({
    id: 'totp.read',
    summary: 'Shows whether a person has a TOTP secret',
    method: 'get',
    path: PATH,
    parameters: { userId },
    response: z.strictObject({ isSet: z.boolean() }).meta({ id: 'Totp' }),
    permission: onUser(viewsAccounts),
    target,
    handle: readTotp,
  }),
  operation({
    id: 'totp.delete',
    summary: 'Takes the TOTP secret of a person away',
    description: 'For somebody who lost their device; afterwards the password is enough.',
    method: 'delete',
    path: PATH,
    parameters: { userId },
    permission: onUser(managesAccounts),
    target,
    handle: deleteTotp,
  }),
]
