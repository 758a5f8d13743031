import { ADVISORY_LOCKS } from './advisory-locks.ts'
import { type Database, type Queryable, WORK_LIMITS } from './pool.ts'

/** The database role of each service and the schemas it owns; no other role writes there. */
export const SERVICE_SCHEMAS = {
  signet_directory: ['directory', 'directory_read'],
  signet_token: ['grants', 'grants_read'],
  signet_keys: ['keys', 'keys_read'],
  signet_migration: ['migration', 'migration_read'],
  signet_federation: ['federation'],
  signet_introspection: [],
  signet_login: [],
} as const satisfies Record<string, readonly string[]>

export type DatabaseRole = keyof typeof SERVICE_SCHEMAS
export const DATABASE_ROLES = Object.keys(SERVICE_SCHEMAS) as readonly DatabaseRole[]

/**
 * Owns the audit logs, one schema for each service that has one, and signs in never: a service may add rows, and only
 * the functions of this role seal them and take them away.
 */
const AUDIT_ROLE = 'signet_audit'
export const AUDIT_SCHEMAS = ['directory_audit', 'grants_audit', 'keys_audit', 'migration_audit'] as const

/** The passwords of the roles; `none`: the roles sign in by client certificates alone. */
export type RolePasswords = Readonly<Record<DatabaseRole, { reveal(): string }>> | 'none'

/**
 * Creates every service role with its password, or without one, and the schemas it owns; running it again changes
 * passwords and time-outs only.
 * `admin` needs CREATEROLE and CREATE on the database.
 */
export async function provisionRoles(admin: Database, passwords: RolePasswords): Promise<void> {
  await admin.transaction(async (tx) => {
    // Two processes that provision at once would collide on the catalogue.
    await tx.query({
      name: 'provision.lock',
      text: 'SELECT pg_advisory_xact_lock($1)',
      values: [ADVISORY_LOCKS.provisionRoles],
    })
    await tx.query({ name: 'provision.public', text: 'REVOKE ALL ON SCHEMA public FROM PUBLIC' })
    for (const role of DATABASE_ROLES) {
      const password = passwords === 'none' ? 'NULL' : await quoted(tx, passwords[role].reveal())
      await provisionRole(tx, role, password)
    }
    await provisionAuditRole(tx)
  })
}

async function provisionAuditRole(tx: Queryable): Promise<void> {
  if (!(await roleExists(tx, AUDIT_ROLE))) await ddl(tx, `CREATE ROLE ${AUDIT_ROLE} NOLOGIN`)
  await ddl(tx, `GRANT ${AUDIT_ROLE} TO CURRENT_USER`)
  for (const schema of AUDIT_SCHEMAS) await provisionSchema(tx, schema, AUDIT_ROLE)
}

/** `password` is a literal, or NULL, which takes away the one that there is. */
async function provisionRole(tx: Queryable, role: DatabaseRole, password: string): Promise<void> {
  const verb = (await roleExists(tx, role)) ? 'ALTER' : 'CREATE'
  await ddl(tx, `${verb} ROLE ${role} LOGIN PASSWORD ${password}`)
  for (const statement of roleLimits(role)) await ddl(tx, statement)
  // Creating a schema for a role and migrating as that role needs membership in it.
  await ddl(tx, `GRANT ${role} TO CURRENT_USER`)
  for (const schema of SERVICE_SCHEMAS[role]) await provisionSchema(tx, schema, role)
}

async function roleExists(tx: Queryable, role: string): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'provision.role_exists',
    text: 'SELECT 1 FROM pg_roles WHERE rolname = $1',
    values: [role],
  })
  return rowCount > 0
}

async function provisionSchema(tx: Queryable, schema: string, owner: string): Promise<void> {
  await ddl(tx, `CREATE SCHEMA IF NOT EXISTS ${schema} AUTHORIZATION ${owner}`)
  await ddl(tx, `REVOKE ALL ON SCHEMA ${schema} FROM PUBLIC`)
}

async function quoted(tx: Queryable, value: string): Promise<string> {
  const { rows } = await tx.query<{ literal: string }>({
    name: 'provision.quote',
    text: 'SELECT quote_literal($1::text) AS literal',
    values: [value],
  })
  const literal = rows[0]?.literal
  if (literal === undefined) throw new Error('quote_literal answered nothing')
  return literal
}

async function ddl(tx: Queryable, text: string): Promise<void> {
  await tx.query({ name: '', text })
}

/**
 * Statements that give a role the limits of requests. They are settings of the role because PgBouncer in transaction
 * mode refuses them as parameters of a connection and does not keep what `SET` changes.
 */
function roleLimits(role: string): readonly string[] {
  const { statementMs, idleInTransactionMs } = WORK_LIMITS.request
  return [
    `ALTER ROLE ${role} SET statement_timeout = ${statementMs}`,
    `ALTER ROLE ${role} SET idle_in_transaction_session_timeout = ${idleInTransactionMs}`,
  ]
}
