import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { StartFailure } from '../process/start-failure.ts'
import type { Database, Queryable } from './pool.ts'
import type { DatabaseRole } from './roles.ts'

/** The numbered SQL files of one schema. `folder` holds `NNNN_name.sql`, applied in order, forward only. */
export interface Migrations {
  readonly schema: string
  readonly role: DatabaseRole
  readonly folder: URL
}

const MIGRATION_LOCK = 7_331_002
export const FILE_NAME = /^\d{4}_[a-z0-9_]+\.sql$/

/**
 * Applies what is missing, each file in its own transaction as the owning role, one process at a time.
 * Returns the names applied. Throws StartFailure when a file that was applied before has changed since.
 * `admin` must be a member of the owning role and connected without a transaction pooler.
 */
export async function migrate(admin: Database, migrations: Migrations): Promise<readonly string[]> {
  const names = (await readdir(migrations.folder)).filter((name) => FILE_NAME.test(name)).sort()
  const applied: string[] = []
  for (const name of names) {
    const sql = await readFile(new URL(name, migrations.folder), 'utf8')
    if (await admin.transaction((tx) => applyOnce(tx, migrations, name, sql))) applied.push(name)
  }
  return applied
}

async function applyOnce(
  tx: Queryable,
  { schema, role }: Migrations,
  name: string,
  sql: string,
): Promise<boolean> {
  await tx.query({ name: 'migrate.lock', text: 'SELECT pg_advisory_xact_lock($1)', values: [MIGRATION_LOCK] })
  await tx.query({ name: '', text: `SET LOCAL ROLE ${role}` })
  await tx.query({
    name: '',
    text: `CREATE TABLE IF NOT EXISTS ${schema}.schema_migration (
             name text PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`,
  })
  const checksum = createHash('sha256').update(sql).digest('hex')
  const known = await tx.query<{ checksum: string }>({
    name: '',
    text: `SELECT checksum FROM ${schema}.schema_migration WHERE name = $1`,
    values: [name],
  })
  const before = known.rows[0]?.checksum
  if (before === checksum) return false
  if (before !== undefined) {
    throw new StartFailure(
      `migration ${schema}/${name} was changed after it had been applied; add a new file instead`,
    )
  }
  await tx.query({ name: '', text: sql })
  await tx.query({
    name: '',
    text: `INSERT INTO ${schema}.schema_migration (name, checksum) VALUES ($1, $2)`,
    values: [name, checksum],
  })
  return true
}
