import { limitHeapGrowth } from '@signet/platform/runtime/heap-growth'
import { callee, transferCallee } from '@signet/service/callee'
import { postgresWithSchema } from '@signet/service/postgres'
import { runServiceProcess } from '@signet/service/run-service-process'
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
