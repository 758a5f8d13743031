import { postgresWithSchema } from '@signet/service/postgres'
import { callee } from '@signet/service/process-settings'
import { runServiceProcess } from '@signet/service/service-process'
import { readFederationConfig } from './config.ts'
import { migrations } from './migrations.ts'
import { startFederation } from './service.ts'

await runServiceProcess({
  name: 'federation',
  env: process.env,
  config: readFederationConfig,
  resources: {
    database: postgresWithSchema(migrations),
    directory: callee('directory'),
  },
  start: startFederation,
})
