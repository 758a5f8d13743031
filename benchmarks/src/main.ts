import { runService } from '@signet/platform/process/run-service'
import { runBenchmarks } from './run-benchmarks.ts'

await runService({
  name: 'bench',
  env: process.env,
  async start() {
    process.exit(await runBenchmarks(process.argv.slice(2)))
  },
})
