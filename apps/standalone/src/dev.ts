import { runService } from '@signet/service-runtime/run-service'
import { startDev } from './start-dev.ts'

await runService({
  name: 'signet',
  env: process.env,
  start: (env, aborted) => startDev(env, process.argv.slice(2), aborted),
})
