import { collectDefaultMetrics, Registry } from 'prom-client'
import type { Metrics } from './metrics.ts'

/**
 * The metrics of the Node process under the names that every dashboard of Node.js knows: memory, CPU, event loop,
 * garbage collection. Created once in a process: each one monitors the event loop itself.
 */
export function createProcessMetrics(): Pick<Metrics, 'text'> {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return { text: () => registry.metrics() }
}
