import { warnIfUnprotected } from '@signet/platform/config/store-protection'
import { limitHeapGrowth } from '@signet/platform/runtime/heap'
import { postgresWithSchema } from '@signet/service/postgres'
import { callee, transferCallee } from '@signet/service/process-settings'
import { runServiceProcess } from '@signet/service/service-process'
import { readMigrationConfig } from './config.ts'
import { migrations } from './migrations.ts'
import { startMigration } from './service.ts'

limitHeapGrowth()
await runServiceProcess({
  name: 'migration',
  env: process.env,
  config: readMigrationConfig,
  resources: {
    database: postgresWithSchema(migrations),
    token: callee('token'),
    keys: callee('keys'),
    transfer: transferCallee(),
  },
  start(options) {
    const url = options.config.queueRedisUrl.reveal()
    warnIfUnprotected(options.logger, { url, service: 'migration', dependency: 'queue' })
    return startMigration(options)
  },
})
