import { getHeapStatistics } from 'node:v8'
import { postgres } from '@signet/service/postgres'
import { callee, optionalDirectory } from '@signet/service/process-settings'
import { createRedisResource } from '@signet/service/redis'
import { runServiceProcess } from '@signet/service/service-process'
import { readIntrospectionConfig, toleratedMs } from './config.ts'
import { startIntrospection } from './service.ts'

await runServiceProcess({
  name: 'introspection',
  env: process.env,
  config: readIntrospectionConfig,
  resources: {
    database: postgres({ toleratedMs }),
    redis: createRedisResource(),
    keys: callee('keys'),
    directory: optionalDirectory,
  },
  start: (options) => startIntrospection({ ...options, heapBytes: getHeapStatistics().heap_size_limit }),
})
