import { getHeapStatistics } from 'node:v8'
import { callee } from '@signet/service-process/callee'
import { postgres } from '@signet/service-process/postgres'
import { redis } from '@signet/service-process/redis'
import { runServiceProcess } from '@signet/service-process/run-service-process'
import { readIntrospectionConfig } from './config.ts'
import { startIntrospection } from './service.ts'

await runServiceProcess({
  name: 'introspection',
  env: process.env,
  config: readIntrospectionConfig,
  resources: { database: postgres(), redis: redis(), keys: callee('keys') },
  start: (options) => startIntrospection({ ...options, heapBytes: getHeapStatistics().heap_size_limit }),
})
