import { setTimeout as pause } from 'node:timers/promises'
import { SERVICE_NAMES } from '@signet/platform/process/service'
import { startSentinelTopology } from '@signet/testing/redis-topologies'
import { startPostgresPair } from '@signet/testing/system/postgres-pair'
import type { ProcessSystem } from '@signet/testing/system/process-system'
import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Answered, percentile, sendSteadily } from './repeated-requests.ts'

// Measures the table of killed nodes in docs/runbooks/when-something-is-away.md. A client sends each kind of request at a steady
// rate, whether the ones before have been answered or not, and repeats a failed one once.

const MINUTE_MS = 60_000
const WARM_UP_MS = 20_000
/** How long the managers of PostgreSQL of most installations take to notice that a primary is gone. */
const NOTICED_AFTER_MS = 1_000

let postgres: Awaited<ReturnType<typeof startPostgresPair>>
let redis: Awaited<ReturnType<typeof startSentinelTopology>>
let system: ProcessSystem
beforeAll(async () => {
  ;[postgres, redis] = await Promise.all([startPostgresPair(), startSentinelTopology()])
  const services = Object.fromEntries(SERVICE_NAMES.map((service) => [service, 3]))
  system = await startSystem({ mode: 'processes', postgresUrl: postgres.url, redisUrl: redis.url, services })
  // The first requests of a process take longest.
  await sendSteadily(system, pause(WARM_UP_MS))
}, 300_000)
afterAll(async () => {
  await system?.stop()
  await redis?.drop()
  await postgres?.stop()
}, 60_000)

interface Death {
  readonly node: string
  /** The most milliseconds of the slowest hundredth. A primary is away longer than a hundredth of a minute. */
  readonly p99Ms?: number
  kill(): Promise<unknown>
  /** Brings it back when the minute is over. */
  mend(): Promise<unknown>
}

const DEATHS: readonly Death[] = [
  { node: 'no node', p99Ms: 500, kill: async () => undefined, mend: async () => undefined },
  ...SERVICE_NAMES.map((service) => ({
    node: `one of three ${service}`,
    p99Ms: 500,
    kill: () => system.replica(service).end('SIGKILL'),
    mend: () => system.replica(service).start(),
  })),
  {
    node: 'the primary of Redis',
    kill: () => redis.primary.kill(),
    mend: () => redis.primary.restart(),
  },
  {
    node: 'the primary of PostgreSQL',
    async kill() {
      await postgres.killPrimary()
      await pause(NOTICED_AFTER_MS)
      await postgres.promoteStandby()
    },
    mend: async () => undefined,
  },
]

it.each(DEATHS)(
  'when $node is killed, no request fails twice',
  async ({ node, p99Ms = Number.POSITIVE_INFINITY, kill, mend }) => {
    const loading = sendSteadily(system, pause(MINUTE_MS))
    await pause(10_000)
    await kill()
    const answered = await loading
    await mend()
    const sorted = answered.map(({ tookMs }) => tookMs).sort((a, b) => a - b)
    const repeated = answered.filter(({ isRepeated }) => isRepeated)
    const failed = answered.filter(({ failure }) => failure !== undefined)
    const counts = (list: readonly Answered[]) =>
      [...Map.groupBy(list, ({ request }) => request)]
        .map(([request, of]) => `${request} ${of.length}`)
        .join(', ')
    const ms = [percentile(sorted, 0.5), percentile(sorted, 0.99), sorted.at(-1) ?? 0].map((took) =>
      took.toFixed(0),
    )
    const cells = [
      node,
      answered.length,
      `${repeated.length} ${counts(repeated)}`,
      `${failed.length} ${counts(failed)}`,
      ...ms,
    ]
    process.stdout.write(`| ${cells.join(' | ')} |\n`)
    expect(failed).toEqual([])
    expect(percentile(sorted, 0.99)).toBeLessThanOrEqual(p99Ms)
  },
  4 * MINUTE_MS,
)
