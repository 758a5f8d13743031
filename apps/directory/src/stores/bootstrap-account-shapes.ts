import type { Queryable } from '@signet/platform/postgres/pool'
import type { PlacedObject } from '../bootstrap/object-writer.ts'
import { normaliseName } from '../credentials/login-name.ts'
import {
  type CredentialWriting,
  passwordChangeRequired,
  setClientSecret,
  setPassword,
  setPasswordChangeRequired,
  setPasswordHash,
  setPersonalAccessToken,
  setTotpSecret,
} from './bootstrap-credentials.ts'
import { ownerId } from './bootstrap-organization-shapes.ts'
import { addServiceUser, serviceUserFields } from './bootstrap-service-user.ts'
import type { TableShape } from './bootstrap-table-writer.ts'

type Kind = 'user' | 'metadata' | 'service_user' | 'personal_access_token' | 'machine_key'

export function accountShapes(tx: Queryable, writing: CredentialWriting): Readonly<Record<Kind, TableShape>> {
  const account = {
    table: 'account',
    identity: ({ id }: PlacedObject) => ({ user_id: id }),
    touched: () => ({ updated_at: writing.now() }),
  }
  const setRoles = (object: PlacedObject, roles: unknown) =>
    setMemberRoles(tx, object, roles as readonly string[])
  const roles = (object: PlacedObject) => memberRoles(tx, object)
  const serviceUser = serviceUserFields(tx)
  return {
    user: {
      ...account,
      owner: (object) => ({ organization_id: ownerId(object), kind: 'human' }),
      initial: () => ({ created_at: writing.now(), updated_at: writing.now() }),
      columns: HUMAN_COLUMNS,
      stored: {
        roles,
        email: (object) => storedContact(tx, object, 'email'),
        phone: (object) => storedContact(tx, object, 'phone'),
        passwordChangeRequired: (object) => passwordChangeRequired(tx, object),
      },
      effects: {
        roles: setRoles,
        password: (object, password) => setPassword(tx, writing, object, String(password)),
        passwordHash: (object, hash) => setPasswordHash(tx, object, String(hash), writing.now()),
        passwordChangeRequired: (object, required) =>
          setPasswordChangeRequired(tx, object, required === true),
        totpSecret: (object, secret) => setTotpSecret(tx, writing, object, String(secret)),
      },
    },
    metadata: {
      table: 'user_metadata',
      identity: (object) => ({ user_id: ownerId(object), key: object.id }),
      columns: { value: (value) => ({ value: Buffer.from(String(value)) }) },
      stored: { value: (object) => storedMetadata(tx, object) },
    },
    service_user: {
      ...account,
      owner: (object) => ({ organization_id: ownerId(object), kind: 'service_user' }),
      initial: () => ({ created_at: writing.now(), updated_at: writing.now() }),
      columns: { userName: USER_NAME, displayName: (display_name) => ({ display_name }) },
      created: (object) => addServiceUser(tx, object, writing.newId()),
      stored: { ...serviceUser.stored, roles },
      effects: {
        ...serviceUser.effects,
        roles: setRoles,
        clientSecret: ({ id }, secret) =>
          setClientSecret(tx, writing, { kind: 'service_user', id }, String(secret)),
      },
    },
    personal_access_token: {
      table: 'personal_access_token',
      identity: (object) => ({ user_id: ownerId(object), token_id: object.id }),
      // Random until the effect below stores the token's own hash in the same transaction.
      initial: () => ({ token_hash: writing.random(32), created_at: writing.now() }),
      columns: { expiresAt: (expires_at) => ({ expires_at }) },
      effects: {
        token: (object, token) =>
          setPersonalAccessToken(tx, writing, object, typeof token === 'string' ? token : null),
      },
    },
    machine_key: {
      table: 'machine_key',
      identity: (object) => ({ user_id: ownerId(object), kid: object.id }),
      columns: { jwk: (jwk) => ({ jwk: JSON.stringify(jwk) }) },
    },
  }
}

const USER_NAME = (value: unknown) => ({
  user_name: String(value).trim(),
  user_name_key: normaliseName(String(value)),
})

const HUMAN_COLUMNS: TableShape['columns'] = {
  userName: USER_NAME,
  displayName: (display_name) => ({ display_name }),
  givenName: (given_name) => ({ given_name }),
  familyName: (family_name) => ({ family_name }),
  middleName: (middle_name) => ({ middle_name }),
  nickName: (nickname) => ({ nickname }),
  profileUrl: (profile_url) => ({ profile_url }),
  picture: (picture) => ({ picture }),
  website: (website) => ({ website }),
  gender: (gender) => ({ gender }),
  birthdate: (birthdate) => ({ birthdate }),
  zoneinfo: (zoneinfo) => ({ zoneinfo }),
  preferredLanguage: (preferred_language) => ({ preferred_language }),
  email: (value) => {
    const { address, verified } = value as { address: string; verified: boolean }
    return { email: address, email_key: normaliseName(address), email_verified: verified }
  },
  phone: (value) => {
    const { number, verified } = value as { number: string; verified: boolean }
    return { phone_number: number, phone_number_verified: verified }
  },
  streetAddress: (street_address) => ({ street_address }),
  locality: (locality) => ({ locality }),
  region: (region) => ({ region }),
  postalCode: (postal_code) => ({ postal_code }),
  country: (country) => ({ country }),
  state: (state) => ({ state }),
}

const CONTACTS = {
  email: `jsonb_build_object('address', email, 'verified', email_verified)`,
  phone: `jsonb_build_object('number', phone_number, 'verified', phone_number_verified)`,
} as const

/** In the words of the file, which has both members whenever it has one. */
async function storedContact(
  tx: Queryable,
  { id }: PlacedObject,
  contact: keyof typeof CONTACTS,
): Promise<unknown> {
  const { rows } = await tx.query<{ value: unknown }>({
    name: `bootstrap.account.read_${contact}`, // primary key
    text: `SELECT ${CONTACTS[contact]} AS value FROM directory.account WHERE user_id = $1`,
    values: [id],
  })
  return rows[0]?.value
}

async function storedMetadata(tx: Queryable, object: PlacedObject): Promise<string | undefined> {
  const { rows } = await tx.query<{ value: Buffer }>({
    name: 'bootstrap.user_metadata.read', // primary key
    text: 'SELECT value FROM directory.user_metadata WHERE user_id = $1 AND key = $2',
    values: [ownerId(object), object.id],
  })
  return rows[0]?.value.toString('utf8')
}

/** The roles of a user in the instance and in the user's own organization, sorted. */
async function memberRoles(tx: Queryable, object: PlacedObject): Promise<readonly string[]> {
  const { rows } = await tx.query<{ role: string }>({
    name: 'bootstrap.member.read', // member_once
    text: `SELECT role FROM directory.member
            WHERE user_id = $1 AND (level = 'instance' OR level = 'organization' AND organization_id = $2)
            ORDER BY role COLLATE "C"`,
    values: [object.id, ownerId(object)],
  })
  return rows.map(({ role }) => role)
}

/** Replaces the roles that a user holds there by `roles`. */
async function setMemberRoles(tx: Queryable, object: PlacedObject, roles: readonly string[]): Promise<void> {
  await tx.query({
    name: 'bootstrap.member.clear', // member_once
    text: `DELETE FROM directory.member
            WHERE user_id = $1 AND (level = 'instance' OR level = 'organization' AND organization_id = $2)`,
    values: [object.id, ownerId(object)],
  })
  await tx.query({
    name: 'bootstrap.member.add',
    text: `INSERT INTO directory.member (user_id, level, organization_id, role)
           SELECT $1::text, CASE WHEN role LIKE 'ORG%' THEN 'organization' ELSE 'instance' END,
                  CASE WHEN role LIKE 'ORG%' THEN $2::text END, role
             FROM unnest($3::text[]) AS role`,
    values: [object.id, ownerId(object), roles],
  })
}
