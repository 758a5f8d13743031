import { z } from 'zod'
import { operation } from '../management-api/operation.ts'
import { userId } from '../management-api/parameters.ts'
import { managesAccounts, onUser, viewsAccounts } from '../permissions/permission.ts'
import { createTotp, deleteTotp, readTotp } from './totp-secret.service.ts'

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
    id: 'totp.create',
    summary: 'Gives a person a TOTP secret',
    description:
      'Refused while there is one. From then on signing in needs a code. The caller learns the secret and could make codes with it.',
    method: 'post',
    path: PATH,
    parameters: { userId },
    response: z
      .strictObject({
        secret: z.string().describe('Base32. Shown here and nowhere again.'),
        uri: z.string().describe('For a QR code.'),
      })
      .meta({ id: 'NewTotp' }),
    creates: true,
    permission: onUser(managesAccounts),
    target,
    handle: createTotp,
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
