import { Secret } from '../config/secret.ts'
import { StartFailure } from '../process/start-failure.ts'
import { DependencyUnavailableError } from '../runtime/dependency-unavailable.ts'
import { type Migrations, migrate } from './migrate.ts'
import { createPool, type Queryable } from './pool.ts'
import { type DatabaseRole, provisionRoles } from './roles.ts'

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
    url.password = passwords[role].reveal()
    return new Secret(url.href)
  }
}

/** The message of the server or the socket; a refused connection to several addresses has a code but no message. */
function reasonOf(error: unknown): string {
  const origin = error instanceof DependencyUnavailableError ? error.cause : error
  const { message, code } = origin as { message?: string; code?: string }
  return message || code || 'unknown reason'
}
