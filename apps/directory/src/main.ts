import { postgresWithSchema } from '@signet/service/postgres'
import { callee } from '@signet/service/process-settings'
import { runServiceProcess } from '@signet/service/service-process'
import { readDirectoryConfig } from './config.ts'
import { migrations } from './migrations.ts'
import { startDirectory } from './service.ts'

await runServiceProcess({
  name: 'directory',
  env: process.env,
  config: readDirectoryConfig,
  resources: { database: postgresWithSchema(migrations), token: callee('token'), login: callee('login') },
  start: startDirectory,
})
