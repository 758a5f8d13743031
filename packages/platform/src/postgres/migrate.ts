import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { Secret } from '../config/settings-fields.ts'
import { StartFailure } from '../process/service.ts'
import { DependencyUnavailableError } from '../runtime/dependency-unavailable.ts'
import { ADVISORY_LOCKS } from './advisory-locks.ts'
import { createPool, type Database, type Queryable } from './pool.ts'
import { type DatabaseRole, provisionRoles } from './roles.ts'

/** The numbered SQL files of one schema. `folder` holds `NNNN_name.sql`, applied in order, forward only. */
export interface Migrations {
  readonly schema: string
  readonly role: DatabaseRole
  readonly folder: URL
  /** Whether the schema has an audit log, which the files of `AUDIT_MIGRATIONS` give to a role of its own. */
  readonly hasAuditLog?: true
}

/** The SQL files of every audit log, with `@schema@` and `@role@` in them; applied after those of the service. */
const AUDIT_MIGRATIONS = new URL('../../migrations/', import.meta.url)

const FILE_NAME = /^\d{4}_[a-z0-9_]+\.sql$/

/**
 * Applies what is missing, each file in its own transaction as the owning role, one process at a time.
 * Returns the names applied. Throws StartFailure when a file that was applied before has changed since.
 * `admin` must be a member of the owning role and connected without a transaction pooler.
 */
export async function migrate(admin: Database, migrations: Migrations): Promise<readonly string[]> {
  const applied: string[] = []
  for (const file of await migrationFiles(migrations)) {
    if (await admin.transaction(async (tx) => applyOnce(tx, migrations, file))) applied.push(file.name)
  }
  return applied
}

interface MigrationFile {
  /** As `schema_migration` has it. */
  readonly name: string
  readonly url: URL
  /** Whether the administrator applies it and not the owning role. */
  readonly asAdministrator: boolean
}

/** The files of a schema in the order of their application. */
export async function migrationFiles({
  folder,
  hasAuditLog,
}: Pick<Migrations, 'folder' | 'hasAuditLog'>): Promise<readonly MigrationFile[]> {
  const namesIn = async (from: URL) => (await readdir(from)).filter((name) => FILE_NAME.test(name)).sort()
  const own = (await namesIn(folder)).map((name) => ({
    name,
    url: new URL(name, folder),
    asAdministrator: false,
  }))
  const shared = hasAuditLog ? await namesIn(AUDIT_MIGRATIONS) : []
  return [
    ...own,
    ...shared.map((name) => ({
      name: `audit/${name}`,
      url: new URL(name, AUDIT_MIGRATIONS),
      asAdministrator: true,
    })),
  ]
}

async function applyOnce(
  tx: Queryable,
  { schema, role }: Migrations,
  { name, url, asAdministrator }: MigrationFile,
): Promise<boolean> {
  const sql = (await readFile(url, 'utf8')).replaceAll('@schema@', schema).replaceAll('@role@', role)
  await tx.query({
    name: 'migrate.lock',
    text: 'SELECT pg_advisory_xact_lock($1)',
    values: [ADVISORY_LOCKS.migrate],
  })
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
  if (asAdministrator) await tx.query({ name: '', text: 'SET LOCAL ROLE NONE' })
  await tx.query({ name: '', text: sql })
  if (asAdministrator) await tx.query({ name: '', text: `SET LOCAL ROLE ${role}` })
  await tx.query({
    name: '',
    text: `INSERT INTO ${schema}.schema_migration (name, checksum) VALUES ($1, $2)`,
    values: [name, checksum],
  })
  return true
}

interface PrepareDatabaseOptions {
  /** Of a user with CREATEROLE and CREATE on the database, without a transaction pooler in between. */
  readonly adminUrl: Secret
  readonly passwords: Readonly<Record<DatabaseRole, Secret>>
  /** In the order of their references. */
  readonly migrations: readonly Migrations[]
  /** Runs before anything is changed; when it rejects, nothing is. */
  readonly mayBegin?: (admin: Queryable) => Promise<void>
}

/**
 * Makes roles and schemas and brings them up to date; running it again does only what is missing. Returns the address
 * for each role. Throws StartFailure when the server cannot be reached or refuses.
 */
export async function prepareDatabase(
  options: PrepareDatabaseOptions,
): Promise<(role: DatabaseRole) => Secret> {
  const { adminUrl, passwords, migrations, mayBegin } = options
  const admin = createPool({ url: adminUrl, applicationName: 'signet-migrate', max: 1, kind: 'long' })
  try {
    await mayBegin?.(admin)
    await provisionRoles(admin, passwords)
    for (const part of migrations) await migrate(admin, part)
  } catch (error) {
    if (error instanceof StartFailure) throw error
    const { hostname, port } = new URL(adminUrl.reveal())
    throw new StartFailure(`PostgreSQL at ${hostname}:${port || 5432} cannot be used: ${reasonOf(error)}`, {
      cause: error,
    })
  } finally {
    await admin.close()
  }
  return (role) => {
    const url = new URL(adminUrl.reveal())
    url.username = role
    url.password = encodeURIComponent(passwords[role].reveal())
    return new Secret(url.href)
  }
}

/** The message of the server or the socket; a refused connection to several addresses has a code but no message. */
function reasonOf(error: unknown): string {
  const origin = error instanceof DependencyUnavailableError ? error.cause : error
  const { message, code } = origin as { message?: string; code?: string }
  return message || code || 'unknown reason'
}
