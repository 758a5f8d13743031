import { readdir } from 'node:fs/promises'
import { FILE_NAME, type Migrations } from './migrate.ts'
import type { Queryable } from './pool.ts'

/**
 * Rejects until every migration of this release has been applied. Later migrations are accepted: old and new replicas
 * run side by side during an upgrade. Runs as the owning role.
 */
export async function requireMigrated(database: Queryable, { schema, folder }: Migrations): Promise<void> {
  const known = (await readdir(folder)).filter((name) => FILE_NAME.test(name))
  const { rows } = await database.query<{ name: string }>({
    name: 'schema_migration.all',
    text: `SELECT name FROM ${schema}.schema_migration`,
  })
  const applied = new Set(rows.map(({ name }) => name))
  const missing = known.filter((name) => !applied.has(name)).sort()
  if (missing.length > 0) throw new Error(`migrations of ${schema} are missing: ${missing.join(', ')}`)
}
