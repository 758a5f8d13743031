import { userNameOf } from '@signet/file-formats/export/given-names'
import type { RecordOf } from '@signet/file-formats/export/lists'
import { emailAddressKey } from '@signet/protocol/email-address'
import { columnsOf, exportedName } from '@signet/protocol/fields/field'
import { ADDRESS_FIELDS, type PersonColumn, PROFILE_FIELDS } from '@signet/protocol/fields/person'
import { preparedUserName, userNameKey } from '@signet/protocol/user-name'
import { decodeBase32 } from '@signet/tokens/identifiers'
import { type Authenticator, defaultAuthenticator } from '../credentials/totp.ts'
import { withoutUndefined } from './without-undefined.ts'

/** The columns of the fields of a person. */
export const PERSON_COLUMNS: readonly PersonColumn[] = [
  ...Object.values(columnsOf(PROFILE_FIELDS)),
  ...Object.values(columnsOf(ADDRESS_FIELDS)),
]

/** A row of `account`, as PostgreSQL reads its members. */
export interface AccountRow extends Partial<Record<PersonColumn, string | null | undefined>> {
  readonly user_id: string
  readonly kind: 'human' | 'service_user'
  readonly user_name: string
  readonly user_name_key: string
  readonly state: 'active' | 'inactive' | 'locked'
  readonly display_name: string
  readonly email?: string | undefined
  readonly email_key?: string | undefined
  readonly email_verified: boolean
  readonly phone_number?: string | null | undefined
  readonly phone_number_verified: boolean
  readonly created_at?: string | undefined
  readonly updated_at?: string | undefined
}

/** The columns of an account that a record gives: an undefined one is not given, null takes the value away. */
export type GivenAccount = Pick<AccountRow, 'user_id' | 'kind'> & {
  readonly [Column in Exclude<keyof AccountRow, 'user_id' | 'kind'>]?: AccountRow[Column] | undefined
}

type HumanUser = RecordOf<'humanUsers'>
type MachineUser = RecordOf<'machineUsers'>

/** Users of other products that are neither active nor locked are inactive here. */
const STATES: Readonly<Record<string, AccountRow['state']>> = {
  USER_STATE_ACTIVE: 'active',
  USER_STATE_INITIAL: 'active',
  USER_STATE_INACTIVE: 'inactive',
  USER_STATE_DELETED: 'inactive',
  USER_STATE_SUSPEND: 'inactive',
  USER_STATE_LOCKED: 'locked',
}

const GENDERS: Readonly<Record<string, string>> = {
  GENDER_FEMALE: 'female',
  GENDER_MALE: 'male',
  GENDER_DIVERSE: 'diverse',
}
const GENDER_NAMES = new Map(Object.entries(GENDERS).map(([name, gender]) => [gender, name]))

/** How the format calls a gender; undefined where it has no name for it. */
export const genderName = (gender: string): string | undefined => GENDER_NAMES.get(gender)

/** An empty text takes a value away. */
const orNull = (text: string | undefined): string | null | undefined => (text === '' ? null : text)

type ColumnsOfMembers = readonly (readonly [member: string, column: PersonColumn])[]

const columnsOfMembers = (
  fields: Readonly<Record<string, { readonly column: PersonColumn; readonly exported?: string }>>,
): ColumnsOfMembers =>
  Object.entries(fields).map(([name, field]) => [exportedName(name, field), field.column])

const PROFILE_COLUMNS = columnsOfMembers(PROFILE_FIELDS)
const ADDRESS_COLUMNS = columnsOfMembers(ADDRESS_FIELDS)

function givenColumns(
  columns: ColumnsOfMembers,
  members: Readonly<Record<string, unknown>>,
): { readonly [Column in PersonColumn]?: string | null } {
  const texts: { [Column in PersonColumn]?: string | null } = {}
  for (const [member, column] of columns) {
    const text = members[member]
    if (typeof text === 'string') texts[column] = text === '' ? null : text
  }
  return texts
}

/** The part of an account that must not be that of another. */
export type AccountKey = Pick<AccountRow, 'user_id' | 'kind' | 'user_name_key'> & {
  /** Whether the record gives the name, or an account that is new would have it. */
  readonly isNameGiven: boolean
}

export const humanUserKey = (record: HumanUser): AccountKey => ({
  user_id: record.userId,
  kind: 'human',
  user_name_key: userNameKey(userNameOf(record)),
  isNameGiven: record.user.userName !== undefined,
})

export const machineUserKey = ({ userId, user }: MachineUser): AccountKey => ({
  user_id: userId,
  kind: 'service_user',
  user_name_key: userNameKey(user.userName),
  isNameGiven: true,
})

const nameColumns = (userName: string) => ({
  user_name: preparedUserName(userName),
  user_name_key: userNameKey(userName),
})

/** The columns of a person that a record gives. */
export function humanUserRow({ userId, user, state, creationDate, changeDate }: HumanUser): GivenAccount {
  const { userName, profile = {}, email, phone, address = {} } = user
  return {
    user_id: userId,
    kind: 'human',
    ...(userName !== undefined && nameColumns(userName)),
    state: STATES[state ?? ''],
    ...givenColumns(PROFILE_COLUMNS, profile),
    ...givenColumns(ADDRESS_COLUMNS, address),
    // Each person has one.
    display_name: profile.displayName?.slice(0, 200) || undefined,
    gender: profile.genderText || GENDERS[profile.gender ?? ''] || orNull(profile.genderText),
    email: email?.email,
    email_key: email && emailAddressKey(email.email),
    email_verified: email?.isEmailVerified,
    phone_number: orNull(phone?.phone),
    phone_number_verified: phone?.isPhoneVerified,
    created_at: creationDate,
    updated_at: changeDate,
  }
}

/** A person who is new. */
export function newHumanUserRow(record: HumanUser): AccountRow {
  const { profile = {} } = record.user
  const fullName = [profile.firstName, profile.lastName].filter((part) => part).join(' ')
  const userName = userNameOf(record)
  return {
    ...{ user_id: record.userId, kind: 'human' },
    ...nameColumns(userName),
    state: 'active',
    display_name: (fullName || preparedUserName(userName)).slice(0, 200),
    email_verified: false,
    phone_number_verified: false,
    updated_at: record.creationDate,
    ...withoutUndefined(humanUserRow(record)),
  }
}

/** The authenticators of a user, the one without parameters first. */
export function authenticatorsOf({ otpCode, totpDevices = [] }: HumanUser['user']): readonly Authenticator[] {
  const seedOnly = otpCode === undefined ? undefined : decodeBase32(otpCode)
  const devices = totpDevices.flatMap(({ secret, name, algorithm, digits, period }) => {
    const seed = decodeBase32(secret)
    if (seed === undefined) return []
    const defaults = defaultAuthenticator(seed)
    return [
      {
        seed,
        algorithm: algorithm ?? defaults.algorithm,
        digits: digits ?? defaults.digits,
        period: period ?? defaults.period,
        ...(name && { name }),
      },
    ]
  })
  return seedOnly === undefined ? devices : [defaultAuthenticator(seedOnly), ...devices]
}

/** The members of a human user that have no column. */
export function humanUserExtras({ user }: HumanUser): Readonly<Record<string, unknown>> {
  const { requestPasswordlessRegistration, idps, recoveryCodes } = user
  return { requestPasswordlessRegistration, idps, recoveryCodes }
}

/** The columns of a service user that a record gives. */
export function machineUserRow({ userId, user, state, creationDate, changeDate }: MachineUser): GivenAccount {
  return {
    user_id: userId,
    kind: 'service_user',
    ...nameColumns(user.userName),
    state: STATES[state ?? ''],
    display_name: user.name,
    created_at: creationDate,
    updated_at: changeDate,
  }
}

/** A service user who is new. */
export function newMachineUserRow(record: MachineUser): AccountRow {
  const { userName } = record.user
  return {
    ...{ user_id: record.userId, kind: 'service_user' },
    ...nameColumns(userName),
    state: 'active',
    display_name: preparedUserName(userName),
    email_verified: false,
    phone_number_verified: false,
    updated_at: record.creationDate,
    ...withoutUndefined(machineUserRow(record)),
  }
}

export function machineUserExtras({ user }: MachineUser): Readonly<Record<string, unknown>> {
  return { description: user.description }
}

/** Migration adds up the leading numbers of all batches. */
export const userNotes = (
  users: readonly RecordOf<'humanUsers'>[],
  organizationIds: readonly string[],
): readonly string[] => [...verifiedAddressNotes(users), ...unusedMemberNotes(users, organizationIds)]

/** Returns a note for each domain. */
function verifiedAddressNotes(users: readonly RecordOf<'humanUsers'>[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { user } of users) {
    if (!user.email?.isEmailVerified) continue
    const key = emailAddressKey(user.email.email)
    const domain = key.slice(key.lastIndexOf('@') + 1)
    counts.set(domain, (counts.get(domain) ?? 0) + 1)
  }
  return [...counts].map(([domain, count]) => `${count} e-mail addresses in ${domain} are kept as verified`)
}

/** Returns a note for each organization and member of users that is kept and has no effect here. */
function unusedMemberNotes(
  users: readonly RecordOf<'humanUsers'>[],
  organizationIds: readonly string[],
): readonly string[] {
  const counts = new Map<string, number>()
  for (const [index, user] of users.entries()) {
    for (const [member, value] of Object.entries(humanUserExtras(user))) {
      if (isEmpty(value)) continue
      const note = `users of organization ${organizationIds[index]} have ${member}: stored, not used`
      counts.set(note, (counts.get(note) ?? 0) + 1)
    }
  }
  return [...counts].map(([note, count]) => `${count} ${note}`)
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === false || (Array.isArray(value) && value.length === 0)
