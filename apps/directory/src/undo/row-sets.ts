import type { ListName } from '@signet/file-formats/export/lists'

import { exportedName } from '@signet/protocol/fields/field'

// The parts that the tables of objects are made of. In every condition `t` is the row, `k.k1` and `k.k2` the key of the
// object, and `k.organization_id` the organization of the batch.

/** Rows of one table that belong to an object. */
export interface RowSet {
  readonly table: string
  readonly condition: string
  readonly primaryKey: readonly string[]
  /** The columns that an import writes, and the fields of the format that they hold; null for derived columns. */
  readonly columns: Readonly<Record<string, string | null>>
  /** Columns that change without a change of the object, such as a hash that a sign-in replaces. */
  readonly uncompared?: readonly string[]
  /** The object exists without them: an undo inserts and deletes them. Other rows exist as long as the object. */
  readonly optional?: true
  /** There may be several of them. */
  readonly several?: true
  /** Whether the rows stay when the first row is deleted, and have to be deleted apart. */
  readonly isDetached?: true
  /** Tokens of the owner end when one of them is taken away. */
  readonly endsTokensOf?: 'account' | 'application'
  readonly conflictTarget?: string
}

/** Rows of others that would go with a created object. */
export interface Dependents {
  readonly name: string
  readonly table: string
  readonly condition: string
  /** Objects of their own: no undo deletes them, not even a forced one. */
  readonly areObjects?: true
}

export interface ObjectTables {
  /** The object exists while rows of the first set do. */
  readonly rowSets: readonly [RowSet, ...RowSet[]]
  readonly keyOf: (record: never) => readonly [string, string?]
  readonly dependents: readonly Dependents[]
}

/** The members of a record that have no column. */
export const carried = (list: string, key = 'k.k1'): RowSet => ({
  table: 'carried_record',
  condition: `t.organization_id = k.organization_id AND t.list = '${list}' AND t.record_key = ${key}`,
  primaryKey: ['organization_id', 'list', 'record_key'],
  columns: {
    organization_id: null,
    list: null,
    record_key: null,
    user_id: null,
    project_id: null,
    application_id: null,
    sealed_record: '*',
  },
  optional: true,
  isDetached: true,
})

/** Rows of the user with the key of the object. */
export const BY_USER = 't.user_id = k.k1'

/** The account of a person or service user. */
export const account = (columns: RowSet['columns']): RowSet => ({
  table: 'account',
  condition: `${BY_USER} AND t.organization_id = k.organization_id`,
  primaryKey: ['user_id'],
  columns: { user_id: null, user_name: 'user.userName', user_name_key: null, state: 'state', ...columns },
})

/** The columns of a table of fields, with their paths in the format. */
export const fieldsOf = (
  fields: Readonly<Record<string, { readonly column: string; readonly exported?: string }>>,
  path = '',
) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [field.column, `${path}${exportedName(name, field)}`]),
  )

/** The client secrets of an owner. */
export const secrets = (table: string, owner: 'user_id' | 'application_id'): RowSet => ({
  table,
  condition: `t.${owner} = k.k1`,
  primaryKey: ['secret_id'],
  columns: {
    secret_id: null,
    [owner]: null,
    hash: 'clientSecretHashes',
    expires_at: 'clientSecretHashes',
    created_at: null,
  },
  uncompared: ['secret_id', 'created_at'],
  optional: true,
  several: true,
  endsTokensOf: owner === 'user_id' ? 'account' : 'application',
})

/** A row that belongs to one object, under a key. */
export const detail = (
  table: string,
  key: readonly [string, string],
  columns: Readonly<Record<string, string>>,
): RowSet => ({
  table,
  condition: `t.${key[0]} = k.k1 AND t.${key[1]} = k.k2`,
  primaryKey: key,
  columns: { [key[0]]: null, [key[1]]: null, ...columns },
})

/** The roles of a member. */
export const members = (level: 'organization' | 'project', condition: string): RowSet => ({
  table: 'member',
  condition: `${BY_USER} AND t.level = '${level}' AND ${condition}`,
  primaryKey: ['user_id', 'level', 'organization_id', 'project_id', 'role'],
  columns: {
    user_id: null,
    level: null,
    organization_id: null,
    project_id: null,
    role: 'roles',
    accepted: 'roles',
  },
  optional: true,
  several: true,
  conflictTarget: 'ON CONSTRAINT member_once',
})

/** Rows that an undo deletes with the object if it is forced. */
export const dependent = (name: string, table: string, condition: string): Dependents => ({
  name,
  table,
  condition,
})

/** The rows that may belong to a user of this list. */
export const ofAccount = (list: ListName): readonly Dependents[] => [
  dependent('metadata entries', 'user_metadata', BY_USER),
  dependent('keys', 'machine_key', BY_USER),
  dependent('trusted issuers', 'issuer_trust', BY_USER),
  dependent('passkeys', 'passkey', BY_USER),
  dependent('identity links', 'identity_link', BY_USER),
  dependent('recovery codes', 'recovery_code', BY_USER),
  dependent('personal access tokens', 'personal_access_token', BY_USER),
  dependent('user grants', 'user_grant', BY_USER),
  dependent('memberships', 'member', BY_USER),
  dependent('records that are stored only', 'carried_record', `${BY_USER} AND t.list <> '${list}'`),
]

/** Rows of the project with the key of the object. */
export const BY_PROJECT = 't.project_id = k.k1'
/** Rows of the organization with the key of the object. */
export const BY_ORGANIZATION = 't.organization_id = k.k1'
