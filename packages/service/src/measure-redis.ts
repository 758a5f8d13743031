import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Metrics } from '@signet/platform/metrics/metrics'

const BEGUN = 'tracing:ioredis:command:start'
const ANSWERED = 'tracing:ioredis:command:asyncStart'
const BUCKET_SECONDS = [0.001, 0.0025, 0.01, 0.025, 0.1, 0.25, 1, 2.5]
/** BLPOP, BZPOPMIN … wait at the server; CLIENT SETINFO of a new connection fails at older servers. */
const UNMEASURED = /^(b[lrz].*|client)$/i

/** Registers how long the Redis commands of this process take, on every connection, until the returned function is called. */
export function startMeasuringCommands(metrics: Metrics): () => void {
  const observe = metrics.histogram({
    name: 'signet_redis_command_duration_seconds',
    help: 'Time from a Redis command to its answer, or to its failure, as the caller sees it.',
    labels: ['outcome'],
    buckets: BUCKET_SECONDS,
  })
  const startedAt = new WeakMap<object, number>()
  const begin = (told: unknown) => {
    const command = told as { readonly command: string }
    if (!UNMEASURED.test(command.command)) startedAt.set(command, performance.now())
  }
  const end = (told: unknown) => {
    const command = told as { readonly error?: unknown }
    const start = startedAt.get(command)
    if (start === undefined) return
    const outcome = command.error === undefined ? 'ok' : 'failed'
    observe({ outcome }, (performance.now() - start) / 1_000)
  }
  subscribe(BEGUN, begin)
  subscribe(ANSWERED, end)
  return () => {
    unsubscribe(BEGUN, begin)
    unsubscribe(ANSWERED, end)
  }
}
