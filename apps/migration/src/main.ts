import { callee, transferCallee } from '@signet/service-process/callee'
import { postgresWithSchema } from '@signet/service-process/postgres'
import { runServiceProcess } from '@signet/service-process/run-service-process'
import { limitHeapGrowth } from '@signet/service-runtime/heap-growth'
import { readMigrationConfig } from './config.ts'
import { migrations } from './migrations.ts'
import { startMigration } from './service.ts'

limitHeapGrowth()
await runServiceProcess({
  name: 'migration',
  env: process.env,
  config: readMigrationConfig,
  resources: { database: postgresWithSchema(migrations), token: callee('token'), transfer: transferCallee() },
  start: startMigration,
})
