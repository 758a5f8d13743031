import { postgresWithSchema } from '@signet/service/postgres'
import { callee, optionalDirectory } from '@signet/service/process-settings'
import { createRevocationRedisResource } from '@signet/service/redis'
import { runServiceProcess } from '@signet/service/service-process'
import { readTokenConfig } from './config.ts'
import { migrations } from './migrations.ts'
import { startToken } from './service.ts'

// Two threads of the pool sign as much as one event loop takes in and hands out. More of them get in its way: with four, as
// without this, a process makes a tenth fewer JWTs (docs/benchmarks.md).
process.env.UV_THREADPOOL_SIZE ??= '2'

await runServiceProcess({
  name: 'token',
  env: process.env,
  config: readTokenConfig,
  resources: {
    database: postgresWithSchema(migrations),
    redis: createRevocationRedisResource(),
    keys: callee('keys'),
    directory: optionalDirectory,
  },
  start: startToken,
})
