import { withGenderText } from '@signet/file-formats/export/record-schemas/users'
import { forFlags } from '@signet/protocol/application-settings'
import { forCertificateNames } from '@signet/protocol/certificate-subject'
import { ADDRESS_FIELDS, PROFILE_FIELDS } from '@signet/protocol/fields/person'
import { SERVICE_USER_FIELDS } from '@signet/protocol/fields/service-user'
import { encodeBase32 } from '@signet/tokens/identifiers'
import type { Application } from '../applications/application.schema.ts'
import { type Authenticator, isDefault } from '../credentials/totp.ts'
import { createExport } from '../database/field-columns.ts'
import {
  API_AUTH_METHODS,
  APPLICATION_TYPES,
  AUTH_METHODS,
  GRANT_TYPES,
  RESPONSE_TYPES,
} from './application-rows.ts'
import { type AccountRow, genderName } from './user-rows.ts'

// Rows as records of the document. As in protojson, what is false, empty or zero is left out.

type Json = Readonly<Record<string, unknown>>
type Nullable<T> = {
  readonly [K in keyof T]: Exclude<T[K], undefined> | (undefined extends T[K] ? null : never)
}

/** Leaves out what is false, empty, zero or null; an empty object only if `value` is one. */
export function withoutZeros(value: Json): Json {
  const kept = Object.entries(value).filter(([, member]) => {
    if (member === null || member === undefined || member === false || member === '' || member === 0)
      return false
    return !(Array.isArray(member) && member.length === 0)
  })
  return Object.fromEntries(kept)
}

const filled = (value: Json): Json | undefined => {
  const members = withoutZeros(value)
  return Object.keys(members).length === 0 ? undefined : members
}

const inverse = (names: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(Object.entries(names).map(([name, meaning]) => [meaning, name]))

const USER_STATES = {
  active: 'USER_STATE_ACTIVE',
  inactive: 'USER_STATE_INACTIVE',
  locked: 'USER_STATE_LOCKED',
} as const

export type ExportedAccount = Nullable<Omit<AccountRow, 'created_at' | 'updated_at'>> & {
  readonly created_at: Date
  readonly updated_at: Date
}

/** RFC 3339; whole seconds without a fraction, as protojson writes them. */
export const timestamp = (at: Date): string => at.toISOString().replace('.000Z', 'Z')

// The text of a gender without a name in the format stands beside the gender.
const exportProfile = createExport(withGenderText(PROFILE_FIELDS, { kind: 'gender', column: '' } as const))
const exportAddress = createExport(ADDRESS_FIELDS)
const exportServiceUser = createExport(SERVICE_USER_FIELDS)

export function humanUserRecord(
  row: ExportedAccount,
  secrets: {
    readonly hash?: string | undefined
    readonly authenticators: readonly Authenticator[]
    readonly passkeys?: object | undefined
  },
  extras: Json,
): Json {
  const gender = row.gender ?? undefined
  const knownGender = gender === undefined ? undefined : genderName(gender)
  return {
    userId: row.user_id,
    user: withoutZeros({
      userName: row.user_name,
      profile: filled({
        ...exportProfile(row),
        gender: knownGender,
        genderText: knownGender === undefined ? gender : undefined,
      }),
      email:
        row.email === null
          ? undefined
          : withoutZeros({ email: row.email, isEmailVerified: row.email_verified }),
      phone:
        row.phone_number === null
          ? undefined
          : withoutZeros({ phone: row.phone_number, isPhoneVerified: row.phone_number_verified }),
      address: filled(exportAddress(row)),
      hashedPassword: secrets.hash === undefined ? undefined : { value: secrets.hash },
      ...totpMembers(secrets.authenticators),
      passkeys: secrets.passkeys,
      ...extras,
    }),
    state: USER_STATES[row.state ?? 'active'],
    creationDate: timestamp(row.created_at),
    changeDate: timestamp(row.updated_at),
  }
}

/** ZITADEL's member for the first authenticator if the seed says everything about it; Signet's own for the others. */
function totpMembers([first, ...others]: readonly Authenticator[]): Json {
  if (first === undefined) return {}
  if (isDefault(first)) return { otpCode: encodeBase32(first.seed), ...totpDevices(others) }
  return totpDevices([first, ...others])
}

function totpDevices(authenticators: readonly Authenticator[]): Json {
  if (authenticators.length === 0) return {}
  return {
    totpDevices: authenticators.map(({ seed, name, algorithm, digits, period }) =>
      withoutZeros({ name, secret: encodeBase32(seed), algorithm, digits, period }),
    ),
  }
}

export interface StoredSecret {
  readonly hash: string
  readonly expires_at: string | null
}

/**
 * Returns the members of the secrets. A single secret that does not expire, which nearly all clients have, uses the
 * short form.
 */
function secretMembers(secrets: readonly StoredSecret[]): Json {
  const [first] = secrets
  if (first === undefined) return {}
  if (secrets.length === 1 && first.expires_at === null) return { clientSecretHash: first.hash }
  return {
    clientSecretHashes: secrets.map(({ hash, expires_at }) =>
      withoutZeros({
        hash,
        expirationDate: expires_at === null ? undefined : timestamp(new Date(expires_at)),
      }),
    ),
  }
}

export interface ExportedServiceUser extends ExportedAccount {
  readonly access_token_type: 'bearer' | 'jwt'
}

export function machineUserRecord(
  row: ExportedServiceUser,
  secrets: readonly StoredSecret[],
  extras: Json,
): Json {
  const { accessTokenType: _, ...settings } = exportServiceUser(row)
  return withoutZeros({
    userId: row.user_id,
    user: withoutZeros({
      userName: row.user_name,
      name: row.display_name,
      accessTokenType: row.access_token_type === 'jwt' ? 'ACCESS_TOKEN_TYPE_JWT' : undefined,
      ...extras,
    }),
    ...settings,
    accessTokenSigningAlg: unlessZero(settings.accessTokenSigningAlg, 'RS256'),
    ...secretMembers(secrets),
    state: USER_STATES[row.state ?? 'active'],
    creationDate: timestamp(row.created_at),
    changeDate: timestamp(row.updated_at),
  })
}

export interface ExportedTrust {
  readonly trust_id: string
  readonly issuer: string
  readonly subject: string
  readonly claims: Readonly<Record<string, string>>
  readonly key_set: object | null
  readonly created_at: Date
}

/** The members of a trusted issuer beside its owner. */
export const trustMembers = ({ trust_id, issuer, subject, claims, key_set, created_at }: ExportedTrust) => ({
  ...{ id: trust_id, issuer, subject },
  ...(Object.keys(claims).length > 0 && { claims }),
  ...(key_set !== null && { keySet: key_set }),
  creationDate: timestamp(created_at),
})

const RESPONSE_TYPE_NAMES = inverse(RESPONSE_TYPES)
const GRANT_TYPE_NAMES = inverse(GRANT_TYPES)
const APPLICATION_TYPE_NAMES = inverse(APPLICATION_TYPES)
const AUTH_METHOD_NAMES = inverse(AUTH_METHODS)
const API_AUTH_METHOD_NAMES = inverse(API_AUTH_METHODS)

/** Number 0 of an enum is what leaving it out says. */
const unlessZero = (name: unknown, zero: string) => (name === zero ? undefined : name)

export function applicationRecord(
  { id, projectId, clientId, name, state, createdAt, ...settings }: Application,
  secrets: readonly StoredSecret[],
  // The release before the device authorization grant kept its name here.
  { deviceCode: _, ...extras }: Json,
): Json {
  const isApi = settings.type === 'api'
  // Names that the format has stand between its other members, those of Signet alone behind them.
  const { devMode, accessTokenRoleAssertion, idTokenRoleAssertion, idTokenUserinfoAssertion, ...flags } =
    forFlags((flag) => settings[flag])
  return {
    appId: id,
    app: withoutZeros({
      projectId,
      name,
      redirectUris: settings.redirectUris,
      responseTypes: settings.responseTypes.map((type) => RESPONSE_TYPE_NAMES.get(type)),
      grantTypes: settings.grantTypes.flatMap((type) => GRANT_TYPE_NAMES.get(type) ?? []),
      additionalGrantTypes: settings.grantTypes.filter((type) => !GRANT_TYPE_NAMES.has(type)),
      appType: isApi ? undefined : unlessZero(APPLICATION_TYPE_NAMES.get(settings.type), 'OIDC_APP_TYPE_WEB'),
      authMethodType: isApi
        ? unlessZero(API_AUTH_METHOD_NAMES.get(settings.authMethod), 'API_AUTH_METHOD_TYPE_BASIC')
        : unlessZero(AUTH_METHOD_NAMES.get(settings.authMethod), 'OIDC_AUTH_METHOD_TYPE_BASIC'),
      postLogoutRedirectUris: settings.postLogoutRedirectUris,
      devMode,
      accessTokenType: settings.accessTokenType === 'jwt' ? 'OIDC_TOKEN_TYPE_JWT' : undefined,
      accessTokenRoleAssertion,
      idTokenRoleAssertion,
      idTokenUserinfoAssertion,
      additionalOrigins: settings.allowedOrigins,
      backChannelLogoutUri: settings.backChannelLogoutUri,
      clientId,
      state: state === 'inactive' ? 'APP_STATE_INACTIVE' : 'APP_STATE_ACTIVE',
      idTokenSigningAlg: unlessZero(settings.idTokenSigningAlg, 'RS256'),
      accessTokenSigningAlg: unlessZero(settings.accessTokenSigningAlg, 'RS256'),
      accessTokenLifetime: durationOf(settings.accessTokenLifetimeSeconds),
      idTokenLifetime: durationOf(settings.idTokenLifetimeSeconds),
      groupsClaim: unlessZero(settings.groupsClaim, 'groups'),
      claimMapping: filled(settings.claimMapping),
      crossAppAccess: filled(settings.crossAppAccess),
      homePage: settings.homePage,
      initiateLoginUri: settings.initiateLoginUri,
      ...forCertificateNames((name) => settings[name]),
      ...flags,
      ...secretMembers(secrets),
      ...extras,
    }),
    creationDate: timestamp(createdAt),
  }
}

const durationOf = (value: number | null) => (value === null ? undefined : `${value}s`)

const SECRET_MEMBER = /secret|password|private_?key|api_?key/i

/** A record that nothing here interprets, without what its members' names call a secret. */
export function withoutSecrets(record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(record).flatMap(([member, value]) =>
      SECRET_MEMBER.test(member) ? [] : [[member, withoutSecretsInside(value)]],
    ),
  )
}

function withoutSecretsInside(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecretsInside)
  return typeof value === 'object' && value !== null
    ? withoutSecrets(value as Readonly<Record<string, unknown>>)
    : value
}
