import { newUserIdentifier } from '@signet/file-formats/export/record-schemas/fields'
import { z } from 'zod'
import {
  account,
  accountState,
  person,
  personChanges,
  personDetails,
  serviceUser,
  serviceUserDetails,
} from '../accounts/account.schema.ts'
import { operation } from '../api/operation.ts'
import { moment, organizationId, patch, userId } from '../api/parameters.ts'
import {
  endsUser,
  listsSeen,
  managesAccounts,
  onOrganization,
  onUser,
  type Permission,
  viewsAccounts,
  withChosenIds,
} from '../permissions/permission.ts'
import { userName } from '../schema/fields.ts'
import { pageOf, paging } from '../schema/paging.ts'
import {
  createPerson,
  createServiceUser,
  deleteAccount,
  listAccounts,
  readAccount,
  resetPassword,
  signOutEverywhere,
  unlockAccount,
  updateAccount,
} from './accounts.service.ts'

const COLLECTION = '/management/v1/users'
const ITEM = `${COLLECTION}/{userId}`

const state = accountState.optional()
const newAccount = {
  id: newUserIdentifier.optional().describe('Generated when left out; only IAM_OWNER chooses it.'),
  organizationId,
  userName,
  state,
}
const password = z.string().describe('Must satisfy the password complexity policy of the organization.')

/** A change of only `state` is compared with the roles of the user in this organization, any other change with all roles. */
const changesUser: Permission = {
  ...onUser(managesAccounts),
  compared: ({ userId: _, ...changes }) =>
    Object.entries(changes).every(([field, value]) => field === 'state' || value === undefined)
      ? 'here'
      : 'all',
}
const changeRequired = z
  .boolean()
  .default(false)
  .describe('The person has to choose another password at the next sign-in.')

export const accountOperations = [
  operation({
    id: 'user.list',
    summary: 'Lists people and service users',
    description: 'Without organizationId those of all organizations whose people the caller may see.',
    method: 'get',
    path: COLLECTION,
    query: {
      ...paging,
      organizationId: organizationId.optional(),
      kind: z.enum(['human', 'service_user']).optional(),
      state,
      userName: z.string().min(1).max(300).optional().describe('Exactly this name, in any case.'),
      email: z.string().min(1).max(400).optional().describe('Exactly this address, in any case.'),
      search: z
        .string()
        .regex(/^[^\0]{1,200}$/u, 'must have 1 to 200 characters, none of them U+0000')
        .optional()
        .describe(
          'A part of the user name, the display name or the e-mail address, in any case. Where many users may have it, a page can be short or empty although nextCursor names a next one.',
        ),
      hasCredentials: z
        .enum(['true', 'false'], 'must be true or false')
        .optional()
        .describe(
          'false: people with neither a password nor a passkey, who cannot sign in; true: people with one.',
        ),
      hasSecondFactor: z
        .enum(['true', 'false'], 'must be true or false')
        .optional()
        .describe('false: people with neither an authenticator app nor a passkey; true: people with one.'),
      notInvitedSince: moment
        .optional()
        .describe(
          'People whom no invitation was sent since then, or none that a server took. Messages of 30 days are known.',
        ),
    },
    response: pageOf(account),
    permission: listsSeen(onOrganization(viewsAccounts), viewsAccounts),
    handle: listAccounts,
  }),
  operation({
    id: 'user.create',
    summary: 'Creates a person',
    method: 'post',
    path: COLLECTION,
    request: z.strictObject({
      ...newAccount,
      ...personDetails,
      password: password.optional(),
      passwordChangeRequired: changeRequired,
    }),
    example: {
      organizationId: 'acme',
      userName: 'erin',
      profile: { givenName: 'Erin', familyName: 'Example' },
      email: { address: 'erin@acme.example' },
    },
    response: person,
    creates: true,
    permission: withChosenIds(onOrganization(managesAccounts), 'id'),
    handle: createPerson,
  }),
  operation({
    id: 'service_user.create',
    summary: 'Creates a service user',
    description: 'The operations on users apply to service users, too.',
    method: 'post',
    path: '/management/v1/service-users',
    request: z.strictObject({ ...newAccount, ...serviceUserDetails }),
    example: { organizationId: 'acme', userName: 'backup', name: 'Backup job' },
    response: serviceUser,
    creates: true,
    permission: withChosenIds(onOrganization(managesAccounts), 'id', 'clientId'),
    target: { kind: 'user', field: 'id' },
    handle: createServiceUser,
  }),
  operation({
    id: 'user.read',
    summary: 'Shows a person or a service user',
    method: 'get',
    path: ITEM,
    parameters: { userId },
    response: account,
    permission: onUser(viewsAccounts),
    handle: readAccount,
  }),
  operation({
    id: 'user.update',
    summary: 'Changes a person or a service user',
    description:
      'A field that is left out stays unchanged; null deletes a value. When the user stops being active, its sessions and tokens end before the response. The state active also unlocks.',
    method: 'patch',
    path: ITEM,
    parameters: { userId },
    request: patch({
      userName: userName.optional(),
      state: accountState,
      ...personChanges,
      ...serviceUserDetails,
    }),
    example: { userName: 'alice', state: 'active' },
    response: account,
    permission: changesUser,
    handle: updateAccount,
  }),
  operation({
    id: 'user.delete',
    summary: 'Deletes a person or a service user',
    description:
      'Sessions and tokens end before the response. They stay ended for a new user with the same id.',
    method: 'delete',
    path: ITEM,
    parameters: { userId },
    permission: endsUser(managesAccounts),
    handle: deleteAccount,
  }),
  operation({
    id: 'user.set_password',
    summary: 'Gives a person another password',
    description: 'Sessions and tokens end before the response.',
    method: 'post',
    path: `${ITEM}/password`,
    parameters: { userId },
    request: z.strictObject({ password, changeRequired }),
    example: { password: 'Correct-horse-9' },
    permission: onUser(managesAccounts),
    handle: resetPassword,
  }),
  operation({
    id: 'user.sign_out',
    summary: 'Ends all sessions and tokens of a user',
    description:
      'Sessions, grants, access and refresh tokens and trusted browsers end before the response. Personal access tokens of a service user stay valid: delete each, or deactivate the service user.',
    method: 'post',
    path: `${ITEM}/sign-out`,
    parameters: { userId },
    permission: endsUser(managesAccounts),
    handle: signOutEverywhere,
  }),
  operation({
    id: 'user.unlock',
    summary: 'Unlocks a user',
    description:
      'Earlier failed attempts no longer delay sign-ins of the user under a login name that no other account has, or with a second factor.',
    method: 'post',
    path: `${ITEM}/unlock`,
    parameters: { userId },
    response: account,
    permission: endsUser(managesAccounts),
    handle: unlockAccount,
  }),
]
