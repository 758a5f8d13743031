import type { Migrations } from '@signet/platform/postgres/migration-files'

/** The schemas `directory` and `directory_read`, as their owner makes them. */
export const migrations: Migrations = {
  schema: 'directory',
  role: 'signet_directory',
  folder: new URL('../migrations/', import.meta.url),
  hasAuditLog: true,
}
