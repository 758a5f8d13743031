import type { Migrations } from '@signet/platform/postgres/migration-files'

/** The schema that this service owns. */
export const migrations: Migrations = {
  schema: 'grants',
  role: 'signet_token',
  folder: new URL('../migrations/', import.meta.url),
  hasAuditLog: true,
}
