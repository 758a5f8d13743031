import { availableParallelism } from 'node:os'
import { runService } from '@signet/platform/process/run-service'
import { limitHeapGrowth } from '@signet/platform/runtime/heap'
import { unwrapMasterKeys } from '@signet/platform/sealing/wrapped-keys'
import { startStandalone } from './start-standalone.ts'

// As in the directory, whose password hashes run here too.
process.env.UV_THREADPOOL_SIZE ??= String(Math.max(4, availableParallelism() + 2))

limitHeapGrowth()
await runService({
  name: 'signet',
  env: process.env,
  start: async (env, aborted) => startStandalone(await unwrapMasterKeys(env), aborted),
})
