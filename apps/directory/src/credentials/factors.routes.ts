// The second factors of a person, as administrators see and delete them: TOTP, passkeys and recovery codes.

import { z } from 'zod'
import { operation } from '../api/operation.ts'
import { passkeyId, timestamp, userId } from '../api/parameters.ts'
import { managesAccounts, onUser, viewsAccounts } from '../permissions/permission.ts'
import { pageOf, paging } from '../schema/paging.ts'
import { deletePasskey, deleteTotp, listPasskeys, readTotp, resetFactors } from './factors.service.ts'
import { deleteRecoveryCodes, readRecoveryCodes } from './recovery-codes.service.ts'

const TOTP = '/management/v1/users/{userId}/totp'
const target = { kind: 'user', field: 'userId' }

export const totpOperations = [
  operation({
    id: 'totp.read',
    summary: 'Shows whether a person has a TOTP secret',
    method: 'get',
    path: TOTP,
    parameters: { userId },
    response: z.strictObject({ isSet: z.boolean() }).meta({ id: 'Totp' }),
    permission: onUser(viewsAccounts),
    target,
    handle: readTotp,
  }),
  operation({
    id: 'totp.delete',
    summary: 'Takes the TOTP secret of a person away',
    description:
      'For a person who lost the device; afterwards the password is enough. After the response, all sessions and tokens of the person have ended.',
    method: 'delete',
    path: TOTP,
    parameters: { userId },
    permission: onUser(managesAccounts),
    target,
    handle: deleteTotp,
  }),
]

const PASSKEYS = '/management/v1/users/{userId}/passkeys'

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
    path: PASSKEYS,
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
      'After the response it signs in no more, and all sessions and tokens of the person have ended. A passkey with clonedAt can only be deleted.',
    method: 'delete',
    path: `${PASSKEYS}/{passkeyId}`,
    parameters: { userId, passkeyId },
    permission: onUser(managesAccounts),
    handle: deletePasskey,
  }),
]

const RECOVERY_CODES = '/management/v1/users/{userId}/recovery-codes'

export const recoveryCodeOperations = [
  operation({
    id: 'recovery_codes.read',
    summary: 'Shows how many recovery codes a person has left',
    description: 'The codes themselves are shown to the person only, once.',
    method: 'get',
    path: RECOVERY_CODES,
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
      'For a person whose codes may have been read by others; new ones are made on the page of second factors. After the response, all sessions and tokens of the person have ended.',
    method: 'delete',
    path: RECOVERY_CODES,
    parameters: { userId },
    permission: onUser(managesAccounts),
    target,
    handle: deleteRecoveryCodes,
  }),
]

const count = z.int().min(0)

export const factorOperations = [
  operation({
    id: 'user.reset_factors',
    summary: 'Takes all second factors of a person away',
    description:
      'For a person who lost the device: deletes the TOTP secret, all passkeys, the recovery codes and the trust in browsers, in one transaction. The password stays; where a policy demands a factor, the next sign-in asks for a new one. After the response, all sessions and tokens of the person have ended, and the person gets a notice.',
    method: 'post',
    path: '/management/v1/users/{userId}/reset-factors',
    parameters: { userId },
    response: z
      .strictObject({
        authenticators: count.describe('1 when there was a TOTP secret.'),
        passkeys: count,
        recoveryCodes: count.describe('Unused ones.'),
        trustedBrowsers: count,
      })
      .meta({ id: 'DeletedFactors' }),
    permission: onUser(managesAccounts),
    target,
    handle: resetFactors,
  }),
]
