import { postgresWithSchema } from '@signet/service/postgres'
import { callee } from '@signet/service/process-settings'
import { runServiceProcess } from '@signet/service/service-process'
import { readKeysConfig } from './config.ts'
import { migrations } from './migrations.ts'
import { startKeys } from './service.ts'

await runServiceProcess({
  name: 'keys',
  env: process.env,
  config: readKeysConfig,
  resources: {
    database: postgresWithSchema(migrations, { toleratedMs: () => Number.POSITIVE_INFINITY }),
    token: callee('token'),
  },
  start: startKeys,
})
