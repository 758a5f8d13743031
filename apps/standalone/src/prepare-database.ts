import { migrations as directoryMigrations } from '@signet/directory/migrations'
import { migrations as keysMigrations } from '@signet/keys/migrations'
import { migrations as migrationMigrations } from '@signet/migration/migrations'
import { migrate } from '@signet/postgres/migrate'
import { createPool } from '@signet/postgres/pool'
import { type DatabaseRole, provisionRoles } from '@signet/postgres/roles'
import { DependencyUnavailableError } from '@signet/service-runtime/dependency-unavailable'
import { Secret } from '@signet/service-runtime/secret'
import { StartFailure } from '@signet/service-runtime/start-failure'
import { migrations as tokenMigrations } from '@signet/token/migrations'

/** In the order of their references: the token service's statements read the directory's views. */
const MIGRATIONS = [directoryMigrations, tokenMigrations, keysMigrations, migrationMigrations]

/**
 * Makes roles and schemas and brings them up to date. Returns the address for each role.
 * Throws StartFailure when the server cannot be reached or refuses.
 */
export async function prepareDatabase(
  adminUrl: Secret,
  passwords: Readonly<Record<DatabaseRole, Secret>>,
): Promise<(role: DatabaseRole) => Secret> {
  const admin = createPool({ url: adminUrl, applicationName: 'signet-migrate', max: 1 })
  try {
    await provisionRoles(admin, passwords)
    for (const migrations of MIGRATIONS) await migrate(admin, migrations)
  } catch (error) {
    if (error instanceof StartFailure) throw error
    const { hostname, port } = new URL(adminUrl.reveal())
    throw new StartFailure(`PostgreSQL at ${hostname}:${port || 5432} cannot be used: ${reasonOf(error)}`, { cause: error })
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

/** What the server or the socket said; a refused connection to several addresses has a code but no message. */
function reasonOf(error: unknown): string {
  const origin = error instanceof DependencyUnavailableError ? error.cause : error
  const { message, code } = origin as { message?: string; code?: string }
  return message || code || 'unknown reason'
}
