import { callee } from '@signet/service-process/callee'
import { postgres } from '@signet/service-process/postgres'
import { redis } from '@signet/service-process/redis'
import { runServiceProcess } from '@signet/service-process/run-service-process'
import { loadLoginConfig } from './config.ts'
import { startLogin } from './service.ts'

await runServiceProcess({
  name: 'login',
  env: process.env,
  config: loadLoginConfig,
  resources: {
    database: postgres(),
    redis: redis(),
    directory: callee('directory'),
    token: callee('token'),
    keys: callee('keys'),
  },
  start: ({ directory, token, keys, ...options }) =>
    startLogin({ ...options, transports: { directory, token, keys } }),
})
