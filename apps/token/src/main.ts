import { callee } from '@signet/service-process/callee'
import { postgresWithSchema } from '@signet/service-process/postgres'
import { redisOfRevocations } from '@signet/service-process/redis'
import { runServiceProcess } from '@signet/service-process/run-service-process'
import { readTokenConfig } from './config.ts'
import { migrations } from './migrations.ts'
import { startToken } from './service.ts'

await runServiceProcess({
  name: 'token',
  env: process.env,
  config: readTokenConfig,
  resources: {
    database: postgresWithSchema(migrations),
    redis: redisOfRevocations(),
    keys: callee('keys'),
  },
  start: startToken,
})
