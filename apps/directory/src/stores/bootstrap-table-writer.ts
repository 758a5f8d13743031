import type { Queryable } from '@signet/platform/postgres/pool'
import {
  type FieldValues,
  ObjectConflict,
  type ObjectWriter,
  type PlacedObject,
} from '../bootstrap/object-writer.ts'
import { ENDED_TOKEN_RULE } from './constraint-conflict.ts'
import { type Columns, insertRow, selectRow, updateRow } from './row-statement.ts'

/** How one kind of object lies in its table. Names come from the code, never from the file. */
export interface TableShape {
  readonly table: string
  /** The primary key. */
  identity(object: PlacedObject): Columns
  /** Columns that must hold these values for a row to be the object that the file means. */
  owner?(object: PlacedObject): Columns
  /** Columns of a new row that the file does not set; the table has defaults for the rest. */
  initial?(object: PlacedObject, values: FieldValues): Columns
  /** Columns to set with every update of an existing row. */
  touched?(object: PlacedObject, values: FieldValues): Columns
  /** The columns of each field of the file. */
  readonly columns: Readonly<Record<string, (value: unknown, object: PlacedObject) => Columns>>
  /** Fields, or rather what follows from them, that live in other tables; run after the row exists. */
  readonly effects?: Readonly<Record<string, (object: PlacedObject, value: unknown) => Promise<void>>>
  /** Reads a field that is not simply the first of its columns. */
  readonly stored?: Readonly<Record<string, (object: PlacedObject) => Promise<unknown>>>
  /** Runs once for a new row, before the effects. */
  created?(object: PlacedObject): Promise<void>
}

/** Writes objects that are one row, with what hangs on it. */
export function tableWriter(tx: Queryable, shape: TableShape): ObjectWriter {
  async function runEffects(object: PlacedObject, values: FieldValues): Promise<void> {
    for (const [field, effect] of Object.entries(shape.effects ?? {})) {
      if (values.has(field)) await effect(object, values.get(field))
    }
  }
  const columnsOf = (object: PlacedObject, values: FieldValues): Columns =>
    Object.assign({}, ...[...values].map(([field, value]) => shape.columns[field]?.(value, object) ?? {}))

  return {
    async find(object) {
      const owner = shape.owner?.(object) ?? {}
      const { rows } = await tx.query<Columns>(
        selectRow('bootstrap', shape.table, Object.keys(owner), shape.identity(object)),
      )
      const [row] = rows
      if (row === undefined) return 'absent'
      return Object.entries(owner).every(([column, value]) => row[column] === value) ? 'present' : 'elsewhere'
    },
    async stored(object, values) {
      const columns = new Map<string, string>()
      for (const [field, value] of values) {
        const [column] = Object.keys(shape.columns[field]?.(value, object) ?? {})
        if (column !== undefined) columns.set(field, column)
      }
      const { rows } = await tx.query<Columns>(
        selectRow('bootstrap', shape.table, [...columns.values()], shape.identity(object)),
      )
      const found = new Map<string, unknown>()
      for (const field of values.keys()) {
        const read = shape.stored?.[field]
        found.set(field, read ? await read(object) : rows[0]?.[columns.get(field) ?? ''])
      }
      return found
    },
    create: (object, values) =>
      orConflict(async () => {
        await tx.query(
          insertRow('bootstrap', shape.table, {
            ...shape.initial?.(object, values),
            ...shape.owner?.(object),
            ...columnsOf(object, values),
            ...shape.identity(object),
          }),
        )
        await shape.created?.(object)
        await runEffects(object, values)
      }),
    update: (object, values) =>
      orConflict(async () => {
        const columns = { ...columnsOf(object, values), ...shape.touched?.(object, values) }
        if (Object.keys(columns).length > 0) {
          await tx.query(updateRow('bootstrap', shape.table, columns, shape.identity(object)))
        }
        await runEffects(object, values)
      }),
  }
}

/** The text for the author of the file when a constraint is violated. */
const CONFLICTS: Readonly<Record<string, { readonly member?: string; readonly message: string }>> = {
  account_user_name: { member: 'userName', message: 'is taken in this organization' },
  account_global_user_name: {
    member: 'userName',
    message: 'is taken in another organization; both let people sign in by the user name alone',
  },
  organization_domain_verified: { message: 'the domain is verified for another organization' },
  personal_access_token_token_hash_key: { member: 'token', message: 'is the token of somebody else' },
  personal_access_token_ended: { member: 'id', message: ENDED_TOKEN_RULE },
  user_grant_role_project_id_role_key_fkey: { member: 'roles', message: 'names a role that was deleted' },
  setting_default_organization_id_fkey: { message: 'defaultOrganization was deleted' },
}

async function orConflict(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const {
      code,
      constraint = '',
      message,
    } = error as { code?: string; constraint?: string; message: string }
    // Class 23: integrity constraint violation.
    if (!code?.startsWith('23')) throw error
    const known = CONFLICTS[constraint]
    throw new ObjectConflict(known?.message ?? message, {
      ...(known?.member !== undefined && { member: known.member }),
      cause: error,
    })
  }
}
