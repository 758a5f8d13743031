import { setTimeout as pause } from 'node:timers/promises'
import { SERVICE_NAMES, type ServiceName } from '@signet/platform/process/service'
import { type RedisProcess, startRedisProcess } from '@signet/testing/redis-process'
import type { ProcessSystem } from '@signet/testing/system/process-system'
import {
  type RestartablePostgres,
  startRestartablePostgres,
} from '@signet/testing/system/restartable-postgres'
import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { prepareRequests, REQUESTS, type Request, toFailure } from './repeated-requests.ts'

// Measures the table of docs/runbooks/when-something-is-away.md, and checks which requests go on.

const AWAY_MS = 20_000
const RECOVERY_MS = 30_000
const PAUSE_MS = 250

/** Result of a request of a client. */
interface Result {
  readonly atMs: number
  readonly tookMs: number
  /** Undefined when it succeeded, else what the client saw. */
  readonly failure: string | undefined
}

interface Outage {
  readonly away: string
  /** The requests that succeed meanwhile. */
  readonly works: readonly Request[]
  /** The requests that need what the outage destroyed, so that they do not succeed again. */
  readonly lost?: readonly Request[]
  begin(): Promise<unknown>
  end(): Promise<unknown>
}

let postgres: RestartablePostgres
let redis: RedisProcess
let system: ProcessSystem
beforeAll(async () => {
  postgres = await startRestartablePostgres()
  redis = await startRedisProcess()
  const services = Object.fromEntries(SERVICE_NAMES.map((service) => [service, 2]))
  system = await startSystem({ mode: 'processes', postgresUrl: postgres.url, redisUrl: redis.url, services })
}, 240_000)
afterAll(async () => {
  await system?.stop()
  await redis?.drop()
  await postgres?.stop()
}, 60_000)

const without = (...failing: readonly Request[]) => REQUESTS.filter((request) => !failing.includes(request))

const killed = (service: ServiceName, works: readonly Request[]): Outage => ({
  away: `both \`${service}\``,
  works,
  begin: () => Promise.all(system.processes.replicas(service).map((replica) => replica.end('SIGKILL'))),
  end: () => Promise.all(system.processes.replicas(service).map((replica) => replica.start())),
})

const WITHOUT_REDIS = [
  'revocation',
  'sign-in page',
  'authorize with a session',
  'sign-in',
  'migration API',
] as const

const OUTAGES: readonly Outage[] = [
  {
    away: 'Redis refuses connections',
    works: without(...WITHOUT_REDIS),
    // Its sessions are gone with it: people sign in again.
    lost: ['authorize with a session'],
    begin: () => redis.kill(),
    end: () => redis.restart(),
  },
  {
    away: 'Redis accepts connections and is silent',
    works: without(...WITHOUT_REDIS),
    begin: async () => redis.freeze(),
    end: async () => redis.thaw(),
  },
  {
    away: 'PostgreSQL',
    works: ['key set'],
    begin: () => postgres.halt(),
    end: () => postgres.resume(),
  },
  killed('login', without('sign-in page', 'authorize with a session', 'sign-in')),
  // The APIs check the tokens of their callers there.
  killed('token', ['key set', 'introspection', 'userinfo', 'sign-in page']),
  killed('introspection', without('introspection', 'userinfo')),
  killed('keys', without('key set')),
  killed('directory', without('sign-in', 'management API')),
  killed('migration', without('migration API')),
  killed('federation', REQUESTS),
]

/** Repeats every request with tokens and a browser of its own until the signal, and notes each result. */
async function ask(signal: AbortSignal): Promise<ReadonlyMap<Request, Result[]>> {
  const asked = await prepareRequests(system)
  const results = new Map<Request, Result[]>()
  await Promise.all(
    REQUESTS.map(async (request) => {
      const list: Result[] = []
      results.set(request, list)
      while (!signal.aborted) {
        const atMs = performance.now()
        const failure = await asked[request]().catch(toFailure)
        list.push({ atMs, tookMs: performance.now() - atMs, failure })
        await pause(PAUSE_MS)
      }
    }),
  )
  return results
}

/** Waits until every request succeeds once in a row. */
async function untilHealthy(): Promise<void> {
  await expect
    .poll(
      async () => {
        const stop = new AbortController()
        const asking = ask(stop.signal).catch(() => undefined)
        await pause(2 * PAUSE_MS)
        stop.abort()
        const results = await asking
        return (
          results !== undefined && [...results.values()].flat().every(({ failure }) => failure === undefined)
        )
      },
      { timeout: RECOVERY_MS, interval: 500 },
    )
    .toBe(true)
}

const seconds = (ms: number) => (ms / 1000).toFixed(1)

/** The results of one kind of request: `works`, or the failures, when they began and when they were over. */
function describeResults(list: readonly Result[], beganAt: number, endedAt: number): string {
  const failed = list.filter(({ failure }) => failure !== undefined)
  const last = failed.at(-1)
  const slowest = Math.max(...list.map(({ tookMs }) => tookMs))
  const [begun] = failed
  if (begun === undefined || last === undefined) return `works, at most ${seconds(slowest)} s`
  const kinds = [...new Set(failed.map(({ failure }) => failure))].join(', ')
  const slowestFailure = Math.max(...failed.map(({ tookMs }) => tookMs))
  const back = list.find(({ atMs, failure }) => atMs > last.atMs && failure === undefined)
  return [
    `${kinds} within ${seconds(slowestFailure)} s`,
    `from ${seconds(begun.atMs - beganAt)} s`,
    back ? `until ${seconds(back.atMs - endedAt)} s after` : 'not back',
  ].join(', ')
}

it.each(OUTAGES)(
  'while $away is away, exactly the requests that need it fail',
  async ({ away, works, lost = [], begin, end }) => {
    await untilHealthy()
    const stop = new AbortController()
    const asking = ask(stop.signal)
    await pause(1_000)
    const beganAt = performance.now()
    await begin()
    await pause(AWAY_MS)
    const endedAt = performance.now()
    await end()
    await pause(RECOVERY_MS)
    stop.abort()
    const results = await asking
    const lines = [...results].map(
      ([request, list]) => `| ${away} | ${request} | ${describeResults(list, beganAt, endedAt)} |`,
    )
    process.stdout.write(`${lines.join('\n')}\n`)
    const isDuring = ({ atMs, tookMs }: Result) => atMs + tookMs > beganAt && atMs < endedAt
    const failing = REQUESTS.filter((request) =>
      results.get(request)?.some((result) => isDuring(result) && result.failure !== undefined),
    )
    expect(REQUESTS.filter((request) => !failing.includes(request))).toEqual(works)
    const unhealthy = REQUESTS.filter((request) => results.get(request)?.at(-1)?.failure !== undefined)
    expect(unhealthy, 'failed still at the end').toEqual(lost)
  },
  AWAY_MS + 3 * RECOVERY_MS,
)

const HANGS_MS = 12_000

it.each(SERVICE_NAMES)(
  'while one replica of %s hangs, at most one request fails that is not at it already',
  async (service) => {
    await untilHealthy()
    const stop = new AbortController()
    const asking = ask(stop.signal)
    await pause(1_000)
    const beganAt = performance.now()
    const [replica] = system.processes.replicas(service)
    process.kill(replica?.pid ?? 0, 'SIGSTOP')
    await pause(HANGS_MS)
    const endedAt = performance.now()
    // As a liveness probe does. One that goes on does what it had received, such as a refresh that the client has repeated.
    await replica?.end('SIGKILL')
    await replica?.start()
    await pause(5_000)
    stop.abort()
    const results = await asking
    const lines = [...results].map(
      ([request, list]) => `| ${service}-1 hangs | ${request} | ${describeResults(list, beganAt, endedAt)} |`,
    )
    process.stdout.write(`${lines.join('\n')}\n`)
    // The edge cuts off what waits at the replica, which it may have done.
    const failed = [...results.values()]
      .flat()
      .filter(({ failure }) => failure !== undefined && failure !== '504')
    expect(failed.length).toBeLessThanOrEqual(1)
  },
  HANGS_MS + 2 * RECOVERY_MS,
)
