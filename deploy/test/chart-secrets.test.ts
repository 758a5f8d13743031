import { staticSecretSettings } from '@signet/platform/sealing/static-settings'
import type { IDeployment } from 'kubernetes-models/apps/v1'
import type { IJob } from 'kubernetes-models/batch/v1'
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1'
import { describe, expect, it } from 'vitest'
import { COMPONENTS, hostName } from '../src/suite.ts'
import { type ChartObject, ofKind, podsOf } from './chart-object.ts'
import { renderChart, type Values } from './helm.ts'
import { MATRIX, minimalWith, production } from './values-matrix.ts'

interface Certificate {
  readonly spec: {
    readonly uris?: readonly string[]
    readonly renewBefore: string
    readonly privateKey: Readonly<Record<string, unknown>>
  }
}

type Projected = Readonly<Record<string, Readonly<Record<string, string>>>>

/** File → where it comes from, of a projected volume of a component. */
function filesOf(objects: readonly ChartObject[], component: string, volume: string): Projected {
  const pod = podsOf(objects).find(({ of }) => of === `Deployment signet-${hostName(component)}`)
  const sources = pod?.spec.volumes?.find(({ name }) => name === volume)?.projected?.sources ?? []
  const files = sources.flatMap(({ secret, configMap }) =>
    (secret?.items ?? configMap?.items ?? []).map(({ key, path }) => [
      path,
      secret ? { secret: `${secret.name}`, key } : { configMap: `${configMap?.name}`, key },
    ]),
  )
  return Object.fromEntries(files)
}

function envOf(objects: readonly ChartObject[], component: string): Record<string, string | undefined> {
  const pod = podsOf(objects).find(({ of }) => of === `Deployment signet-${hostName(component)}`)
  return Object.fromEntries((pod?.spec.containers[0]?.env ?? []).map(({ name, value }) => [name, value]))
}

describe('passwords of the databases', () => {
  it('are files that only their own service gets, and stand in no variable', async () => {
    const objects = await renderChart(production)
    for (const [component, { app, redis }] of Object.entries(COMPONENTS)) {
      const expected: Record<string, unknown> = { postgres: { secret: 'signet-postgres', key: app } }
      if (redis.includes('redis')) {
        expected.redis = { secret: 'signet-redis', key: app }
        expected['redis-sentinel'] = { secret: 'signet-redis', key: 'sentinel-password' }
      }
      if (redis.includes('queue')) expected.redis = { secret: 'signet-queue', key: app }
      if (app === 'directory') expected['smtp-url'] = { secret: 'signet-smtp', key: 'url' }
      expect(filesOf(objects, component, 'passwords'), component).toEqual(expected)
    }
    const referenced = podsOf(objects)
      .filter(({ of }) => of.startsWith('Deployment'))
      .flatMap(({ spec }) => spec.containers.flatMap(({ env = [] }) => env))
      .flatMap(({ valueFrom }) => valueFrom?.secretKeyRef?.name ?? [])
    expect(new Set(referenced)).toEqual(new Set(['signet-storage']))
  })

  it('are named by the settings of the service', async () => {
    const objects = await renderChart(production)
    expect(envOf(objects, 'token')).toMatchObject({
      SIGNET_POSTGRES_PASSWORD_FILE: '/run/signet/passwords/postgres',
      SIGNET_REDIS_PASSWORD_FILE: '/run/signet/passwords/redis',
      SIGNET_REDIS_SENTINEL_PASSWORD_FILE: '/run/signet/passwords/redis-sentinel',
    })
    expect(envOf(objects, 'migrationApi')).toMatchObject({
      SIGNET_QUEUE_REDIS_PASSWORD_FILE: '/run/signet/passwords/redis',
    })
    const withoutPassword = minimalWith({ redis: { existingSecret: '', userPerService: false } })
    expect(envOf(await renderChart(withoutPassword), 'token')).not.toHaveProperty(
      'SIGNET_REDIS_PASSWORD_FILE',
    )
  })
})

describe('without passwords of PostgreSQL', () => {
  const values = MATRIX['no static secret but those of Redis'] ?? {}

  /** The Secrets that no issuer of certificates writes. */
  const secretsOf = (objects: readonly ChartObject[]) => {
    const made = ofKind<{ spec: { secretName: string } }>(objects, 'Certificate').map(
      ({ spec }) => spec.secretName,
    )
    const named = JSON.stringify(podsOf(objects).map(({ spec }) => spec)).matchAll(
      /"(?:secretName|secret|secretKeyRef|secretRef)":(?:\{[^{}[\]]*"name":)?"([^"]+)"/g,
    )
    return new Set([...named].flatMap(([, name = '']) => (made.includes(name) ? [] : [name])))
  }

  it('no pod gets a static secret but those of Redis and the wrapped master keys', async () => {
    const objects = await renderChart(values)
    expect(secretsOf(objects)).toEqual(
      new Set(['signet-redis', 'signet-master-keys', 'login-stores', 'signet-test']),
    )
    expect(secretsOf(await renderChart(MATRIX.minimal ?? {}))).toContain('signet-postgres')
  })

  it('the doctor counts the password of Redis alone', async () => {
    const objects = await renderChart(values)
    for (const { of, spec } of podsOf(objects).filter(({ of: name }) => !/Pod|CronJob/.test(name))) {
      const env = (spec.containers[0]?.env ?? []).flatMap(({ name, value }) => {
        const [, setting] = /^(SIGNET_.*)_FILE$/.exec(name) ?? []
        // Files of keys that Vault unwraps, and of the token that an agent renews.
        if (setting === undefined || /_MASTER_KEY$|^SIGNET_VAULT_TOKEN$/.test(setting)) return [[name, value]]
        return [[setting, 'text']]
      })
      const left = staticSecretSettings(Object.fromEntries(env))
      const [component = ''] = /migrate/.test(of) ? ['migrate'] : [of.replace(/^Deployment signet-/, '')]
      const { redis = [] } =
        Object.entries(COMPONENTS).find(([name]) => hostName(name) === component)?.[1] ?? {}
      const expected = redis.map((use) =>
        use === 'queue' ? 'SIGNET_QUEUE_REDIS_PASSWORD' : 'SIGNET_REDIS_PASSWORD',
      )
      expect(left.toSorted(), of).toEqual(expected.toSorted())
    }
  })

  it('the migration Job takes the passwords of the roles away, and connects by the certificate of the owner', async () => {
    const objects = await renderChart(values)
    const job = podsOf(objects).find(({ of }) => of.startsWith('Job'))?.spec
    const env = Object.fromEntries((job?.containers[0]?.env ?? []).map(({ name, value }) => [name, value]))
    expect(env).toMatchObject({
      SIGNET_POSTGRES_ROLE_AUTHENTICATION: 'certificate',
      SIGNET_POSTGRES_DIRECT_URL:
        'postgres://signet_owner@postgres.example.com:5432/signet?sslcert=/run/signet/stores/tls.crt&sslkey=/run/signet/stores/tls.key&sslmode=verify-full',
    })
    expect(Object.keys(env).filter((name) => name.includes('PASSWORD'))).toEqual([])
    const [certificate] = ofKind<{ spec: { commonName: string; secretName: string } }>(
      objects,
      'Certificate',
    ).filter(({ spec }) => spec.secretName === 'signet-migrate-stores')
    expect(certificate?.spec.commonName).toBe('signet_owner')
    // Helm makes it before the Job, whose pod waits for its Secret.
    expect(certificate?.metadata.annotations?.['helm.sh/hook']).toBe('pre-install,pre-upgrade')
    expect(JSON.stringify(job?.volumes)).toContain('"secretName":"signet-migrate-stores"')
  })

  it.each<[what: string, change: Values, problem: string]>([
    ['without certificates', { storeCertificates: { postgres: false } }, 'or set storeCertificates.postgres'],
    [
      'with an address of the owner that has a password',
      { migrations: { url: 'postgres://signet_owner:text@postgres.example.com/signet' } },
      'migrations.url: is',
    ],
    ['with two addresses', { migrations: { existingSecret: 'owner' } }, 'keep one'],
  ])('is refused %s', async (_, change, problem) => {
    const both = Object.fromEntries(
      Object.entries(change).map(([name, one]) => [
        name,
        { ...(values[name] as object), ...(one as object) },
      ]),
    )
    await expect(renderChart({ ...values, ...both })).rejects.toThrow(problem)
  })
})

const bootstrap = (content: string, name = 'signet-bootstrap') => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels: {} },
  data: { 'bootstrap.yaml': content },
})

it('gives the processes with a master key the way to Vault, the token as a file, and no others', async () => {
  const objects = await renderChart(MATRIX['master keys of Vault'] ?? {})
  const holders = Object.entries(COMPONENTS).flatMap(([name, { masterKey }]) =>
    masterKey ? [hostName(name)] : [],
  )
  const withVault = podsOf(objects).filter(({ spec }) =>
    spec.containers[0]?.env?.some(({ name }) => name === 'SIGNET_VAULT_URL'),
  )
  expect(withVault.map(({ labels }) => labels['app.kubernetes.io/component']).toSorted()).toEqual(
    [...holders, 'migrate'].toSorted(),
  )
  for (const { spec } of withVault) {
    const env = spec.containers[0]?.env ?? []
    expect(env.filter(({ name }) => name.startsWith('SIGNET_VAULT_'))).toEqual([
      { name: 'SIGNET_VAULT_URL', value: 'https://vault.example.com:8200' },
      { name: 'SIGNET_VAULT_TOKEN_FILE', value: '/run/signet/vault/token' },
      { name: 'SIGNET_VAULT_NAMESPACE', value: 'identity' },
      { name: 'SIGNET_VAULT_CA', value: '/run/signet/vault/ca.crt' },
    ])
    expect(spec.volumes?.filter(({ name }) => name === 'vault')).toMatchObject([
      { secret: { secretName: 'signet-vault' } },
    ])
    expect(spec.containers[0]?.volumeMounts?.filter(({ name }) => name === 'vault')).toEqual([
      { name: 'vault', mountPath: '/run/signet/vault', readOnly: true },
    ])
  }
  const reachVault = (rendered: typeof objects) =>
    ofKind<INetworkPolicy>(rendered, 'NetworkPolicy').filter(({ spec }) =>
      JSON.stringify(spec?.egress).includes('"port":8200'),
    )
  expect(reachVault(objects)).toHaveLength(withVault.length)
  // Migrations alone open nothing that is sealed.
  const values = MATRIX['master keys of Vault'] as { readonly migrations: object }
  const withoutBootstrap = { ...values, migrations: { ...values.migrations, bootstrap: {} } }
  expect(reachVault(await renderChart(withoutBootstrap))).toHaveLength(holders.length)
})

it('gives the processes with a master key the module of PKCS #11, the PIN as a file, and no others', async () => {
  const objects = await renderChart(MATRIX['master keys of PKCS #11'] ?? {})
  const holders = Object.entries(COMPONENTS).flatMap(([name, { masterKey }]) =>
    masterKey ? [hostName(name)] : [],
  )
  const withModule = podsOf(objects).filter(({ spec }) => JSON.stringify(spec).includes('pkcs11'))
  expect(withModule.map(({ labels }) => labels['app.kubernetes.io/component']).toSorted()).toEqual(
    [...holders, 'migrate'].toSorted(),
  )
  for (const { spec } of withModule) {
    expect(spec.containers[0]?.env).toEqual(
      expect.arrayContaining([
        { name: 'SIGNET_PKCS11_MODULE', value: '/run/signet/pkcs11-module/libhsm.so' },
        { name: 'SIGNET_PKCS11_PIN_FILE', value: '/run/signet/pkcs11/pin' },
        { name: 'HSM_CONF', value: '/run/signet/pkcs11-module/hsm.conf' },
      ]),
    )
    expect(spec.volumes?.filter(({ name }) => name.startsWith('pkcs11'))).toMatchObject([
      { secret: { secretName: 'signet-hsm', items: [{ key: 'pin', path: 'pin' }] } },
      { persistentVolumeClaim: { claimName: 'hsm-module', readOnly: true } },
    ])
    expect(spec.containers[0]?.volumeMounts?.filter(({ name }) => name.startsWith('pkcs11'))).toEqual([
      { name: 'pkcs11', mountPath: '/run/signet/pkcs11', readOnly: true },
      { name: 'pkcs11-module', mountPath: '/run/signet/pkcs11-module', readOnly: true },
    ])
  }
  const reachToken = ofKind<INetworkPolicy>(objects, 'NetworkPolicy').filter(({ spec }) =>
    JSON.stringify(spec?.egress).includes('10.9.0.7/32'),
  )
  expect(reachToken).toHaveLength(withModule.length)
})

describe('files that are read at the start alone', () => {
  const jobName = async (change: Values) => {
    const values = minimalWith({
      migrations: {
        mode: 'job',
        bootstrap: { existingConfigMap: 'signet-bootstrap' },
        ...(change.migrations as Values),
      },
      extraObjects: change.extraObjects ?? [],
    })
    return ofKind<IJob>(await renderChart(values), 'Job')[0]?.metadata.name
  }

  it('gives the migration Job a new name when the chart renders it and it changes, or by a value', async () => {
    const first = await jobName({ extraObjects: [bootstrap('organizations: []')] })
    expect(await jobName({ extraObjects: [bootstrap('organizations: []')] })).toBe(first)
    const others = [
      await jobName({ extraObjects: [bootstrap('users: []')] }),
      await jobName({ extraObjects: [bootstrap('organizations: []')], migrations: { runId: '2' } }),
      await jobName({}),
    ]
    expect(new Set([first, ...others]).size).toBe(4)
    expect(await jobName({ extraObjects: [bootstrap('x', 'another')] })).toBe(others[2])
  })

  it('rolls the pods that mount it, and no others', async () => {
    const checksums = async (name: string, content: string) => {
      const values = minimalWith({
        smtp: { existingSecret: 'signet-smtp', sender: 'id@example.com' },
        components: {
          login: {
            extraVolumes: [{ name: 'texts', configMap: { name: 'login-texts' } }],
            extraVolumeMounts: [{ name: 'texts', mountPath: '/texts' }],
          },
        },
        extraObjects: [{ ...bootstrap(content, name), kind: 'Secret', stringData: { x: content }, data: {} }],
      })
      const deployments = ofKind<IDeployment>(await renderChart(values), 'Deployment')
      return Object.fromEntries(
        deployments.map(({ metadata, spec }) => [
          metadata.name,
          spec?.template.metadata?.annotations?.['checksum/read-at-start'],
        ]),
      )
    }
    const texts = await checksums('login-texts', 'one')
    expect(Object.keys(texts).filter((name) => texts[name] !== undefined)).toEqual(['signet-login'])
    expect(await checksums('login-texts', 'two')).not.toEqual(texts)
    const keys = await checksums('signet-master-keys', 'one')
    const smtp = await checksums('signet-smtp', 'one')
    expect(Object.keys(smtp).filter((name) => smtp[name] !== undefined)).toEqual(['signet-directory'])
    const withMasterKey = Object.entries(COMPONENTS).filter(([, { masterKey }]) => masterKey)
    expect(
      Object.keys(keys)
        .filter((name) => keys[name] !== undefined)
        .toSorted(),
    ).toEqual(withMasterKey.map(([name]) => `signet-${hostName(name)}`).toSorted())
    // Read again in place.
    expect(new Set(Object.values(await checksums('signet-postgres', 'one')))).toEqual(new Set([undefined]))
  })
})

describe('certificates between the services', () => {
  it('name the service of this release by a URI, which identifies callers when the values say so', async () => {
    const objects = await renderChart(production)
    const [login] = ofKind<Certificate>(objects, 'Certificate')
    expect(login?.spec.uris).toEqual([
      'spiffe://identity.example.com/ns/identity/release/signet/service/login',
    ])
    expect(envOf(objects, 'token').SIGNET_RPC_TRUST_PREFIX).toBe(
      'spiffe://identity.example.com/ns/identity/release/signet',
    )
    expect(envOf(await renderChart(minimalWith({})), 'token')).not.toHaveProperty('SIGNET_RPC_TRUST_PREFIX')
  })

  it('of the default authority are renewed with its key, long before it ends', async () => {
    const objects = await renderChart(minimalWith({}))
    const authority = ofKind<Certificate>(objects, 'Certificate').find(
      ({ metadata }) => metadata.name === 'signet-mtls-authority',
    )
    expect(authority?.spec).toMatchObject({ renewBefore: '8760h', privateKey: { rotationPolicy: 'Never' } })
  })

  it('are trusted by the authorities of a ConfigMap, or that of their Secret', async () => {
    const own = { secret: 'signet-token-mtls' }
    const pair = { 'tls.crt': { ...own, key: 'tls.crt' }, 'tls.key': { ...own, key: 'tls.key' } }
    const plain = await renderChart(minimalWith({}))
    expect(filesOf(plain, 'token', 'mtls')).toEqual({ ...pair, 'ca.crt': { ...own, key: 'ca.crt' } })
    const bundled = await renderChart(
      minimalWith({ mtls: { trustBundle: { existingConfigMap: 'authorities', key: 'bundle.pem' } } }),
    )
    expect(filesOf(bundled, 'token', 'mtls')).toEqual({
      ...pair,
      'ca.crt': { configMap: 'authorities', key: 'bundle.pem' },
    })
  })
})
