import { setTimeout } from 'node:timers/promises'
import { Secret } from '../config/settings-fields.ts'
import { StartFailure } from '../process/service.ts'
import { DependencyUnavailableError } from '../runtime/dependency-unavailable.ts'
import { ADVISORY_LOCKS } from './advisory-locks.ts'
import { type MigrationFile, type Migrations, migrationFiles, sha256 } from './migration-files.ts'
import { createPool, type Database, type Pool, type Queryable } from './pool.ts'
import { type DatabaseRole, provisionRoles, type RolePasswords } from './roles.ts'

/**
 * Applies what is missing as the owning role, one process at a time. Each file is a transaction, unless it says that it is none.
 * Returns the names applied. Throws StartFailure when a numbered file that was applied before has changed since, when a view
 * would lose a column, and when the database has a part only of the files that another one replaces.
 * `admin` must be a member of the owning role and connected without a transaction pooler.
 */
export async function migrate(admin: Pool, migrations: Migrations): Promise<readonly string[]> {
  const applied: string[] = []
  for (const file of await missingFiles(admin, migrations)) {
    if (await applyFile(admin, migrations, file)) applied.push(file.name)
  }
  return applied
}

function applyFile(admin: Pool, migrations: Migrations, file: PlannedFile): Promise<boolean> {
  const { statements } = file
  if (statements !== undefined) return applyOutsideTransaction(admin, migrations, { ...file, statements })
  return file.view === undefined ? applyOnce(admin, migrations, file) : applyView(admin, migrations, file)
}

/** A file to apply; `isThere`: the files that it replaces made its objects, and it is only recorded. */
interface PlannedFile extends MigrationFile {
  readonly isThere?: true
}

/**
 * The files that are to be applied, all of which may turn out to be there. Throws StartFailure when the database has a part only
 * of the files that another one replaces.
 */
async function missingFiles(database: Queryable, migrations: Migrations): Promise<readonly PlannedFile[]> {
  const recorded = await recordedNames(database, migrations.schema)
  return (await migrationFiles(migrations)).flatMap((file) => {
    const { name, replaced } = file
    if (replaced === undefined || recorded.has(name)) return [file]
    const missing = replaced.names.filter((each) => !recorded.has(each))
    if (missing.length === replaced.names.length) return [file]
    const applicable = replaced.files.filter((each) => missing.includes(each.name))
    if (applicable.length < missing.length) {
      throw new StartFailure(
        `${migrations.schema} lacks ${missing.length} of the ${replaced.names.length} migrations that ${name} replaces, as ${missing[0]}: upgrade to commit ${replaced.commit} first, and then to this version (docs/upgrades.md)`,
      )
    }
    return [...applicable, { ...file, isThere: true }]
  })
}

async function recordedNames(database: Queryable, schema: string): Promise<ReadonlySet<string>> {
  const { rows: found } = await database.query<{ exists: boolean }>({
    name: '',
    text: 'SELECT to_regclass($1) IS NOT NULL AS exists',
    values: [`${schema}.schema_migration`],
  })
  if (found[0]?.exists !== true) return new Set()
  const { rows } = await database.query<{ name: string }>({
    name: '',
    text: `SELECT name FROM ${schema}.schema_migration`,
  })
  return new Set(rows.map(({ name }) => name))
}

/** Waits for other processes that migrate, and goes on as the owning role. */
async function begin(tx: Queryable, { schema, role }: Migrations): Promise<void> {
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
}

/** Applies a numbered file, or records one whose objects are there. Resolves to false when it was recorded before. */
async function applyOnce(admin: Database, migrations: Migrations, file: PlannedFile): Promise<boolean> {
  const { schema, role } = migrations
  const { name, sql, asAdministrator, isThere } = file
  const checksum = sha256(sql)
  return admin.transaction(async (tx) => {
    await begin(tx, migrations)
    if (await isRecorded(tx, schema, { name, checksum })) return false
    if (asAdministrator) await tx.query({ name: '', text: 'SET LOCAL ROLE NONE' })
    if (!isThere) await tx.query({ name: '', text: sql })
    if (asAdministrator) await tx.query({ name: '', text: `SET LOCAL ROLE ${role}` })
    await record(tx, schema, { name, checksum })
    return true
  })
}

interface NumberedFile {
  readonly name: string
  readonly checksum: string
}

/** Throws StartFailure when a file with the name was applied that has another text. */
async function isRecorded(
  queryable: Queryable,
  schema: string,
  { name, checksum }: NumberedFile,
): Promise<boolean> {
  const { rows } = await queryable.query<{ checksum: string }>({
    name: '',
    text: `SELECT checksum FROM ${schema}.schema_migration WHERE name = $1`,
    values: [name],
  })
  const before = rows[0]?.checksum
  if (before !== undefined && before !== checksum) {
    throw new StartFailure(
      `migration ${schema}/${name} was changed after it had been applied; add a new file instead`,
    )
  }
  return before !== undefined
}

async function record(queryable: Queryable, schema: string, { name, checksum }: NumberedFile): Promise<void> {
  await queryable.query({
    name: '',
    text: `INSERT INTO ${schema}.schema_migration (name, checksum) VALUES ($1, $2)`,
    values: [name, checksum],
  })
}

/** How long a process waits until it asks again whether another one has applied a file. */
const ASK_AGAIN_MS = 200

/**
 * Applies a file whose statements run in no transaction. One that fails leaves the statements before it, so the file has to begin
 * by removing what an earlier run left.
 */
async function applyOutsideTransaction(
  admin: Pool,
  { schema, role }: Migrations,
  { name, sql, statements }: PlannedFile & { readonly statements: readonly string[] },
): Promise<boolean> {
  const checksum = sha256(sql)
  if (await isRecorded(admin, schema, { name, checksum })) return false
  return admin.session(async (session) => {
    await session.query({ name: '', text: `SET ROLE ${role}` })
    // A statement that waits for a lock has a snapshot, for the end of which CREATE INDEX CONCURRENTLY of the holder would wait.
    while (!(await tryLock(session))) await setTimeout(ASK_AGAIN_MS)
    if (await isRecorded(session, schema, { name, checksum })) return false
    for (const text of statements) await session.query({ name: '', text })
    await record(session, schema, { name, checksum })
    return true
  })
}

async function tryLock(session: Queryable): Promise<boolean> {
  const { rows } = await session.query<{ locked: boolean }>({
    name: 'migrate.try_lock',
    text: 'SELECT pg_try_advisory_lock($1) AS locked',
    values: [ADVISORY_LOCKS.migrateOutsideTransaction],
  })
  return rows[0]?.locked ?? false
}

/** PostgreSQL's answer to CREATE OR REPLACE VIEW without a column that the view has, or with another name or type of it. */
const INVALID_TABLE_DEFINITION = '42P16'

/**
 * Applies a view unless its text is the one that was applied last. A text that was applied before and lacks columns by now is that
 * of a version before the database's, and stays away.
 */
async function applyView(admin: Database, migrations: Migrations, file: PlannedFile): Promise<boolean> {
  const { schema } = migrations
  const { name, sql, view } = file
  let wasApplied = false
  try {
    return await admin.transaction(async (tx) => {
      await begin(tx, migrations)
      const { rows } = await tx.query<{ name: string }>({
        name: '',
        text: `SELECT name FROM ${schema}.schema_migration WHERE split_part(name, ' ', 1) = $1 ORDER BY applied_at DESC`,
        values: [view],
      })
      if (rows[0]?.name === name) return false
      wasApplied = rows.some((row) => row.name === name)
      await tx.query({ name: '', text: sql })
      await tx.query({
        name: '',
        text: `INSERT INTO ${schema}.schema_migration (name, checksum, applied_at) VALUES ($1, $2, clock_timestamp())
                 ON CONFLICT (name) DO UPDATE SET applied_at = excluded.applied_at`,
        values: [name, sha256(sql)],
      })
      return true
    })
  } catch (error) {
    const { code, message } = error as { code?: string; message?: string }
    if (code !== INVALID_TABLE_DEFINITION) throw error
    if (wasApplied) return false
    throw new StartFailure(
      `${schema}/${view}: ${message}; running services read its columns: keep their order, names and types, add columns at the end, or publish another view beside it (…_v2)`,
      { cause: error },
    )
  }
}

interface PrepareDatabaseOptions {
  /** URL of a user with CREATEROLE and CREATE on the database, without a transaction pooler in between. */
  readonly adminUrl: Secret
  readonly passwords: RolePasswords
  /** Migrations in the order of their references. */
  readonly migrations: readonly Migrations[]
}

/**
 * Makes roles and schemas and brings them up to date; running it again does only what is missing. Returns the address
 * for each role, which without passwords is that of the administrator who acts as the role. Throws StartFailure when the server cannot be reached or refuses.
 */
export async function prepareDatabase(
  options: PrepareDatabaseOptions,
): Promise<(role: DatabaseRole) => Secret> {
  const { adminUrl, passwords, migrations } = options
  const admin = createPool({ url: adminUrl, applicationName: 'signet-migrate', max: 1, kind: 'long' })
  try {
    // Throws before anything is changed.
    for (const part of migrations) await missingFiles(admin, part)
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
    if (passwords === 'none') {
      // The certificate of the administrator, a member of the role, is the only one here.
      url.searchParams.set('options', `-c role=${role}`)
      return new Secret(url.href)
    }
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
