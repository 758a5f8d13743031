import { startDev } from '@signet/dev-stack/dev/start-dev'
import { runService } from '@signet/platform/process/run-service'

await runService({
  name: 'signet',
  env: process.env,
  start: (env, aborted) => startDev(env, process.argv.slice(2), aborted),
})
