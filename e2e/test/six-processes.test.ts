import { readdirSync, readFileSync } from 'node:fs'
import { SERVICE_NAMES, type ServiceName } from '@signet/platform/process/service'
import { type BootstrapFile, writeBootstrapFile } from '@signet/testing/system/bootstrap-file'
import { openChromium } from '@signet/testing/system/chromium'
import { credentialsOf } from '@signet/testing/system/client-credentials'
import { disguises, leaveSecrets } from '@signet/testing/system/left-secrets'
import { watchRedis } from '@signet/testing/system/redis-monitor'
import { type RelyingParty, startRelyingParty } from '@signet/testing/system/relying-party'
import { signInJourney } from '@signet/testing/system/sign-in-journey'
import { type SixProcesses, startSixProcesses } from '@signet/testing/system/six-processes'
import { Suite, tokensOf } from '@signet/testing/system/suite'
import { bootstrapDocument, REDIRECT_URI } from '@signet/testing/system/test-directory'
import { startTraceCollector, type TraceCollector } from '@signet/testing/system/trace-collector'
import { tracePaths } from '@signet/testing/system/trace-paths'
import { followsLog, hopsOf, visitTraced } from '@signet/testing/system/traced-visit'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type BundledApps, bundleApps } from '../src/bundled-apps.ts'

const ROBOTS = Array.from({ length: 50 }, (_, n) => `robot-${n}`)

const chartFile = (name: string) =>
  readFileSync(new URL(`../../deploy/helm/signet/files/${name}`, import.meta.url), 'utf8')

let app: RelyingParty
let apps: BundledApps
let bootstrap: BootstrapFile
let browser: Browser
beforeAll(async () => {
  app = await startRelyingParty()
  bootstrap = await writeBootstrapFile(
    bootstrapDocument({
      redirectUris: [app.redirectUri, REDIRECT_URI],
      postLogoutRedirectUris: [`${app.origin}/goodbye`],
      serviceUsers: ROBOTS.map((id) => ({ id, userName: id })),
    }),
  )
  apps = await bundleApps()
  browser = await openChromium()
}, 60_000)
afterAll(async () => {
  await browser?.close()
  await apps?.remove()
  await app?.close()
  await bootstrap?.remove()
})

async function visit(issuer: string): Promise<void> {
  const context = await browser.newContext({ javaScriptEnabled: false })
  await signInJourney(issuer, await context.newPage(), app)
  await context.close()
}

/** Everything that a person needs works: a sign-in, a code, a token that is active, a refresh. */
async function works(suite: Suite): Promise<boolean> {
  try {
    const { access_token, refresh_token } = await suite.tokens()
    const refreshed = tokensOf(await suite.refresh('web', refresh_token))
    return (await suite.isActive(access_token)) && (await suite.isActive(refreshed.access_token))
  } catch {
    return false
  }
}

/** Connections between services that were tried before both ends stood come back within two seconds. */
async function untilItWorks(suite: Suite): Promise<void> {
  await vi.waitFor(
    async () => {
      if (!(await works(suite))) throw new Error('a sign-in does not work yet')
    },
    { timeout: 20_000, interval: 100 },
  )
}

function metricsOf({ processes }: SixProcesses): Promise<readonly string[]> {
  return Promise.all(
    SERVICE_NAMES.flatMap((service) => processes.replicas(service)).map(async ({ ports }) =>
      (await fetch(`http://127.0.0.1:${ports.operations}/metrics`)).text(),
    ),
  )
}

function linesOf({ output }: SixProcesses, event: string, service: ServiceName): number {
  const { stderr } = output()
  return stderr
    .split('\n')
    .filter((line) => line.includes(`"event":"${event}"`) && line.includes(`"${service}"`)).length
}

describe('six processes, whose gRPC connections last 2 seconds', () => {
  let signet: SixProcesses
  let suite: Suite
  let collector: TraceCollector
  beforeAll(async () => {
    collector = await startTraceCollector()
    signet = await startSixProcesses({
      program: apps.program,
      bootstrapFile: bootstrap.path,
      env: {
        SIGNET_RPC_CONNECTION_AGE_SECONDS: '2',
        SIGNET_LOG_LEVEL: 'debug',
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
        OTEL_BSP_SCHEDULE_DELAY: '100',
      },
    })
    suite = new Suite(signet, bootstrap)
    await untilItWorks(suite)
  }, 120_000)
  afterAll(async () => {
    await signet?.stop()
    await collector?.close()
  }, 60_000)

  it('sign a person in and out', () => visit(signet.issuer))

  it("one trace has every hop of a client's requests, and the worker of an export", async () => {
    await expect.poll(() => followsLog(suite, collector.spans), { timeout: 20_000 }).toBe(true)
    const { traceId, clientSpan } = await visitTraced(suite)
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
        signet
          .output()
          .stderr.split('\n')
          .some((line) => line.includes(traceId) && line.includes(`"service":"${service}"`)),
      )
    await expect.poll(toldBy).toEqual(['login', 'token', 'introspection', 'migration'])
  })

  it('have every metric, route and bound that the alerts and dashboards ask for', async () => {
    await fetch(`${signet.issuer}/oauth/v2/keys`)
    const texts = await metricsOf(signet)
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
      const observed = new RegExp(`_bucket{.*route="(${routes})",.*status="[23]xx",le="${bound}"}`)
      expect(lines.filter((line) => observed.test(line))).not.toEqual([])
    }
  })

  it.runIf(process.platform === 'linux')('token signs on two threads', async () => {
    expect(await works(suite)).toBe(true)
    const [token] = signet.processes.replicas('token')
    const tasks = `/proc/${token?.pid}/task`
    const names = readdirSync(tasks).map((task) => readFileSync(`${tasks}/${task}/comm`, 'utf8').trim())
    expect(names.filter((name) => name === 'libuv-worker')).toHaveLength(2)
  })

  it('reopen the lease of the keys repeatedly', async () => {
    const opened = () =>
      Math.min(
        linesOf(signet, 'key_lease_opened', 'token'),
        linesOf(signet, 'key_lease_opened', 'introspection'),
      )
    const before = opened()
    let failures = 0
    while (opened() < before + 2) failures += (await works(suite)) ? 0 : 1
    expect(failures).toBe(0)
  }, 60_000)

  it.each(['keys', 'directory', 'token', 'introspection', 'login'] as const)(
    'kill -9 of %s: everything works again when it is back, without a restart of the others',
    async (service) => {
      const { access_token: ended } = await suite.tokens()
      await suite.revoke('web', ended)
      const { access_token: alive } = await suite.tokens()
      const [replica] = signet.processes.replicas(service)
      expect(await replica?.end('SIGKILL')).toBe(null)
      if (service === 'keys') {
        // Its keys are leased: only the key set misses it.
        expect(await suite.isActive(alive)).toBe(true)
        expect((await suite.redeem(await suite.code())).status).toBe(200)
        await expectNoAnswerWithoutKeys(alive)
      }
      if (service === 'directory') await expect(suite.code()).rejects.toThrow('503')
      await replica?.start()
      await expect.poll(() => works(suite), { timeout: 30_000 }).toBe(true)
      expect(await suite.isActive(alive)).toBe(true)
      expect(await suite.isActive(ended)).toBe(false)
    },
    60_000,
  )

  /** Asks a new process, which a proxy that does not look at readiness would ask too, while there is no `keys`. */
  async function expectNoAnswerWithoutKeys(token: string): Promise<void> {
    const [introspection] = signet.processes.replicas('introspection')
    await introspection?.end('SIGKILL')
    await introspection?.start()
    const { headers } = await credentialsOf('api', signet.issuer)
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
      const [replica] = signet.processes.replicas(service)
      await expect(fetch(`http://127.0.0.1:${replica?.ports.rpc}/`)).rejects.toThrow()
      await expect(fetch(`https://127.0.0.1:${replica?.ports.rpc}/`)).rejects.toThrow()
    }
  })

  it('no secret is in logs, traces, metrics or queues [F-28] [F-46] (ASVS 14.2.4)', async () => {
    const redis = await watchRedis(signet.databases.redisUrl)
    onTestFinished(() => redis.stop())
    const secrets = await leaveSecrets(suite, collector.endpoint)
    expect(Object.keys(secrets).filter((name) => name.startsWith('cookie '))).toHaveLength(3)
    const metrics = (await metricsOf(signet)).join('\n')
    await expect.poll(() => linesOf(signet, 'job_storage_failed', 'migration'), { timeout: 30_000 }).toBe(1)
    redis.stop()
    await signet.stop()
    const places = {
      logs: signet.output().stderr,
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
      expect(linesOf(signet, event, service)).toBeGreaterThan(0)
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
  let signet: SixProcesses
  let suite: Suite
  beforeAll(async () => {
    signet = await startSixProcesses({
      program: apps.program,
      bootstrapFile: bootstrap.path,
      replicas: 2,
      env: { SIGNET_DRAIN_DELAY_SECONDS: '3' },
    })
    suite = new Suite(signet, bootstrap)
    await untilItWorks(suite)
  }, 180_000)
  afterAll(() => signet?.stop(), 60_000)

  it('sign a person in and out', () => visit(signet.issuer))

  it('a revocation on one replica is final on the others', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { access_token } = await suite.tokens()
      await suite.revoke('web', access_token)
      expect(await Promise.all([1, 2, 3, 4].map(() => suite.isActive(access_token)))).toEqual([
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
      const { status, text } = await suite.manage('PATCH', `/users/${id}`, { state })
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
    const { access_token } = await suite.tokens()
    const problems: string[] = []
    let running = true
    let answered = 0
    const load = (name: string, call: () => Promise<unknown>) =>
      (async () => {
        while (running) {
          await call().then(
            () => {
              answered += 1
            },
            (error: unknown) => problems.push(`${name}: ${error}`),
          )
        }
      })()
    const introspect = async () => {
      const answer = await suite.introspect(access_token)
      if (answer.json.active !== true) throw new Error(`${answer.status} ${answer.text}`)
    }
    const keySet = async () => {
      const answer = await suite.fetch('/oauth/v2/keys')
      if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
    }
    const callers = [
      load('introspect', introspect),
      load('sign-in', () => suite.tokens()),
      load('keys', keySet),
    ]
    for (const service of ['keys', 'directory', 'token', 'introspection', 'login'] as const) {
      const [first] = signet.processes.replicas(service)
      expect(await first?.end('SIGTERM')).toBe(0)
      await first?.start()
      await signet.processes.untilReady()
    }
    running = false
    await Promise.all(callers)
    expect(problems).toEqual([])
    expect(answered).toBeGreaterThan(100)
  }, 120_000)

  it('kill -9 of one replica of each service: the others go on', async () => {
    const services = ['keys', 'directory', 'token', 'introspection', 'login'] as const
    const second = services.map((service) => signet.processes.replicas(service)[1])
    await Promise.all(second.map((replica) => replica?.end('SIGKILL')))
    await expect.poll(() => works(suite), { timeout: 10_000 }).toBe(true)
    await Promise.all(second.map((replica) => replica?.start()))
    await signet.processes.untilReady()
    expect(await works(suite)).toBe(true)
  }, 120_000)
})
