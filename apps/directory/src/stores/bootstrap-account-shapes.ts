import type { Queryable } from '@signet/postgres/pool'
import type { PlacedObject } from '../bootstrap/merge-bootstrap.ts'
import { normaliseName } from '../credentials/login-name.ts'
import {
  type CredentialWriting,
  setClientSecret,
  setPassword,
  setPasswordHash,
  setPersonalAccessToken,
  setTotpSecret,
} from './bootstrap-credentials.ts'
import { ownerId } from './bootstrap-organization-shapes.ts'
import type { TableShape } from './bootstrap-table-writer.ts'
import { addServiceUserRow } from './service-user-row.ts'

type Kind = 'user' | 'metadata' | 'service_user' | 'personal_access_token' | 'machine_key'

export function accountShapes(tx: Queryable, writing: CredentialWriting): Readonly<Record<Kind, TableShape>> {
  const account = {
    table: 'account',
    identity: ({ id }: PlacedObject) => ({ user_id: id }),
    touched: () => ({ updated_at: writing.now() }),
  }
  const roles = (object: PlacedObject, value: unknown) => setRoles(tx, object, value as readonly string[])
  return {
    user: {
      ...account,
      owner: (object) => ({ organization_id: ownerId(object), kind: 'human' }),
      initial: () => ({ created_at: writing.now(), updated_at: writing.now() }),
      columns: HUMAN_COLUMNS,
      effects: {
        roles,
        password: (object, password) => setPassword(tx, writing, object, String(password)),
        passwordHash: (object, hash) => setPasswordHash(tx, object, String(hash), writing.now()),
        totpSecret: (object, secret) => setTotpSecret(tx, writing, object, String(secret)),
      },
    },
    metadata: {
      table: 'user_metadata',
      identity: (object) => ({ user_id: ownerId(object), key: object.id }),
      columns: { value: (value) => ({ value: Buffer.from(String(value)) }) },
    },
    service_user: {
      ...account,
      owner: (object) => ({ organization_id: ownerId(object), kind: 'service_user' }),
      initial: () => ({ created_at: writing.now(), updated_at: writing.now() }),
      columns: { userName: USER_NAME, displayName: (display_name) => ({ display_name }) },
      created: (object) => addServiceUser(tx, object),
      effects: {
        clientId: (object, clientId) => setServiceUser(tx, object, 'client_id', clientId),
        accessTokenType: (object, type) => setServiceUser(tx, object, 'access_token_type', type),
        accessTokenSigningAlg: (object, alg) => setServiceUser(tx, object, 'access_token_signing_alg', alg),
        roles,
        clientSecret: ({ id }, secret) =>
          setClientSecret(
            tx,
            writing,
            { table: 'service_user_secret', column: 'user_id', id },
            String(secret),
          ),
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

async function addServiceUser(tx: Queryable, object: PlacedObject): Promise<void> {
  const fieldValue = (name: string) => object.desired.fields.find((field) => field.name === name)?.value
  const userName = fieldValue('clientId') === undefined ? String(fieldValue('userName')) : null
  await addServiceUserRow(tx, { userId: object.id, organizationId: ownerId(object), userName })
}

async function setServiceUser(
  tx: Queryable,
  { id }: PlacedObject,
  column: 'client_id' | 'access_token_type' | 'access_token_signing_alg',
  value: unknown,
): Promise<void> {
  await tx.query({
    name: `bootstrap.service_user.${column}`, // primary key
    text: `UPDATE directory.service_user SET ${column} = $2 WHERE user_id = $1`,
    values: [id, value],
  })
}

/** Makes `roles` what somebody holds in the instance and in their own organization. */
async function setRoles(tx: Queryable, object: PlacedObject, roles: readonly string[]): Promise<void> {
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
