import { createHash, randomBytes } from 'node:crypto'
import { Secret } from '@signet/platform/config/settings-fields'
import { migrate } from '@signet/platform/postgres/migrate'
import { type Migrations, migrationFiles } from '@signet/platform/postgres/migration-files'
import { createPool, type Database } from '@signet/platform/postgres/pool'
import { DATABASE_ROLES, type DatabaseRole, provisionRoles } from '@signet/platform/postgres/roles'
import type pg from 'pg'
import { inject } from 'vitest'
import { databaseName, withClient } from './database-names.ts'
import './provided-context.ts'

// One at a time on the whole server: roles are shared by its databases.
const TEMPLATE_LOCK = 7_331_100

export interface TestDatabase {
  /** Connects as superuser. */
  readonly adminUrl: Secret
  /** Connects as the role of one service, with that service's rights only. */
  url(role: DatabaseRole): Secret
  /** Ends all connections and removes the database. */
  drop(): Promise<void>
}

/** The steps of a service after the migrations, at its start. */
export interface Preparation {
  /** Names the template: two preparations with one name do the same. */
  readonly name: string
  readonly role: DatabaseRole
  run(database: Database): Promise<void>
}

interface Contents {
  readonly migrations: readonly Migrations[]
  /** Run once in a run of the tests, in this order, after the migrations. */
  readonly preparations?: readonly Preparation[]
}

/**
 * A database of its own with every service role and the given migrations applied in their order; a copy of a
 * template that is made once for the run, so asking for it takes about a tenth of a second.
 */
export async function createTestDatabase(contents: Contents): Promise<TestDatabase> {
  const postgresUrl = inject('postgresUrl')
  const runId = inject('runId')
  const name = databaseName.test(runId, randomBytes(6).toString('hex'))
  await withClient(postgresUrl, async (admin) => {
    const template = await templateDatabase(admin, postgresUrl, runId, contents)
    // 50 instead of 130 ms of CPU for the thousand files of all services: WAL_LOG reads and logs each page.
    await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`)
  })
  return {
    adminUrl: databaseUrl(postgresUrl, name),
    url: (role) => databaseUrl(postgresUrl, name, { name: role, password: rolePassword(postgresUrl, role) }),
    drop: () =>
      withClient(postgresUrl, async (admin) => {
        await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
      }),
  }
}

/** Passwords of the service roles, the same for every process that tests against this server. */
function rolePassword(postgresUrl: string, role: DatabaseRole): Secret {
  return new Secret(createHash('sha256').update(`${postgresUrl} ${role}`).digest('base64url'))
}

/** `postgresUrl` with another database, and another user when one is given. */
export function databaseUrl(
  postgresUrl: string,
  database: string,
  user?: { readonly name: string; readonly password: Secret },
): Secret {
  const url = new URL(postgresUrl)
  url.pathname = database
  if (user !== undefined) {
    url.username = user.name
    url.password = user.password.reveal()
  }
  return new Secret(url.href)
}

/** Name of a database with all roles and these contents, made by the first who asks in this run. */
async function templateDatabase(
  admin: pg.Client,
  postgresUrl: string,
  runId: string,
  contents: Contents,
): Promise<string> {
  const template = databaseName.template(runId, await contentHash(contents))
  await admin.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK])
  try {
    const known = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1', [template])
    if (known.rowCount === 0) await build(admin, postgresUrl, template, contents)
  } finally {
    await admin.query('SELECT pg_advisory_unlock($1)', [TEMPLATE_LOCK])
  }
  return template
}

async function build(
  admin: pg.Client,
  postgresUrl: string,
  template: string,
  { migrations, preparations = [] }: Contents,
): Promise<void> {
  const unfinished = `${template}_new`
  await admin.query(`DROP DATABASE IF EXISTS ${unfinished} WITH (FORCE)`)
  await admin.query(`CREATE DATABASE ${unfinished}`)
  const connect = (url: Secret) =>
    createPool({ url, applicationName: 'signet-testkit', max: 1, kind: 'long' })
  const database = connect(databaseUrl(postgresUrl, unfinished))
  try {
    const passwords = DATABASE_ROLES.map((role) => [role, rolePassword(postgresUrl, role)] as const)
    await provisionRoles(database, Object.fromEntries(passwords) as Record<DatabaseRole, Secret>)
    for (const part of migrations) await migrate(database, part)
  } finally {
    await database.close()
  }
  for (const { role, run } of preparations) {
    const service = connect(
      databaseUrl(postgresUrl, unfinished, { name: role, password: rolePassword(postgresUrl, role) }),
    )
    await run(service).finally(() => service.close())
  }
  await admin.query(`ALTER DATABASE ${unfinished} RENAME TO ${template}`)
}

/** Changes with the texts of the migrations and with the names of the preparations. */
export async function contentHash({ migrations, preparations = [] }: Contents): Promise<string> {
  const hash = createHash('sha256').update(`${preparations.map(({ name }) => name)}\n`)
  for (const part of migrations) {
    hash.update(`${part.schema} ${part.role}\n`)
    for (const { name, sql } of await migrationFiles(part)) {
      hash.update(`${name}\n`).update(sql)
    }
  }
  return hash.digest('hex').slice(0, 12)
}
