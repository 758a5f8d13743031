import { runService } from '@signet/service-runtime/run-service'
import { runBenchmarks } from './run-benchmarks.ts'

await runService({
  name: 'bench',
  env: process.env,
  async start() {
    process.exit(await runBenchmarks(process.argv.slice(2)))
  },
})
