import { migrations as directoryMigrations } from '@signet/directory/migrations'
import { migrations as federationMigrations } from '@signet/federation/migrations'
import { migrations as keysMigrations } from '@signet/keys/migrations'
import { migrations as migrationMigrations } from '@signet/migration/migrations'
import { migrations as tokenMigrations } from '@signet/token/migrations'

/** Migrations in the order of their references: the token service's statements read the directory's views. */
export const MIGRATIONS = [
  directoryMigrations,
  tokenMigrations,
  keysMigrations,
  migrationMigrations,
  federationMigrations,
]
