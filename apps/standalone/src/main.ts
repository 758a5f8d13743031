import { limitHeapGrowth } from '@signet/service-runtime/heap-growth'
import { runService } from '@signet/service-runtime/run-service'
import { startStandalone } from './start-standalone.ts'

limitHeapGrowth()
await runService({ name: 'signet', env: process.env, start: startStandalone })
