import { availableParallelism } from 'node:os'
import { postgresWithSchema } from '@signet/service/postgres'
import { callee } from '@signet/service/process-settings'
import { runServiceProcess } from '@signet/service/service-process'
import { readDirectoryConfig } from './config.ts'
import { migrations } from './migrations.ts'
import { startDirectory } from './service.ts'

// Password hashes take all cores but one and a slow hash one more. Two threads stay for the names of hosts and for files.
process.env.UV_THREADPOOL_SIZE ??= String(Math.max(4, availableParallelism() + 2))

await runServiceProcess({
  name: 'directory',
  env: process.env,
  config: readDirectoryConfig,
  resources: { database: postgresWithSchema(migrations), token: callee('token'), login: callee('login') },
  start: startDirectory,
})
