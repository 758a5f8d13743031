import { callee } from '@signet/service/callee'
import { postgresWithSchema } from '@signet/service/postgres'
import { runServiceProcess } from '@signet/service/run-service-process'
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
