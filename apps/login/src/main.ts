import { postgres } from '@signet/service/postgres'
import { callee } from '@signet/service/process-settings'
import { createRedisResource } from '@signet/service/redis'
import { runServiceProcess } from '@signet/service/service-process'
import { readConfig } from './config.ts'
import { startLogin } from './service.ts'

await runServiceProcess({
  name: 'login',
  env: process.env,
  config: readConfig,
  resources: {
    database: postgres(),
    redis: createRedisResource(),
    directory: callee('directory'),
    token: callee('token'),
    keys: callee('keys'),
    federation: callee('federation'),
  },
  start: ({ directory, token, keys, federation, ...options }) =>
    startLogin({ ...options, transports: { directory, token, keys, federation } }),
})
