import type { IDeployment } from 'kubernetes-models/apps/v1'
import { describe, expect, it } from 'vitest'
import { COMPONENTS, hostName } from '../src/suite.ts'
import { type ChartObject, ofKind, podsOf } from './chart-object.ts'
import { helm, renderChart } from './helm.ts'
import { renderBeside } from './live-deployments.ts'
import { minimal, minimalWith, production } from './values-matrix.ts'

const NAMES = Object.keys(COMPONENTS).map((name) => `signet-${hostName(name)}`)
const USES_REDIS = ['login', 'token', 'introspection', 'migration-api', 'migration-worker']

/** A variable of every component that has it. */
function variables(
  objects: readonly ChartObject[],
  name: string,
): Readonly<Record<string, string | undefined>> {
  const found = podsOf(objects).flatMap(({ labels, spec }) =>
    (spec.containers[0]?.env ?? [])
      .filter((variable) => variable.name === name)
      .map((variable) => [
        labels['app.kubernetes.io/component'],
        variable.value ?? variable.valueFrom?.secretKeyRef?.key,
      ]),
  )
  return Object.fromEntries(found)
}

/** The address of the Redis that a component uses. */
const redisUrls = (objects: readonly ChartObject[]) => ({
  ...variables(objects, 'SIGNET_QUEUE_REDIS_URL'),
  ...variables(objects, 'SIGNET_REDIS_URL'),
})

/** The key of the Secret whose content is the file with the password of Redis, for every component that has one. */
const redisPasswordKeys = (objects: readonly ChartObject[]): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(
    podsOf(objects).flatMap(({ labels, spec }) =>
      (spec.volumes ?? [])
        .flatMap(({ projected }) => projected?.sources ?? [])
        .flatMap(({ secret }) => secret?.items ?? [])
        .filter(({ path }) => path === 'redis')
        .map(({ key }) => [labels['app.kubernetes.io/component'], key]),
    ),
  )

const annotationsOf = (objects: readonly ChartObject[]) =>
  Object.fromEntries(
    ofKind<IDeployment>(objects, 'Deployment').map(({ metadata }) => [
      metadata.name,
      { annotations: metadata.annotations ?? {} },
    ]),
  )

async function notes(values: object): Promise<string> {
  const { output } = await helm(['install', 'signet', '--dry-run=client'], minimalWith({ ...values }))
  return output.slice(output.indexOf('NOTES:'))
}

describe('connections to PostgreSQL and Redis', () => {
  it('use TLS and a Redis user for each service at a first installation', async () => {
    const objects = await renderChart(minimal)
    const urls = redisUrls(objects)
    expect(Object.keys(urls).toSorted()).toEqual(USES_REDIS.toSorted())
    for (const [component, url] of Object.entries(urls)) {
      const app = component.replace(/-.*/, '')
      expect(url, component).toBe(`rediss://signet_${app}:@redis.example.com:6379`)
      expect(redisPasswordKeys(objects)[component], component).toBe(app)
    }
    for (const url of Object.values(variables(objects, 'SIGNET_POSTGRES_URL')))
      expect(url).toMatch(/\/signet\?sslmode=verify-full$/)
    expect(await notes({})).not.toContain('WARNING')
  })

  it('go on without them at an upgrade of a release that has none', async () => {
    const before = Object.fromEntries(NAMES.map((name) => [name, {}]))
    const objects = await renderBeside(before, minimal)
    for (const [component, url] of Object.entries(redisUrls(objects))) {
      expect(url, component).toBe('redis://redis.example.com:6379')
      expect(redisPasswordKeys(objects)[component], component).toBe('password')
    }
    for (const url of Object.values(variables(objects, 'SIGNET_POSTGRES_URL')))
      expect(url).toMatch(/\/signet$/)
  })

  it('keep them at the upgrades that follow, and go on without them where they were without', async () => {
    for (const values of [
      minimal,
      minimalWith({ redis: { tls: false, userPerService: false }, postgres: { tls: false } }),
    ]) {
      const first = await renderChart(values)
      const second = await renderBeside(annotationsOf(first), minimal)
      expect(redisUrls(second)).toEqual(redisUrls(first))
      expect(variables(second, 'SIGNET_POSTGRES_URL')).toEqual(variables(first, 'SIGNET_POSTGRES_URL'))
    }
  })

  it('use the protections that the values name, also where the release had none', async () => {
    const before = Object.fromEntries(NAMES.map((name) => [name, {}]))
    const objects = await renderBeside(before, production)
    for (const url of Object.values(redisUrls(objects)))
      expect(url).toMatch(/^rediss(\+sentinel)?:\/\/signet_/)
  })

  it('check the certificates with the authorities of the values', async () => {
    const objects = await renderChart(production)
    for (const [component, url] of Object.entries(redisUrls(objects))) {
      expect(url, component).toMatch(/[?&]ca=\/run\/signet\/redis\/ca\.crt$/)
      const pod = podsOf(objects).find(({ labels }) => labels['app.kubernetes.io/component'] === component)
      expect(pod?.spec.containers[0]?.volumeMounts).toContainEqual({
        name: 'redis-ca',
        mountPath: '/run/signet/redis',
        readOnly: true,
      })
      expect(JSON.stringify(pod?.spec.volumes)).toContain('"secretName":"redis-ca"')
    }
    for (const url of Object.values(variables(objects, 'SIGNET_POSTGRES_URL')))
      expect(url).toContain('sslrootcert=/run/signet/postgres/ca.crt')
  })

  it('get certificates whose common name is the role, where the values say so', async () => {
    const certificates = { postgres: true, redis: true, issuerRef: { name: 'stores' } }
    const objects = await renderChart(minimalWith({ storeCertificates: certificates }))
    for (const url of Object.values(variables(objects, 'SIGNET_POSTGRES_URL')))
      expect(url).toMatch(
        /\?sslcert=(\/run\/signet\/stores)\/tls\.crt&sslkey=\1\/tls\.key&sslmode=verify-full$/,
      )
    for (const url of Object.values(redisUrls(objects)))
      expect(url).toMatch(/\?cert=(\/run\/signet\/stores)\/tls\.crt&key=\1\/tls\.key$/)
    const made = ofKind<{ spec: { commonName: string; secretName: string } }>(objects, 'Certificate')
    const names = made.flatMap(({ spec }) => (/-stores$/.test(spec.secretName) ? [spec.commonName] : []))
    expect(names).toContain('signet_token')
    expect(names).toHaveLength(7)
    for (const { of, labels, spec } of podsOf(objects).filter(({ of: name }) =>
      name.startsWith('Deployment'),
    )) {
      const app = labels['app.kubernetes.io/component']?.replace(/-.*/, '')
      expect(JSON.stringify(spec.volumes), of).toContain(`"secretName":"signet-${app}-stores"`)
    }
  })

  it.each([
    ['without an issuer', {}, 'storeCertificates.issuerRef.name: is empty'],
    ['without TLS to PostgreSQL', { postgres: { tls: false } }, 'set postgres.tls to true'],
    ['without TLS to Redis', { redis: { tls: false } }, 'set redis.tls to true'],
  ])('refuse certificates %s', async (what, change, problem) => {
    const issuerRef = { name: what === 'without an issuer' ? '' : 'stores' }
    const storeCertificates = { postgres: true, redis: true, issuerRef }
    const values = minimalWith({ requireProtectedStores: false, storeCertificates, ...change })
    await expect(renderChart(values)).rejects.toThrow(problem)
  })

  it('leave an sslmode of the parameters alone', async () => {
    const objects = await renderChart(minimalWith({ postgres: { parameters: 'sslmode=require' } }))
    for (const url of Object.values(variables(objects, 'SIGNET_POSTGRES_URL')))
      expect(url).toMatch(/\?sslmode=require$/)
  })

  it.each([
    ['redis.tls', { redis: { tls: false } }, 'connections to Redis use no TLS'],
    ['redis.userPerService', { redis: { userPerService: false } }, 'share a user of Redis'],
    ['redis.userPerService', { redis: { username: 'signet' } }, 'share a user of Redis'],
    [
      'queue.redis.tls',
      { queue: { redis: { hosts: ['q:6379'], existingSecret: 'q', tls: false } } },
      'no TLS',
    ],
    ['postgres.tls', { postgres: { tls: false } }, 'connections to PostgreSQL use no TLS'],
    ['postgres.tls', { postgres: { parameters: 'sslmode=disable' } }, 'connections to PostgreSQL use no TLS'],
  ])(
    'without a protection NOTES name %s, and the chart refuses with requireProtectedStores',
    async (name, values, what) => {
      expect(await notes(values)).toMatch(
        new RegExp(`WARNING: the stores are not protected(.|\n)*- ${name}: .*${what}`),
      )
      const { code, problems } = await helm(
        ['template', 'signet'],
        minimalWith({ ...values, requireProtectedStores: true }),
      )
      expect(code).not.toBe(0)
      expect(problems).toContain(`${name}: `)
      expect(problems).toContain('or set requireProtectedStores to false')
    },
  )

  it.each([
    ['users without their passwords', { redis: { existingSecret: '' } }, 'redis.existingSecret: is required'],
    [
      'users beside a shared one',
      { redis: { username: 'a', userPerService: true } },
      'leave redis.username empty',
    ],
    [
      'an authority without TLS',
      { redis: { tls: false, caSecret: 'ca' } },
      'redis.caSecret: is for connections with TLS',
    ],
    ['neither true nor false', { redis: { tls: 'some' } }, '/redis/tls'],
  ])('%s are refused', async (_, values, problem) => {
    const { code, problems } = await helm(['template', 'signet'], minimalWith(values))
    expect([code === 0, problems]).toEqual([false, expect.stringContaining(problem)])
  })
})
