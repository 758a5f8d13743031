import { runService } from '@signet/platform/process/run-service'
import { limitHeapGrowth } from '@signet/platform/runtime/heap'
import { startStandalone } from './start-standalone.ts'

limitHeapGrowth()
await runService({ name: 'signet', env: process.env, start: startStandalone })
