import { userNameKey } from '@signet/protocol/user-name'
import type { z } from 'zod'
import type { Credentials } from './record-check.ts'
import {
  apiApplication,
  applicationKey,
  applicationTrustedIssuer,
  oidcApplication,
} from './record-schemas/applications.ts'
import {
  action,
  identityProvider,
  localisedText,
  organizationMetadata,
  orgMember,
  project,
  projectGrant,
  projectGrantMember,
  projectMember,
  projectRole,
  triggerAction,
  userGrant,
  userLink,
} from './record-schemas/projects.ts'
import {
  humanUser,
  machineKey,
  machineTrustedIssuer,
  machineUser,
  userMetadata,
} from './record-schemas/users.ts'

/** List of an organization: its records and its place in an import. */
export interface ListShape<S extends z.ZodType = z.ZodType> {
  readonly schema: S
  /**
   * Stages are applied one after the other across all organizations, referenced lists before the lists that refer to
   * them.
   */
  readonly stage: 1 | 2 | 3 | 4
  /** `type` of an entry in `errors`. */
  readonly type: string
  /** The rest of `id` of an entry in `errors`; with `scoped`, behind the id of the organization. */
  id(record: z.output<S>): string
  readonly scoped?: true
  /**
   * No two records of a document may have the same value; one that begins with `@/` is unique within an organization.
   */
  unique?(record: z.output<S>): readonly string[]
  /** Members without which a record can be imported when they are its only problem. */
  readonly credentials?: Credentials
  /** Whether writing it takes as long as hashing a password. */
  isSlow?(record: z.output<S>): boolean
  /** The member of `success` that lists it; texts are in none. */
  readonly success?: string
  /** The entry there; `id` when left out. */
  entry?(record: z.output<S>): unknown
  /** Stored and written again, but nothing looks at it yet. */
  readonly carried?: true
}

function list<S extends z.ZodType>(shape: ListShape<S>): ListShape<S> {
  return shape
}

const texts = (type: string) =>
  list({
    schema: localisedText,
    stage: 4,
    type,
    scoped: true,
    carried: true,
    id: ({ language }) => language,
    unique: ({ language }) => [`@/${type}/${language}`],
  })

/** The unique key of a user name within its organization. */
export const uniqueUserName = (userName: string) => `@/name/${userNameKey(userName)}`

/** Every list of an export document except `domains`, which belong to the organization itself. */
export const LISTS = {
  humanUsers: list({
    schema: humanUser,
    stage: 1,
    type: 'human_user',
    success: 'humanUserIds',
    id: ({ userId }) => userId,
    unique: ({ userId, user }) => [
      `principal/${userId}`,
      ...(user.userName === undefined ? [] : [uniqueUserName(user.userName)]),
    ],
    // A password in clear text beside a hash is ignored; it does not take the place of an invalid hash.
    credentials: {
      'user.hashedPassword': ['user.hashedPassword', 'user.password'],
      'user.otpCode': ['user.otpCode'],
      'user.totpDevices': ['user.totpDevices'],
    },
    isSlow: ({ user }) => user.password !== undefined && user.hashedPassword === undefined,
  }),
  machineUsers: list({
    schema: machineUser,
    stage: 1,
    type: 'machine_user',
    success: 'machineUserIds',
    id: ({ userId }) => userId,
    unique: ({ userId, clientId, user }) => [
      `principal/${userId}`,
      ...(clientId === undefined || clientId === userId ? [] : [`principal/${clientId}`]),
      uniqueUserName(user.userName),
    ],
  }),
  projects: list({
    schema: project,
    stage: 1,
    type: 'project',
    success: 'projectIds',
    id: ({ projectId }) => projectId,
    unique: ({ projectId }) => [`project/${projectId}`],
  }),
  userMetadata: list({
    schema: userMetadata,
    stage: 2,
    type: 'user_metadata',
    success: 'userMetadata',
    id: ({ id, key }) => `${id}_${key}`,
    entry: ({ id, key }) => ({ userId: id, key }),
    unique: ({ id, key }) => [`metadata/${id}/${key}`],
  }),
  orgMetadata: list({
    schema: organizationMetadata,
    stage: 2,
    type: 'org_metadata',
    scoped: true,
    success: 'orgMetadata',
    id: ({ key }) => key,
    unique: ({ key }) => [`@/metadata/${key}`],
  }),
  machineKeys: list({
    schema: machineKey,
    stage: 2,
    type: 'machine_user_key',
    success: 'machineKeys',
    id: ({ keyId }) => keyId,
    unique: ({ userId, keyId }) => [`machine-key/${userId}/${keyId}`],
  }),
  machineTrustedIssuers: list({
    schema: machineTrustedIssuer,
    stage: 2,
    type: 'machine_user_trusted_issuer',
    success: 'machineTrustedIssuers',
    id: ({ userId, id }) => `${userId}_${id}`,
    entry: ({ userId, id }) => ({ userId, id }),
    unique: ({ userId, id }) => [`machine-trust/${userId}/${id}`],
  }),
  projectRoles: list({
    schema: projectRole,
    stage: 2,
    type: 'project_role',
    success: 'projectRoles',
    id: ({ projectId, roleKey }) => `${projectId}_${roleKey}`,
    unique: ({ projectId, roleKey }) => [`role/${projectId}/${roleKey}`],
  }),
  oidcApps: list({
    schema: oidcApplication,
    stage: 2,
    type: 'oidc_app',
    success: 'oidcAppIds',
    id: ({ appId }) => appId,
    unique: ({ appId, app }) => [`application/${appId}`, `principal/${app.clientId ?? appId}`],
  }),
  apiApps: list({
    schema: apiApplication,
    stage: 2,
    type: 'api_app',
    success: 'apiAppIds',
    id: ({ appId }) => appId,
    unique: ({ appId, app }) => [`application/${appId}`, `principal/${app.clientId ?? appId}`],
  }),
  appKeys: list({
    schema: applicationKey,
    stage: 3,
    type: 'app_key',
    success: 'appKeys',
    id: ({ id }) => id,
    unique: ({ appId, id }) => [`app-key/${appId}/${id}`],
  }),
  appTrustedIssuers: list({
    schema: applicationTrustedIssuer,
    stage: 3,
    type: 'app_trusted_issuer',
    success: 'appTrustedIssuers',
    id: ({ appId, id }) => `${appId}_${id}`,
    entry: ({ appId, id }) => ({ appId, id }),
    unique: ({ appId, id }) => [`app-trust/${appId}/${id}`],
  }),
  projectGrants: list({
    schema: projectGrant,
    stage: 3,
    type: 'project_grant',
    scoped: true,
    success: 'projectGrants',
    id: ({ projectGrant }) => `${projectGrant.projectId}_${projectGrant.grantedOrgId}`,
    entry: ({ grantId, projectGrant }) => ({
      grantId,
      projectId: projectGrant.projectId,
      orgId: projectGrant.grantedOrgId,
    }),
    unique: ({ grantId, projectGrant }) => [
      `grant/${grantId}`,
      `project-grant/${projectGrant.projectId}/${projectGrant.grantedOrgId}`,
    ],
  }),
  userGrants: list({
    schema: userGrant,
    stage: 4,
    type: 'user_grant',
    scoped: true,
    success: 'userGrants',
    id: ({ userId, projectId }) => `${projectId}_${userId}`,
    entry: ({ userId, projectId }) => ({ projectId, userId }),
    unique: ({ userId, projectId, userGrantId }) => [
      `user-grant/${userId}/${projectId}`,
      ...(userGrantId === undefined ? [] : [`user-grant-id/${userGrantId}`]),
    ],
  }),
  orgMembers: list({
    schema: orgMember,
    stage: 4,
    type: 'org_member',
    scoped: true,
    success: 'orgMembers',
    id: ({ userId }) => userId,
    unique: ({ userId }) => [`@/member/${userId}`],
  }),
  // The product repeats these in every organization of a document.
  projectMembers: list({
    schema: projectMember,
    stage: 4,
    type: 'project_member',
    scoped: true,
    success: 'projectMembers',
    id: ({ userId, projectId }) => `${projectId}_${userId}`,
    entry: ({ userId, projectId }) => ({ projectId, userId }),
    unique: ({ userId, projectId }) => [`@/project-member/${projectId}/${userId}`],
  }),
  projectGrantMembers: list({
    schema: projectGrantMember,
    stage: 4,
    type: 'project_grant_member',
    scoped: true,
    success: 'projectGrantMembers',
    carried: true,
    id: ({ projectId, grantId, userId }) => `${projectId}_${grantId}_${userId}`,
    entry: ({ projectId, grantId, userId }) => ({ projectId, grantId, userId }),
    unique: ({ grantId, userId }) => [`@/grant-member/${grantId}/${userId}`],
  }),
  actions: list({
    schema: action,
    stage: 4,
    type: 'action',
    success: 'actionIds',
    carried: true,
    id: ({ actionId }) => actionId,
    unique: ({ actionId }) => [`action/${actionId}`],
  }),
  triggerActions: list({
    schema: triggerAction,
    stage: 4,
    type: 'trigger_action',
    success: 'triggerActions',
    carried: true,
    id: ({ flowType, triggerType }) => `${flowType}_${triggerType}`,
    entry: ({ flowType, triggerType, actionIds }) => ({ flowType, triggerType, actionIds }),
    unique: ({ flowType, triggerType }) => [`@/trigger/${flowType}/${triggerType}`],
  }),
  oidcIdps: list({
    schema: identityProvider,
    // Behind the roles that it gives to groups.
    stage: 3,
    type: 'oidc_idp',
    success: 'oidcIpds',
    id: ({ idpId }) => idpId,
    unique: ({ idpId }) => [`idp/${idpId}`],
  }),
  jwtIdps: list({
    schema: identityProvider,
    stage: 4,
    type: 'jwt_idp',
    success: 'jwtIdps',
    carried: true,
    id: ({ idpId }) => idpId,
    unique: ({ idpId }) => [`jwt-idp/${idpId}`],
  }),
  userLinks: list({
    schema: userLink,
    stage: 4,
    type: 'user_link',
    success: 'userLinks',
    id: ({ userId, idpId }) => `${userId}_${idpId}`,
    entry: ({ userId, idpId, providedUserId, providedUserName }) => ({
      userId,
      externalUserId: providedUserId,
      displayName: providedUserName,
      idpId,
    }),
    unique: ({ userId, idpId, providedUserId, issuer }) => [
      `@/link/${userId}/${idpId}/${providedUserId ?? ''}${issuer === undefined ? '' : `/${issuer}`}`,
    ],
  }),
  loginTexts: texts('login_texts'),
  initMessages: texts('init_message'),
  passwordResetMessages: texts('password_reset_message'),
  verifyEmailMessages: texts('verify_email_message'),
  verifyPhoneMessages: texts('verify_phone_message'),
  domainClaimedMessages: texts('domain_claimed_message'),
  passwordlessRegistrationMessages: texts('passwordless_registration_message'),
  verifySmsOtpMessages: texts('verify_sms_otp_message'),
  verifyEmailOtpMessages: texts('verify_email_otp_message'),
  inviteUserMessages: texts('invite_user_message'),
  passwordChangeMessages: texts('password_change_message'),
  newSignInMessages: texts('new_sign_in_message'),
  factorAddedMessages: texts('factor_added_message'),
  factorRemovedMessages: texts('factor_removed_message'),
}

export type ListName = keyof typeof LISTS
export const LIST_NAMES = Object.keys(LISTS) as readonly ListName[]

/** The list without the type of its records. */
export function shapeOf(name: ListName): ListShape {
  return LISTS[name] as unknown as ListShape
}

export function isListName(name: string): name is ListName {
  return Object.hasOwn(LISTS, name)
}

/** A checked record of a list. */
export type RecordOf<N extends ListName> = z.output<(typeof LISTS)[N]['schema']>
