import { callee } from '@signet/service/callee'
import { postgresWithSchema } from '@signet/service/postgres'
import { runServiceProcess } from '@signet/service/run-service-process'
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
