import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { SERVICE_NAMES, type ServiceName } from '@signet/platform/process/service'
import { openChromium } from '@signet/testing/system/chromium'
import { credentialsOf } from '@signet/testing/system/client-credentials'
import { disguises, leaveSecrets } from '@signet/testing/system/left-secrets'
import type { ProcessSystem } from '@signet/testing/system/process-system'
import { watchRedis } from '@signet/testing/system/redis-monitor'
import { type RelyingParty, startRelyingParty } from '@signet/testing/system/relying-party'
import { signInJourney } from '@signet/testing/system/sign-in-journey'
import { startSystem } from '@signet/testing/system/start-system'
import { bootstrapDocument, REDIRECT_URI } from '@signet/testing/system/test-directory'
import { type TestSystem, tokensOf } from '@signet/testing/system/test-system'
import {
  hopsOf,
  startTraceCollector,
  type TraceCollector,
  tracePaths,
  visitTraced,
} from '@signet/testing/system/traces'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'

/** Between two calls of one caller: load without pauses takes the cores from the processes that start. */
const BETWEEN_CALLS_MS = 50
/** The hash of a password and four pages. */
const BETWEEN_SIGN_INS_MS = 300

const ROBOTS = Array.from({ length: 50 }, (_, n) => `robot-${n}`)

const chartFile = (name: string) =>
  readFileSync(new URL(`../../deploy/helm/signet/files/${name}`, import.meta.url), 'utf8')

let app: RelyingParty
let document: object
let browser: Browser
beforeAll(async () => {
  app = await startRelyingParty()
  document = bootstrapDocument({
    redirectUris: [app.redirectUri, REDIRECT_URI],
    postLogoutRedirectUris: [`${app.origin}/goodbye`],
    serviceUsers: ROBOTS.map((id) => ({ id, userName: id })),
  })
  browser = await openChromium()
}, 60_000)
afterAll(async () => {
  await browser?.close()
  await app?.close()
})

async function visit(issuer: string): Promise<void> {
  const context = await browser.newContext({ javaScriptEnabled: false })
  await signInJourney(issuer, await context.newPage(), app)
  await context.close()
}

/** Whether the flow of a person works: a sign-in, a code, a token that is active, a refresh. */
async function works(system: TestSystem): Promise<boolean> {
  try {
    const { access_token, refresh_token } = await system.tokens()
    const refreshed = tokensOf(await system.refresh('web', refresh_token))
    return (await system.isActive(access_token)) && (await system.isActive(refreshed.access_token))
  } catch {
    return false
  }
}

/** Connections between services that were tried before both ends stood come back within two seconds. */
async function untilItWorks(system: TestSystem): Promise<void> {
  await vi.waitFor(
    async () => {
      if (!(await works(system))) throw new Error('a sign-in does not work yet')
    },
    { timeout: 20_000, interval: 100 },
  )
}

function metricsOf({ processes }: ProcessSystem): Promise<readonly string[]> {
  return Promise.all(
    SERVICE_NAMES.flatMap((service) => processes.replicas(service)).map(async ({ ports }) =>
      (await fetch(`http://127.0.0.1:${ports.operations}/metrics`)).text(),
    ),
  )
}

function linesOf({ output }: ProcessSystem, event: string, service: ServiceName): number {
  const { stderr } = output()
  return stderr
    .split('\n')
    .filter((line) => line.includes(`"event":"${event}"`) && line.includes(`"${service}"`)).length
}

describe('six processes, whose gRPC connections last 2 seconds', () => {
  let system: ProcessSystem
  let collector: TraceCollector
  beforeAll(async () => {
    collector = await startTraceCollector()
    system = await startSystem({
      mode: 'processes',
      document,
      env: {
        SIGNET_RPC_CONNECTION_AGE_SECONDS: '2',
        SIGNET_LOG_LEVEL: 'debug',
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
        OTEL_BSP_SCHEDULE_DELAY: '100',
      },
    })
    await untilItWorks(system)
  }, 120_000)
  afterAll(async () => {
    await system?.stop()
    await collector?.close()
  }, 60_000)

  it('sign a person in and out', () => visit(system.issuer))

  it("one trace has every hop of a client's requests, and the worker of an export", async () => {
    const { traceId, clientSpan } = await visitTraced(system, collector.spans)
    const spans = () => collector.spans().filter((span) => span.traceId === traceId)
    await expect
      .poll(() => tracePaths(spans(), clientSpan), { timeout: 20_000 })
      .toEqual(expect.arrayContaining(hopsOf((service) => `signet-${service}`)))
    // A part of a trace is sent before what it is a part of.
    const orphans = () => {
      const ids = new Set([clientSpan, ...spans().map(({ id }) => id)])
      return spans().filter(({ parentId }) => !ids.has(parentId))
    }
    await expect.poll(orphans).toEqual([])
    expect(new Set(spans().map(({ id }) => id)).size).toBe(spans().length)
    expect(spans().filter(({ failed }) => failed)).toEqual([])
    // Lines are collected for a moment before they are written.
    const toldBy = () =>
      (['login', 'token', 'introspection', 'migration'] as const).filter((service) =>
        system
          .output()
          .stderr.split('\n')
          .some((line) => line.includes(traceId) && line.includes(`"service":"${service}"`)),
      )
    await expect.poll(toldBy).toEqual(['login', 'token', 'introspection', 'migration'])
  })

  it('have every metric, route and bound that the alerts and dashboards ask for', async () => {
    await fetch(`${system.issuer}/oauth/v2/keys`)
    const texts = await metricsOf(system)
    expect(texts).toHaveLength(SERVICE_NAMES.length)
    const lines = texts.join('\n').split('\n')
    const known = lines.flatMap((line) => /^# TYPE (\S+)/.exec(line)?.[1] ?? [])
    const rules = chartFile('rules.yaml')
    const asked = (rules + chartFile('dashboards.json')).matchAll(/\b(?:signet|nodejs|process)_[a-z0-9_]+/g)
    const names = new Set([...asked].map(([name]) => name.replace(/_(bucket|count|sum)$/, '')))
    expect([...names].filter((name) => !known.includes(name))).toEqual([])
    const objectives = [...rules.matchAll(/route=~"([^"]*)",status=~"[^"]*",le="([^"]*)"/g)]
    expect(objectives.length).toBeGreaterThan(0)
    for (const [, routes, bound] of objectives) {
      const observed = new RegExp(`_bucket{le="${bound}",.*route="(${routes})",.*status="[23]xx"}`)
      expect(lines.filter((line) => observed.test(line))).not.toEqual([])
    }
  })

  it.runIf(process.platform === 'linux')('token signs on two threads', async () => {
    expect(await works(system)).toBe(true)
    const [token] = system.processes.replicas('token')
    const tasks = `/proc/${token?.pid}/task`
    const names = readdirSync(tasks).map((task) => readFileSync(`${tasks}/${task}/comm`, 'utf8').trim())
    expect(names.filter((name) => name === 'libuv-worker')).toHaveLength(2)
  })

  it('reopen the lease of the keys repeatedly', async () => {
    const opened = () =>
      Math.min(
        linesOf(system, 'key_lease_opened', 'token'),
        linesOf(system, 'key_lease_opened', 'introspection'),
      )
    const before = opened()
    let failures = 0
    while (opened() < before + 2) {
      failures += (await works(system)) ? 0 : 1
      await pause(BETWEEN_CALLS_MS)
    }
    expect(failures).toBe(0)
  }, 60_000)

  it.each(['keys', 'directory', 'token', 'introspection', 'login', 'federation'] as const)(
    'kill -9 of %s: everything works again when it is back, without a restart of the others',
    async (service) => {
      const { access_token: ended } = await system.tokens()
      await system.revoke('web', ended)
      const { access_token: alive } = await system.tokens()
      const [replica] = system.processes.replicas(service)
      expect(await replica?.end('SIGKILL')).toBe(null)
      if (service === 'keys') {
        // Its keys are leased: only the key set misses it.
        expect(await system.isActive(alive)).toBe(true)
        expect((await system.redeem(await system.code())).status).toBe(200)
        await expectNoAnswerWithoutKeys(alive)
      }
      if (service === 'federation') expect(await works(system)).toBe(true)
      if (service === 'directory') await expect(system.code()).rejects.toThrow('503')
      await replica?.start()
      await expect.poll(() => works(system), { timeout: 30_000 }).toBe(true)
      expect(await system.isActive(alive)).toBe(true)
      expect(await system.isActive(ended)).toBe(false)
    },
    60_000,
  )

  /** Asks a new process, which a proxy that does not look at readiness would ask too, while there is no `keys`. */
  async function expectNoAnswerWithoutKeys(token: string): Promise<void> {
    const [introspection] = system.processes.replicas('introspection')
    await introspection?.end('SIGKILL')
    await introspection?.start()
    const { headers } = await credentialsOf('api', system.issuer)
    const ask = () =>
      fetch(`http://127.0.0.1:${introspection?.ports.http}/oauth/v2/introspect`, {
        method: 'POST',
        body: new URLSearchParams({ token }),
        headers,
      })
    await expect
      .poll(() =>
        ask().then(
          ({ status }) => status,
          () => undefined,
        ),
      )
      .toBeDefined()
    expect((await ask()).status).toBe(503)
  }

  it('refuse calls without a certificate of the suite [F-44]', async () => {
    for (const service of ['keys', 'directory', 'token'] as const) {
      const [replica] = system.processes.replicas(service)
      await expect(fetch(`http://127.0.0.1:${replica?.ports.rpc}/`)).rejects.toThrow()
      await expect(fetch(`https://127.0.0.1:${replica?.ports.rpc}/`)).rejects.toThrow()
    }
  })

  it('hand what they refuse over to the directory, by their certificates', async () => {
    const answers = await Promise.all([
      system.fetch(`/oauth/v2/authorize?client_id=web`),
      system.refresh('web', 'no-such-token'),
      system.post('/oauth/v2/introspect', {}, await credentialsOf('api', system.issuer)),
    ])
    const found = async ({ headers }: (typeof answers)[number]) => {
      const { json } = await system.manage('GET', `/refusals?requestId=${headers.get('x-request-id')}`)
      const items = json.items as readonly { readonly service: string; readonly reason: string }[]
      return items.map(({ service, reason }) => `${service} ${reason}`)
    }
    await expect
      .poll(() => Promise.all(answers.map(found)), { timeout: 10_000 })
      .toEqual([
        ['login redirect_uri_missing'],
        ['token refresh_token_unknown'],
        ['introspection token_missing'],
      ])
  })

  it('no secret is in logs, traces, metrics or queues [F-28] [F-46] (ASVS 14.2.4)', async () => {
    const redis = await watchRedis(system.redisUrl)
    onTestFinished(() => redis.stop())
    const secrets = await leaveSecrets(system, collector.endpoint)
    expect(Object.keys(secrets).filter((name) => name.startsWith('cookie '))).toHaveLength(3)
    const metrics = (await metricsOf(system)).join('\n')
    await expect.poll(() => linesOf(system, 'job_storage_failed', 'migration'), { timeout: 30_000 }).toBe(1)
    redis.stop()
    await system.stop()
    const places = {
      logs: system.output().stderr,
      traces: collector.bytes().toString('latin1'),
      metrics,
      jobs: redis
        .commands()
        .filter((command) => command.includes('{signet-mig}'))
        .join('\n'),
    }
    for (const [event, service] of [
      ['http_request', 'introspection'],
      ['request_refused', 'token'],
      ['signed_in', 'login'],
    ] as const)
      expect(linesOf(system, event, service)).toBeGreaterThan(0)
    for (const name of ['POST /ui/login', 'POST /admin/v1/import'])
      expect(places.traces.includes(name), name).toBe(true)
    expect(places.jobs.includes('jobId')).toBe(true)
    for (const [name, secret] of Object.entries(secrets)) {
      expect(secret.length, name).toBeGreaterThan(8)
      for (const [place, text] of Object.entries(places))
        for (const disguise of disguises(secret))
          expect(text.includes(disguise), `${name} in ${place}`).toBe(false)
    }
    for (const text of Object.values(places)) {
      expect(text.includes(REDIRECT_URI)).toBe(false)
      expect(/postgres(ql)?:\/\/[^"]*:[^"]*@/.exec(text)).toBe(null)
    }
  }, 60_000)
})

describe('twelve processes, two of each service', () => {
  let system: ProcessSystem
  beforeAll(async () => {
    system = await startSystem({
      mode: 'processes',
      document,
      services: 2,
      env: { SIGNET_DRAIN_DELAY_SECONDS: '3' },
    })
    await untilItWorks(system)
  }, 180_000)
  afterAll(() => system?.stop(), 60_000)

  it('sign a person in and out', () => visit(system.issuer))

  it('a revocation on one replica is final on the others', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { access_token } = await system.tokens()
      await system.revoke('web', access_token)
      expect(await Promise.all([1, 2, 3, 4].map(() => system.isActive(access_token)))).toEqual([
        false,
        false,
        false,
        false,
      ])
    }
  })

  it.each([
    ['of as many users', ROBOTS],
    ['of one user', ROBOTS.map(() => 'robot-0')],
  ])('fifty ends at once %s: every call succeeds', async (_, ids) => {
    const set = async (id: string, state: string) => {
      const { status, text } = await system.manage('PATCH', `/users/${id}`, { state })
      return status === 200 ? 'succeeded' : text
    }
    for (const states of [
      ['inactive', 'active'],
      ['active', 'inactive'],
    ]) {
      const answers = await Promise.all(ids.map((id, n) => set(id, states[n % 2] ?? '')))
      expect(new Set(answers)).toEqual(new Set(['succeeded']))
    }
  })

  it('a rolling restart of every service under load loses no request', async () => {
    const { access_token } = await system.tokens()
    const problems: string[] = []
    let running = true
    let answered = 0
    const load = (name: string, call: () => Promise<unknown>, betweenMs = BETWEEN_CALLS_MS) =>
      (async () => {
        while (running) {
          await call().then(
            () => {
              answered += 1
            },
            (error: unknown) => problems.push(`${name}: ${error}`),
          )
          await pause(betweenMs)
        }
      })()
    const introspect = async () => {
      const answer = await system.introspect(access_token)
      if (answer.json.active !== true) throw new Error(`${answer.status} ${answer.text}`)
    }
    const keySet = async () => {
      const answer = await system.fetch('/oauth/v2/keys')
      if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
    }
    const callers = [
      load('introspect', introspect),
      load('sign-in', () => system.tokens(), BETWEEN_SIGN_INS_MS),
      load('keys', keySet),
    ]
    for (const service of ['keys', 'directory', 'token', 'introspection', 'login'] as const) {
      const [first] = system.processes.replicas(service)
      expect(await first?.end('SIGTERM')).toBe(0)
      await first?.start()
      await system.processes.untilReady()
    }
    running = false
    await Promise.all(callers)
    expect(problems).toEqual([])
    expect(answered).toBeGreaterThan(100)
  }, 120_000)

  it('kill -9 of one replica of each service: the others go on', async () => {
    const services = ['keys', 'directory', 'token', 'introspection', 'login'] as const
    const second = services.map((service) => system.processes.replicas(service)[1])
    await Promise.all(second.map((replica) => replica?.end('SIGKILL')))
    await expect.poll(() => works(system), { timeout: 10_000 }).toBe(true)
    await Promise.all(second.map((replica) => replica?.start()))
    await system.processes.untilReady()
    expect(await works(system)).toBe(true)
  }, 120_000)
})
