import type { StandaloneSystem } from '@signet/testing/system/standalone-system'
import { startSystem } from '@signet/testing/system/start-system'
import {
  hopsOf,
  startTraceCollector,
  type TraceCollector,
  tracePaths,
  visitTraced,
} from '@signet/testing/system/traces'
import { afterAll, beforeAll, expect, it } from 'vitest'

let system: StandaloneSystem
let collector: TraceCollector
beforeAll(async () => {
  collector = await startTraceCollector()
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, OTEL_BSP_SCHEDULE_DELAY: '100' }
  system = await startSystem({ mode: 'standalone', env })
}, 60_000)
afterAll(async () => {
  await system?.stop()
  await collector?.close()
})

it('a trace shows the same hops where all services are one process', async () => {
  const { traceId, clientSpan } = await visitTraced(system, collector.spans)
  const spans = () => collector.spans().filter((span) => span.traceId === traceId)
  await expect
    .poll(() => tracePaths(spans(), clientSpan), { timeout: 20_000 })
    .toEqual(expect.arrayContaining(hopsOf(() => 'signet')))
})
