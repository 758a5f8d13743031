import type { Migrations } from '@signet/platform/postgres/migration-files'

/** The schema of this service; the migration Job applies it. */
export const migrations: Migrations = {
  schema: 'keys',
  role: 'signet_keys',
  folder: new URL('../migrations/', import.meta.url),
  hasAuditLog: true,
}
