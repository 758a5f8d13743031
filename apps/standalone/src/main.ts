import { runService } from '@signet/service-runtime/run-service'
import { startStandalone } from './start-standalone.ts'

await runService({ name: 'signet', env: process.env, start: startStandalone })
