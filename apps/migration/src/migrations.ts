import type { Migrations } from '@signet/platform/postgres/migration-files'

/** The schema that this service owns. */
export const migrations: Migrations = {
  schema: 'migration',
  role: 'signet_migration',
  folder: new URL('../migrations/', import.meta.url),
  hasAuditLog: true,
}
