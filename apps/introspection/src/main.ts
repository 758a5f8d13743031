import { getHeapStatistics } from 'node:v8'
import type { Environment } from '@signet/platform/config/settings'
import { postgres } from '@signet/service/postgres'
import { callee } from '@signet/service/process-settings'
import { redis } from '@signet/service/redis'
import { runServiceProcess } from '@signet/service/service-process'
import { readIntrospectionConfig } from './config.ts'
import { startIntrospection } from './service.ts'

/** As long as it may answer without PostgreSQL, and no shorter than other services. */
function toleratedMs(env: Environment): number {
  return Math.max(30_000, (readIntrospectionConfig(env).revocationBounds?.stalenessSeconds ?? 0) * 1_000)
}

await runServiceProcess({
  name: 'introspection',
  env: process.env,
  config: readIntrospectionConfig,
  resources: { database: postgres({ toleratedMs }), redis: redis(), keys: callee('keys') },
  start: (options) => startIntrospection({ ...options, heapBytes: getHeapStatistics().heap_size_limit }),
})
