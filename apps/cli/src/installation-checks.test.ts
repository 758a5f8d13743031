import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SERVICE_NAMES } from '@signet/platform/process/service'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Check, checkKeys, checkPrometheus, countStaticSettings } from './installation-checks.ts'
import type { ShownKey } from './keys.ts'

const NOW = new Date('2030-01-01T12:00:00Z')
const at = (days: number) => new Date(NOW.getTime() + days * 86_400_000).toISOString()
const idsOf = (checks: readonly Check[]) =>
  checks.map(({ id, findings }) => [id, findings.map(({ id }) => id)])

describe('the checks of keys', () => {
  const key = (kid: string, change: Partial<ShownKey>): ShownKey => ({
    ...{ kid, ring: 'signing', algorithm: 'RS256', state: 'active', activeAt: at(-10), retireAt: at(20) },
    next: { state: 'retired', at: at(20) },
    ...change,
  })
  const next = key('next', { state: 'announced', activeAt: at(20), retireAt: at(50) })

  it('find nothing in a ring whose next key is published', () => {
    expect(checkKeys([key('now', {}), next], NOW)).toEqual([])
  })

  it('find an active key whose time is over, after the delay that its alert has', () => {
    expect(checkKeys([key('now', { retireAt: at(-0.001) }), next], NOW)).toEqual([])
    expect(idsOf(checkKeys([key('now', { retireAt: at(-1) }), next], NOW))).toEqual([
      ['key_overdue', ['now']],
    ])
  })

  it('find an active key without a next one of its ring and algorithm', () => {
    const others = [key('other', { algorithm: 'ES256' }), { ...next, ring: 'sessions' }]
    expect(idsOf(checkKeys([key('now', {}), ...others], NOW))).toEqual([
      ['key_without_next', ['now', 'other']],
    ])
    const revoked = key('old', { algorithm: 'ES256', revokedAt: at(-1) })
    expect(checkKeys([key('now', {}), next, revoked], NOW)).toEqual([])
  })
})

describe('the checks in a Prometheus', () => {
  const sample = (metric: Record<string, string>, value: number) => ({ metric, value: [0, `${value}`] })
  const build = (service: string, change = {}) =>
    sample({ job: 'identity/signet', service, version: '1.0.0', pod: `${service}-a`, ...change }, 1)
  const builds = SERVICE_NAMES.map((service) => build(service))
  const alert = {
    name: 'SignetPodDown',
    state: 'inactive',
    query: 'up{job="identity/signet"} == 0',
    health: 'ok',
  }

  /** A Prometheus with these contents, and the URLs that were read. */
  function prometheus({
    build = builds,
    certificates = [] as unknown[],
    slow = [] as unknown[],
    rules = [alert] as unknown[],
  }) {
    const urls: string[] = []
    const fetch = (async (url: string) => {
      urls.push(decodeURIComponent(url))
      if (url.includes('/rules')) return Response.json({ status: 'success', data: { groups: [{ rules }] } })
      const result = url.includes('build_info') ? build : url.includes('canary') ? slow : certificates
      return Response.json({ status: 'success', data: { resultType: 'vector', result } })
    }) as unknown as typeof globalThis.fetch
    return {
      urls,
      options: { url: 'http://prometheus:9090/', job: undefined, fetch, now: NOW, timeoutMs: 10_000 },
    }
  }
  const check = async (contents: Parameters<typeof prometheus>[0]) =>
    idsOf(await checkPrometheus(prometheus(contents).options))

  it('find nothing in an installation of one version with alerts', async () => {
    const certificates = [sample({ certificate: 'service', pod: 'a' }, Date.parse(at(15)) / 1000)]
    expect(await check({ certificates })).toEqual([])
  })

  it('ask for one installation when its job is named', async () => {
    const { urls, options } = prometheus({})
    await checkPrometheus({ ...options, job: 'identity/signet' })
    expect(urls[0]).toBe('http://prometheus:9090/api/v1/query?query=signet_build_info{job="identity/signet"}')
    expect(idsOf(await checkPrometheus({ ...options, job: 'other' }))).toContainEqual([
      'alerts_missing',
      ['other'],
    ])
    expect(idsOf(await checkPrometheus({ ...options, job: 'identity/sig' }))).toContainEqual([
      'alerts_missing',
      ['identity/sig'],
    ])
  })

  it('name the services of each setting with a static secret', async () => {
    const certificates = [
      sample({ setting: 'SIGNET_REDIS_PASSWORD', service: 'token' }, 4),
      sample({ setting: 'SIGNET_KEYS_MASTER_KEY', service: 'keys' }, 1),
      sample({ setting: 'SIGNET_REDIS_PASSWORD', service: 'login' }, 2),
    ]
    const { urls, options } = prometheus({ certificates })
    expect(await countStaticSettings({ ...options, job: 'identity/signet' })).toEqual([
      { setting: 'SIGNET_KEYS_MASTER_KEY', services: ['keys'] },
      { setting: 'SIGNET_REDIS_PASSWORD', services: ['login', 'token'] },
    ])
    expect(urls).toEqual([
      'http://prometheus:9090/api/v1/query?query=count by (service, setting) (signet_static_secret{job="identity/signet"})',
    ])
  })

  it('end when the Prometheus does not answer in time', async () => {
    const fetch = ((_: string, { signal }: { signal: AbortSignal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
      })) as unknown as typeof globalThis.fetch
    const { options } = prometheus({})
    await expect(checkPrometheus({ ...options, fetch, timeoutMs: 10 })).rejects.toThrow(
      '--prometheus: http://prometheus:9090/api/v1/query?query=signet_build_info does not answer within 0.01 s',
    )
  })

  it('end when the Prometheus begins an answer and does not end it in time', async () => {
    const server = createServer((_, response) => void response.writeHead(200).write('{')).listen(
      0,
      '127.0.0.1',
    )
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { options } = prometheus({})
    await expect(checkPrometheus({ ...options, url, fetch, timeoutMs: 100 })).rejects.toThrow(
      `--prometheus: ${url}/api/v1/query?query=signet_build_info does not answer within 0.1 s`,
    )
  })

  it('find different versions in one installation, and not in two', async () => {
    const [first, ...rest] = builds
    const newer = build('login', { version: '1.1.0', pod: 'login-b' })
    expect(await check({ build: [...builds, newer] })).toEqual([
      ['versions_differ', [...SERVICE_NAMES, 'login']],
    ])
    const second = SERVICE_NAMES.map((service) => build(service, { job: 'staging/signet', version: '1.1.0' }))
    expect(await check({ build: [...builds, ...second] })).toEqual([])
    expect(await check({ build: rest })).toEqual([['service_missing', [first?.metric.service]]])
    expect(await check({ build: [] })).toEqual([['service_missing', [...SERVICE_NAMES]]])
  })

  it('find certificates that end within 14 days', async () => {
    const certificates = [13, 15].map((days) =>
      sample({ certificate: 'service', pod: `in-${days}` }, Date.parse(at(days)) / 1000),
    )
    expect(await check({ certificates })).toEqual([['certificate_expires', ['in-13']]])
  })

  it('find where readers answer active for longer than 50 ms after a revocation', async () => {
    const { urls, options } = prometheus({ slow: [sample({ pod: 'token-a' }, 0.0712)] })
    const [found] = await checkPrometheus({ ...options, job: 'identity/signet' })
    expect(found).toMatchObject({
      id: 'revocation_slow',
      findings: [{ kind: 'service', id: 'token-a', detail: 'token, 72 ms' }],
    })
    expect(urls[2]).toContain(
      '(rate(signet_revocation_canary_seconds_bucket{job="identity/signet"}[1h]))) > 0.05',
    )
  })

  it('find that no alert is loaded, that one is broken, and that one fires', async () => {
    expect(await check({ rules: [{ ...alert, name: 'Watchdog' }] })).toEqual([
      ['alerts_missing', ['Signet…']],
    ])
    const broken = { ...alert, name: 'SignetBroken', health: 'err', lastError: 'many-to-many matching' }
    const firing = { ...alert, name: 'SignetFires', state: 'firing' }
    expect(await check({ rules: [alert, broken, firing] })).toEqual([
      ['alerts_broken', ['SignetBroken']],
      ['alerts_firing', ['SignetFires']],
    ])
  })

  it('fail with exit code 8 for an address without a Prometheus', async () => {
    const { options } = prometheus({})
    const fetch = (async () => new Response('<html>')) as unknown as typeof globalThis.fetch
    await expect(checkPrometheus({ ...options, fetch })).rejects.toMatchObject({
      exitCode: 8,
      message: expect.stringContaining('is not the API of a Prometheus'),
    })
  })
})
