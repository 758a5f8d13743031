import type { Migrations } from '@signet/platform/postgres/migration-files'

/** The schema that this service owns. */
export const migrations: Migrations = {
  schema: 'federation',
  role: 'signet_federation',
  folder: new URL('../migrations/', import.meta.url),
}
