import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Client, credentials, Metadata } from '@grpc/grpc-js'
import { migrate } from '@signet/platform/postgres/migrate'
import type { Migrations } from '@signet/platform/postgres/migration-files'
import { createPool } from '@signet/platform/postgres/pool'
import { freePort } from '@signet/testing/free-port'
import { createTestDatabase, type TestDatabase } from '@signet/testing/postgres-fixture'
import { startPrivateRedis, type TestRedis } from '@signet/testing/redis-fixture'
import { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { postgresWithSchema } from '../src/postgres.ts'
import { createRevocationRedisResource } from '../src/redis.ts'
import { type RunningProcess, startServiceProcess } from '../src/service-process.ts'

const migrations: Migrations = {
  schema: 'keys',
  role: 'signet_keys',
  folder: new URL('./fixtures/migrations/', import.meta.url),
}

let database: TestDatabase
let redis: TestRedis
let env: Record<string, string>
let starting: Promise<RunningProcess> | undefined
let stopping: AbortController
const requests: string[] = []
let missing: readonly string[]
const askedWhileStarting: unknown[] = []
let finish: PromiseWithResolvers<void>

beforeEach(async () => {
  ;[database, redis] = await Promise.all([createTestDatabase({ migrations: [] }), startPrivateRedis()])
  const [http, rpc, operations] = await Promise.all([freePort(), freePort(), freePort()])
  env = {
    SIGNET_HTTP_PORT: `${http}`,
    SIGNET_RPC_PORT: `${rpc}`,
    SIGNET_OPERATIONS_PORT: `${operations}`,
    SIGNET_DRAIN_DELAY_SECONDS: '1',
    SIGNET_POSTGRES_URL: database.url('signet_keys').reveal(),
    SIGNET_REDIS_URL: redis.url.reveal(),
    SIGNET_LOG_LEVEL: 'silent',
  }
  requests.length = 0
  missing = []
  askedWhileStarting.length = 0
  finish = Promise.withResolvers()
  stopping = new AbortController()
})
afterEach(async () => {
  finish.resolve()
  stopping.abort()
  await (await starting?.catch(() => undefined))?.stop()
  starting = undefined
  await Promise.all([database.drop(), redis.drop()])
})

/** A service with one slow route and no method. */
function start(): Promise<RunningProcess> {
  starting = startServiceProcess(
    {
      name: 'keys',
      config: () => ({}),
      resources: {
        database: postgresWithSchema(migrations),
        redis: createRevocationRedisResource(),
        other: () => () => ({ value: undefined, notReady: () => missing, close: () => undefined }),
      },
      start: async () => {
        askedWhileStarting.push(await readiness())
        return {
          name: 'keys',
          rpc: [],
          http: (req, res) => {
            requests.push(req.url ?? '')
            if (req.url === '/limited') res.writeHead(429).end()
            else if (req.url === '/quick') res.end('quick')
            else void finish.promise.then(() => res.end('done'))
          },
          notReady: async () => [],
          stop: async () => undefined,
        }
      },
    },
    env,
    stopping.signal,
  )
  return starting
}

async function readiness(): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${env.SIGNET_OPERATIONS_PORT}/readyz`).catch(() => undefined)
  return response && { status: response.status, ...((await response.json()) as object) }
}

const metrics = async (headers: Readonly<Record<string, string>> = {}) =>
  (await fetch(`http://127.0.0.1:${env.SIGNET_OPERATIONS_PORT}/metrics`, { headers })).text()

/** `signet_ready` by dependency. */
async function ready(): Promise<Readonly<Record<string, number>>> {
  const series = (await metrics()).matchAll(/^signet_ready\{dependency="([^"]+)"\} (\d)$/gm)
  return Object.fromEntries([...series].map(([, name, value]) => [name, Number(value)]))
}

/** The status that `grpc.health.v1` answers: 1 serving, 2 not serving. */
function health(): Promise<number | undefined> {
  const client = new Client(`127.0.0.1:${env.SIGNET_RPC_PORT}`, credentials.createInsecure())
  const bytes = (value: Buffer) => value
  return new Promise((resolve) => {
    const done = (_error: unknown, answer?: Buffer) => {
      client.close()
      resolve(answer?.[1])
    }
    const options = { deadline: Date.now() + 2_000 }
    client.makeUnaryRequest(
      '/grpc.health.v1.Health/Check',
      bytes,
      bytes,
      Buffer.alloc(0),
      new Metadata(),
      options,
      done,
    )
  })
}

async function applyMigrations(): Promise<void> {
  const admin = createPool({ url: database.adminUrl, applicationName: 'test', max: 1 })
  await migrate(admin, migrations)
  await admin.close()
}

describe('the process of a service', () => {
  it('waits for its migrations without dying, says so, and starts when they are there', async () => {
    const started = start()
    await expect.poll(readiness).toEqual({ status: 503, ready: false, notReady: ['database'] })
    expect(await health()).toBeUndefined()
    expect(await ready()).toEqual({ all: 0, database: 0 })
    await applyMigrations()
    await started
    // Its ports open after its start, so no request may be sent there before.
    expect(askedWhileStarting).toEqual([{ status: 503, ready: false, notReady: ['start'] }])
    expect(await readiness()).toEqual({ status: 200, ready: true, notReady: [] })
    expect(await health()).toBe(1)
  })

  it('is not ready while one of its resources is not, and stays alive', async () => {
    await applyMigrations()
    await start()
    missing = ['postgres']
    // At the next look, half a second later at most.
    await expect.poll(readiness).toEqual({ status: 503, ready: false, notReady: ['postgres'] })
    await expect.poll(health).toBe(2)
    expect(await ready()).toMatchObject({ all: 0, postgres: 0 })
    expect((await fetch(`http://127.0.0.1:${env.SIGNET_OPERATIONS_PORT}/healthz`)).status).toBe(200)
    missing = []
    await expect.poll(readiness).toEqual({ status: 200, ready: true, notReady: [] })
    await expect.poll(health).toBe(1)
    expect(await ready()).toMatchObject({ all: 1, postgres: 1 })
  })

  it('stays ready without Redis, and reports it as missing', async () => {
    await applyMigrations()
    await start()
    expect(await ready()).toMatchObject({ all: 1 })
    await redis.drop()
    await expect.poll(ready).toMatchObject({ all: 1, redis: 0 })
    expect(await readiness()).toEqual({ status: 200, ready: true, notReady: [] })
  })

  it('serves its metrics and traces while the collector is away', async () => {
    await applyMigrations()
    env.OTEL_EXPORTER_OTLP_ENDPOINT = 'http://127.0.0.1:1'
    env.OTEL_BSP_SCHEDULE_DELAY = '1'
    await start()
    await fetch(`http://127.0.0.1:${env.SIGNET_HTTP_PORT}/limited`)
    const trace = 'a'.repeat(32)
    const traceparent = `00-${trace}-${'b'.repeat(16)}-01`
    await fetch(`http://127.0.0.1:${env.SIGNET_HTTP_PORT}/limited`, { headers: { traceparent } })
    const answer = await fetch(`http://127.0.0.1:${env.SIGNET_HTTP_PORT}/quick`)
    expect([answer.status, await readiness()]).toEqual([200, { status: 200, ready: true, notReady: [] }])
    await expect
      .poll(() => metrics())
      .toContain(
        'signet_http_request_duration_seconds_count{method="GET",route="none",grant_type="",status="2xx"} 1',
      )
    const text = await metrics()
    expect(text).toMatch(/^signet_http_rate_limited_total\{route="none"\} 2$/m)
    expect(text).not.toContain(trace)
    const open = await metrics({ accept: 'application/openmetrics-text' })
    expect(open).toMatch(
      new RegExp(
        `^signet_http_request_duration_seconds_bucket\\{[^}]*\\} \\d+ # \\{trace_id="${trace}"\\}`,
        'm',
      ),
    )
    expect(open.indexOf('# EOF')).toBe(open.length - 6)
    expect(text).toMatch(/^signet_postgres_connections\{state="waiting"\} 0$/m)
    expect(text).toMatch(/^signet_build_info\{service="keys",version="\d[^"]*",node="\d[^"]*"\} 1$/m)
    expect(text).toMatch(/^signet_static_secret\{service="keys",setting="SIGNET_POSTGRES_URL"\} 1$/m)
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m)
    expect(text).toMatch(/^process_resident_memory_bytes [1-9]/m)
  })

  it('waits for a Redis that is not there', async () => {
    await applyMigrations()
    env.SIGNET_REDIS_URL = 'redis://127.0.0.1:1'
    void start().catch(() => undefined)
    await expect.poll(readiness).toEqual({ status: 503, ready: false, notReady: ['redis'] })
  })

  it('a Redis that evicts is one line, not something to wait for', async () => {
    await applyMigrations()
    const client = new Redis(redis.url.reveal())
    await client.config('SET', 'maxmemory-policy', 'allkeys-lru')
    client.disconnect()
    await expect(start()).rejects.toThrow('set maxmemory-policy noeviction')
    expect(await readiness()).toBeUndefined()
  })

  it('reports the problems of the process, the service and its resources at once', async () => {
    env.SIGNET_HTTP_PORT = '0'
    env.SIGNET_POSTGRES_URL = 'nowhere'
    env.SIGNET_REDIS_URL = ''
    env.SIGNET_RPC_CA = '/absent/ca.crt'
    env.SIGNET_TYPO = 'x'
    await expect(start()).rejects.toMatchObject({
      problems: [
        'SIGNET_TYPO: is not a setting; remove it',
        'SIGNET_HTTP_PORT: must be a whole number from 1 to 65535',
        expect.stringContaining('SIGNET_POSTGRES_URL: must be a URL'),
        'SIGNET_REDIS_URL: is required',
      ],
    })
  })

  it('reports certificates that cannot be read or are incomplete', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'signet-process-'))
    writeFileSync(join(folder, 'ca.crt'), 'x')
    env.SIGNET_RPC_CA = join(folder, 'ca.crt')
    env.SIGNET_RPC_CERT = '/absent/token.crt'
    await expect(start()).rejects.toMatchObject({
      problems: [
        'SIGNET_RPC_CERT: cannot read /absent/token.crt (ENOENT)',
        expect.stringContaining('SIGNET_RPC_KEY: is required'),
      ],
    })
    rmSync(folder, { recursive: true })
  })

  it('drains in order: not ready, open for the delay, finishes running requests, closes', async () => {
    env.SIGNET_DRAIN_DELAY_SECONDS = '3'
    await applyMigrations()
    const running = await start()
    const url = `http://127.0.0.1:${env.SIGNET_HTTP_PORT}`
    const ask = (path: string) =>
      new Promise<string>((resolve, reject) =>
        request(`${url}${path}`, { agent: false }, (res) => text(res).then(resolve, reject))
          .once('error', reject)
          .end(),
      )
    const early = ask('/early')
    await expect.poll(() => requests).toEqual(['/early'])
    const stopped = running.stop()
    await expect.poll(readiness).toEqual({ status: 503, ready: false, notReady: ['draining'] })
    expect(await health()).toBe(2)
    const late = ask('/late')
    await expect.poll(() => requests).toContain('/late')
    await expect.poll(() => ask('/quick').then(String, (error) => error.code)).toBe('ECONNREFUSED')
    finish.resolve()
    expect(await Promise.all([early, late])).toEqual(['done', 'done'])
    await stopped
    expect(await readiness()).toBeUndefined()
  })
})
