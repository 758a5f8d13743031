import { randomBytes } from 'node:crypto'
import { applyBootstrap, readBootstrapDocument } from '@signet/directory/bootstrap'
import { migrations as directoryMigrations } from '@signet/directory/migrations'
import { migrations as federationMigrations } from '@signet/federation/migrations'
import { migrations as keysMigrations } from '@signet/keys/migrations'
import { migrations as migrationMigrations } from '@signet/migration/migrations'
import type { Environment } from '@signet/platform/config/settings'
import { createLogger } from '@signet/platform/logger/logger'
import { createDatabaseClock } from '@signet/platform/postgres/database-clock'
import { prepareDatabase } from '@signet/platform/postgres/migrate'
import { createPool } from '@signet/platform/postgres/pool'
import { unwrapMasterKeys } from '@signet/platform/sealing/wrapped-keys'
import { migrations as tokenMigrations } from '@signet/token/migrations'
import { readMigrateConfig } from './config.ts'

/** Migrations in the order of their references: the token service's statements read the directory's views. */
const MIGRATIONS = [
  ...[directoryMigrations, tokenMigrations, keysMigrations, migrationMigrations],
  federationMigrations,
]

/**
 * Makes the database roles with their passwords, applies what is missing of every schema, then the bootstrap file if
 * the settings name one. Running it again, also at the same time, changes nothing that is there.
 */
export async function prepareInstallation(given: Environment): Promise<void> {
  const env = await unwrapMasterKeys(given)
  const { adminUrl, passwords, bootstrap, logLevel } = readMigrateConfig(env)
  const logger = createLogger({ service: 'migrate', level: logLevel })
  const document = bootstrap && readBootstrapDocument(bootstrap.file)
  const databaseUrl = await prepareDatabase({
    adminUrl,
    passwords,
    migrations: MIGRATIONS,
  })
  logger.info('database_prepared')
  if (bootstrap === undefined) return
  const database = createPool({
    url: databaseUrl('signet_directory'),
    applicationName: 'signet-bootstrap',
    max: 1,
    kind: 'long',
  })
  try {
    const clock = createDatabaseClock({ logger })
    await clock.read(database)
    await applyBootstrap({
      document,
      config: { masterKeys: bootstrap.masterKeys },
      database,
      environment: env,
      now: clock.now,
      random: randomBytes,
      logger,
    })
  } finally {
    await database.close()
  }
}
