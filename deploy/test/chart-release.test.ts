import { readFileSync } from 'node:fs'
import type { IScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject'
import { SERVICE_NAMES } from '@signet/platform/process/service'
import type { IDeployment } from 'kubernetes-models/apps/v1'
import type { IHorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2'
import type { IJob } from 'kubernetes-models/batch/v1'
import type { IIngress } from 'kubernetes-models/networking.k8s.io/v1'
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1'
import type { IConfigMap, IService } from 'kubernetes-models/v1'
import { beforeAll, describe, expect, it } from 'vitest'
import { COMPONENTS, hostName } from '../src/suite.ts'
import { type ChartObject, ofKind, podsOf } from './chart-object.ts'
import { renderChart } from './helm.ts'
import { MATRIX, minimal, minimalWith, production } from './values-matrix.ts'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
const HOOK = {
  'helm.sh/hook': 'pre-install,pre-upgrade',
  'helm.sh/hook-delete-policy': 'before-hook-creation',
}
const names = Object.keys(COMPONENTS).map((name) => `signet-${hostName(name)}`)

let objects: readonly ChartObject[] = []
beforeAll(async () => {
  objects = await renderChart(production)
})

const deployments = () => ofKind<IDeployment>(objects, 'Deployment')
const envOf = (pods: ReturnType<typeof podsOf>, component: string) => {
  const pod = pods.find(({ labels }) => labels['app.kubernetes.io/component'] === component)
  return Object.fromEntries((pod?.spec.containers[0]?.env ?? []).map(({ name, value }) => [name, value]))
}
const secretsOf = ({ spec }: ReturnType<typeof podsOf>[number]) =>
  (spec.volumes ?? []).flatMap(({ secret }) => (secret ? [secret] : []))

describe('Deployments', () => {
  it('makes one for each component', () => {
    expect(
      deployments()
        .map(({ metadata }) => metadata.name)
        .toSorted(),
    ).toEqual(names.toSorted())
  })

  it('replaces pods one after the other, each after a pause for the routes to it', () => {
    for (const { spec } of deployments()) {
      expect(spec?.strategy).toEqual({
        type: 'RollingUpdate',
        rollingUpdate: { maxSurge: '25%', maxUnavailable: 0 },
      })
      expect(spec?.minReadySeconds).toBe(5)
      expect(spec?.template.spec?.containers[0]?.lifecycle).toEqual({ preStop: { sleep: { seconds: 8 } } })
    }
  })

  it('spreads pods of one version over zones as far as possible, and over nodes that can take them', () => {
    for (const { spec } of deployments()) {
      const constraints = spec?.template.spec?.topologySpreadConstraints ?? []
      expect(
        constraints.map(({ topologyKey, whenUnsatisfiable }) => [topologyKey, whenUnsatisfiable]),
      ).toEqual([
        ['kubernetes.io/hostname', 'DoNotSchedule'],
        ['topology.kubernetes.io/zone', 'ScheduleAnyway'],
      ])
      for (const { maxSkew, minDomains, nodeTaintsPolicy, matchLabelKeys, labelSelector } of constraints) {
        // With minDomains a second replica would wait for a second node for ever.
        expect([maxSkew, minDomains, nodeTaintsPolicy]).toEqual([1, undefined, 'Honor'])
        expect(matchLabelKeys).toEqual(['pod-template-hash'])
        expect(labelSelector).toEqual(spec?.selector)
      }
    }
  })

  it('lets replicas share a node where the values say so', async () => {
    const rendered = await renderChart(minimalWith({ defaults: { nodeSpread: 'ScheduleAnyway' } }))
    for (const { spec } of podsOf(rendered).filter(({ of }) => of.startsWith('Deployment '))) {
      expect(spec.topologySpreadConstraints?.map(({ whenUnsatisfiable }) => whenUnsatisfiable)).toEqual([
        'ScheduleAnyway',
        'ScheduleAnyway',
      ])
    }
  })

  it('asks for liveness without dependencies, and for readiness with them', () => {
    for (const { spec } of deployments()) {
      const [container] = spec?.template.spec?.containers ?? []
      const pathOf = (probe: { httpGet?: { path?: string; port: unknown } } | undefined) => [
        probe?.httpGet?.path,
        probe?.httpGet?.port,
      ]
      expect(pathOf(container?.startupProbe)).toEqual(['/healthz', 'operations'])
      expect(pathOf(container?.livenessProbe)).toEqual(['/healthz', 'operations'])
      expect(pathOf(container?.readinessProbe)).toEqual(['/readyz', 'operations'])
    }
  })

  it('takes an image by its digest, else by the version, with the pull Secrets', () => {
    const images = podsOf(objects).map(({ spec }) => spec.containers[0]?.image)
    expect(images).toContain(`registry.example.com/signet/token@sha256:${'0123456789abcdef'.repeat(4)}`)
    expect(images).toContain(`registry.example.com/signet/login:${version}`)
    for (const { spec } of podsOf(objects)) {
      expect(spec.imagePullSecrets).toEqual([{ name: 'registry' }])
      expect([spec.enableServiceLinks, spec.priorityClassName]).toEqual([false, 'platform'])
    }
  })

  it('mounts its own master key only', () => {
    for (const [name, { masterKey, redis }] of Object.entries(COMPONENTS)) {
      const pod = podsOf(objects).find(({ of }) => of === `Deployment signet-${hostName(name)}`)
      const secrets = pod === undefined ? [] : secretsOf(pod)
      expect(secrets.map(({ secretName }) => secretName).toSorted()).toEqual(
        [
          'postgres-ca',
          ...(masterKey ? ['signet-master-keys'] : []),
          ...(redis.length > 0 ? ['redis-ca'] : []),
        ].toSorted(),
      )
      const keys = secrets.find(({ secretName }) => secretName === 'signet-master-keys')?.items
      expect(keys?.map(({ key }) => key)).toEqual(masterKey && [masterKey])
    }
  })

  it('takes extra settings, labels, volumes and scheduling of the values', async () => {
    const [pod] = podsOf(await renderChart(MATRIX['everything on'] ?? {}))
    expect(pod?.labels.team).toBe('identity')
    expect(pod?.spec).toMatchObject({
      schedulerName: 'other',
      runtimeClassName: 'gvisor',
      nodeSelector: { 'kubernetes.io/os': 'linux' },
      tolerations: [{ key: 'identity', operator: 'Exists' }],
      hostAliases: [{ ip: '10.0.0.1', hostnames: ['postgres.example.com'] }],
    })
    const [container] = pod?.spec.containers ?? []
    expect([container?.image?.split(':').at(-1), container?.imagePullPolicy]).toEqual(['edge', 'Always'])
    expect(container?.volumeMounts).toContainEqual({ name: 'more', mountPath: '/more' })
    expect(container?.env).toContainEqual({ name: 'SIGNET_RPC_CONNECTION_AGE_SECONDS', value: '60' })
  })
})

describe('addresses of the stores', () => {
  it.each([
    ['one server', minimal, /^rediss:\/\/signet_token:@redis\.example\.com:6379$/],
    ['Sentinel', production, /^rediss\+sentinel:\/\/signet_token:@(sentinel-\d\.redis:26379,?){3}\/signet\?/],
    ['Redis Cluster', MATRIX['Redis Cluster'] ?? {}, /^rediss\+cluster:\/\/signet:@redis-0\.redis:7000,/],
  ])('%s', async (_, values, url) => {
    const pods = podsOf(await renderChart(values))
    expect(envOf(pods, 'token').SIGNET_REDIS_URL).toMatch(url)
    expect(envOf(pods, 'keys')).not.toHaveProperty('SIGNET_REDIS_URL')
  })

  it('connects each service to PostgreSQL under its own role', () => {
    for (const [name, { app }] of Object.entries(COMPONENTS)) {
      expect(envOf(podsOf(objects), hostName(name)).SIGNET_POSTGRES_URL).toBe(
        `postgres://signet_${app}@pooler.databases.svc:5432/signet?sslmode=verify-full&sslrootcert=/run/signet/postgres/ca.crt`,
      )
    }
  })
})

describe('the migration Job', () => {
  const jobOf = async (values: object) => {
    const rendered = await renderChart(minimalWith(values as Record<string, unknown>))
    return ofKind<IJob>(rendered, 'Job')[0]
  }

  it('runs as a hook after its ServiceAccount, and stays when it failed', () => {
    const [job] = ofKind<IJob>(objects, 'Job')
    expect(job?.metadata.annotations).toEqual({ ...HOOK, 'helm.sh/hook-weight': '0' })
    const account = ofKind(objects, 'ServiceAccount').find(
      ({ metadata }) => metadata.name === 'signet-migrate',
    )
    expect(account?.metadata.annotations).toEqual({ ...HOOK, 'helm.sh/hook-weight': '-10' })
    expect(job?.spec).toMatchObject({ backoffLimit: 3, activeDeadlineSeconds: 900 })
    expect(job?.spec?.template.spec).toMatchObject({
      restartPolicy: 'Never',
      serviceAccountName: 'signet-migrate',
    })
  })

  it('alone has the Secret of the database owner', () => {
    const holders = podsOf(objects).filter((pod) =>
      JSON.stringify(pod.spec).includes('signet-database-owner'),
    )
    expect(holders.map(({ of }) => of)).toEqual(['Job signet-migrate'])
  })

  it('has a name of its content outside of a hook, and does not exist in mode external', async () => {
    const [one, other] = [
      await jobOf({ migrations: { mode: 'job' } }),
      await jobOf({ migrations: { mode: 'job' }, image: { tag: 'next' } }),
    ]
    for (const job of [one, other]) {
      expect(job?.metadata.name).toMatch(/^signet-migrate-[0-9a-f]{10}$/)
      expect(job?.metadata.annotations?.['helm.sh/hook']).toBeUndefined()
    }
    expect(one?.metadata.name).not.toBe(other?.metadata.name)
    expect(await jobOf({ migrations: { mode: 'external', existingSecret: '' } })).toBeUndefined()
  })
})

describe('scaling', () => {
  it('scales token and introspection by the CPU of their container, up fast and down slowly', () => {
    const scalers = ofKind<IHorizontalPodAutoscaler>(objects, 'HorizontalPodAutoscaler')
    const shown = scalers.map(({ spec }) => [
      spec?.scaleTargetRef.name,
      spec?.minReplicas,
      spec?.maxReplicas,
      spec?.metrics?.map(({ containerResource }) => [
        containerResource?.container,
        containerResource?.target.averageUtilization,
      ]),
    ])
    expect(shown.toSorted()).toEqual([
      ['signet-introspection', 4, 60, [['introspection', 50]]],
      ['signet-token', 4, 40, [['token', 60]]],
    ])
    for (const { spec } of scalers) {
      expect(spec?.behavior).toEqual({
        scaleUp: {
          stabilizationWindowSeconds: 0,
          policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
        },
        scaleDown: {
          stabilizationWindowSeconds: 300,
          policies: [{ type: 'Percent', value: 10, periodSeconds: 60 }],
        },
      })
    }
  })

  it('lets one pod of a component go at a time, and a broken one always', () => {
    const budgets = ofKind<IPodDisruptionBudget>(objects, 'PodDisruptionBudget')
    expect(budgets.map(({ metadata }) => metadata.name).toSorted()).toEqual(names.toSorted())
    for (const { spec } of budgets) {
      expect(spec).toMatchObject({ maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' })
    }
  })

  it('scales migration workers by the waiting jobs with KEDA', async () => {
    const scaled = ofKind<IScaledObject>(
      await renderChart(MATRIX['KEDA and External Secrets'] ?? {}),
      'ScaledObject',
    )
    expect(scaled.map(({ spec }) => [spec?.scaleTargetRef.name, spec?.minReplicaCount])).toEqual([
      ['signet-migration-worker', 2],
    ])
    expect(JSON.stringify(scaled)).toContain('http://prometheus.monitoring.svc:9090')
    expect(JSON.stringify(scaled)).toContain('signet_migration_queue_shares')
  })
})

describe('Services and exposure', () => {
  it('offers HTTP by a Service, and gRPC by a headless one of ready pods', () => {
    const services = ofKind<IService>(objects, 'Service')
    const portsOf = (name: string) =>
      services
        .find(({ metadata }) => metadata.name === name)
        ?.spec?.ports?.map(({ port, targetPort }) => [port, targetPort])
    for (const [component, { http, rpc, app }] of Object.entries(COMPONENTS)) {
      const name = `signet-${hostName(component)}`
      expect(portsOf(name), name).toEqual(http ? [[80, 'http']] : undefined)
      const grpc = [[9090, 'rpc'], ...(app === 'directory' ? [[9092, 'transfer']] : [])]
      expect(portsOf(`${name}-rpc`), name).toEqual(rpc ? grpc : undefined)
    }
    for (const { spec } of services.filter(({ metadata }) => metadata.name.endsWith('-rpc'))) {
      expect([spec?.clusterIP, spec?.publishNotReadyAddresses]).toEqual(['None', false])
    }
  })

  it('serves the public host with the TLS Secret of the values', () => {
    for (const { spec } of ofKind<IIngress>(objects, 'Ingress')) {
      expect(spec?.ingressClassName).toBe('nginx')
      expect(spec?.tls).toEqual([{ hosts: ['id.example.com'], secretName: 'id-example-com' }])
    }
  })

  it('renews certificates with a new key, from the issuer of the values or from its own', async () => {
    type Certificate = { spec: { issuerRef: object; privateKey: object; duration: string; isCA?: boolean } }
    for (const { spec } of ofKind<Certificate>(objects, 'Certificate')) {
      expect(spec.issuerRef).toEqual({ name: 'platform', kind: 'ClusterIssuer', group: 'cert-manager.io' })
      expect(spec.privateKey).toEqual({ algorithm: 'ECDSA', size: 256, rotationPolicy: 'Always' })
      expect(spec.duration).toBe('2160h')
    }
    const own = ofKind<Certificate>(await renderChart(minimal), 'Certificate')
    expect(own.filter(({ spec }) => spec.isCA)).toHaveLength(1)
    expect(own.filter(({ spec }) => !spec.isCA).map(({ spec }) => spec.issuerRef)).toEqual(
      SERVICE_NAMES.map(() => ({ name: 'signet-mtls', kind: 'Issuer', group: 'cert-manager.io' })),
    )
  })
})

describe('everything beside the services', () => {
  it('helm test signs in with the script of the chart and the Secret of the values', () => {
    const pod = podsOf(objects).find(({ of }) => of === 'Pod signet-test')
    const [script] = ofKind<IConfigMap>(objects, 'ConfigMap').filter(
      ({ metadata }) => metadata.name === 'signet-test',
    )
    const file = readFileSync(new URL('../helm/signet/files/sign-in-test.mjs', import.meta.url), 'utf8')
    expect(script?.data?.['sign-in-test.mjs']?.trim()).toBe(file.trim())
    expect(pod?.spec.containers[0]?.command).toEqual(['node', '/test/sign-in-test.mjs'])
    const fromSecret = (pod?.spec.containers[0]?.env ?? []).flatMap(
      ({ valueFrom }) => valueFrom?.secretKeyRef ?? [],
    )
    expect(new Set(fromSecret.map(({ name }) => name))).toEqual(new Set(['signet-test']))
    expect(fromSecret).toHaveLength(5)
  })

  it('lets the services that authenticate clients ask the API server, with a token of their pods', async () => {
    const values = MATRIX['no static secret but those of Redis'] ?? {}
    const asking = podsOf(await renderChart(values)).filter(({ spec }) =>
      spec.volumes?.some(({ name }) => name === 'kubernetes'),
    )
    expect(asking.map(({ of }) => of).toSorted()).toEqual(
      ['introspection', 'login', 'token'].map((name) => `Deployment signet-${name}`),
    )
    for (const { of, spec } of asking) {
      const { value = '' } =
        spec.containers[0]?.env?.find(({ name }) => name === 'SIGNET_TOKEN_REVIEWS') ?? {}
      expect(JSON.parse(value), of).toEqual([
        {
          ...{
            issuer: 'https://kubernetes.default.svc.cluster.local',
            url: 'https://kubernetes.default.svc',
          },
          ...{ tokenFile: '/run/signet/kubernetes/token', caFile: '/run/signet/kubernetes/ca.crt' },
        },
      ])
      const [{ projected } = {}] = spec.volumes?.filter(({ name }) => name === 'kubernetes') ?? []
      expect(projected?.sources?.[0]?.serviceAccountToken).toEqual({ path: 'token', expirationSeconds: 3600 })
    }
  })

  it('has the command line and the client of helm test call with the tokens of their pods', async () => {
    const pods = podsOf(await renderChart(MATRIX['no static secret but those of Redis'] ?? {}))
    const callers = { 'CronJob signet-command-line': 'SIGNET_WORKLOAD_TOKEN_FILE' }
    for (const [of, name] of Object.entries({ ...callers, 'Pod signet-test': 'CLIENT_ASSERTION_FILE' })) {
      const { serviceAccountName, containers, volumes = [] } = pods.find((pod) => pod.of === of)?.spec ?? {}
      expect(serviceAccountName, of).toBe(of.split(' ')[1])
      const env = containers?.[0]?.env ?? []
      expect(env.find((one) => one.name === name)?.value).toBe('/run/signet/workload/token')
      const secrets = env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef?.key ?? [])
      expect(secrets).not.toContain('client-secret')
      const [{ projected } = {}] = volumes.filter((volume) => volume.name === 'workload')
      const { serviceAccountToken } = projected?.sources?.[0] ?? {}
      expect(serviceAccountToken).toMatchObject({ audience: 'https://id.example.com', path: 'token' })
    }
  })

  it('has the metrics of every pod read, with the name of its component', () => {
    const [monitor] = ofKind<{ spec: object }>(objects, 'PodMonitor')
    expect(monitor?.metadata.labels.release).toBe('prometheus')
    expect(monitor?.spec).toMatchObject({
      selector: {
        matchLabels: { 'app.kubernetes.io/name': 'signet', 'app.kubernetes.io/instance': 'signet' },
      },
      podMetricsEndpoints: [
        { port: 'operations', path: '/metrics', relabelings: [{ targetLabel: 'component' }] },
      ],
    })
  })

  it('has pages of two services probed from outside', () => {
    const [probe] = ofKind<{ spec: { targets: unknown } }>(objects, 'Probe')
    expect(probe?.spec).toMatchObject({
      jobName: 'identity/signet-probe',
      prober: { url: 'blackbox-exporter.monitoring.svc:9115' },
      targets: {
        staticConfig: {
          static: ['https://id.example.com/', 'https://id.example.com/.well-known/openid-configuration'],
        },
      },
    })
  })

  it('makes an ExternalSecret for each key of the values', async () => {
    type External = { spec: { secretStoreRef: object; target: { name: string } } }
    const rendered = await renderChart(MATRIX['KEDA and External Secrets'] ?? {})
    const secrets = ofKind<External>(rendered, 'ExternalSecret')
    expect(secrets.map(({ metadata }) => metadata.name).toSorted()).toEqual([
      'signet-master-keys',
      'signet-postgres',
    ])
    for (const { spec } of secrets)
      expect(spec.secretStoreRef).toEqual({ kind: 'ClusterSecretStore', name: 'vault' })
    expect(JSON.stringify(secrets)).toContain('identity/master-keys')
  })

  it('renders extra objects as templates', async () => {
    const rendered = await renderChart(MATRIX['everything on'] ?? {})
    const [extra] = ofKind<IConfigMap>(rendered, 'ConfigMap').filter(
      ({ metadata }) => metadata.name === 'signet-more',
    )
    expect(extra?.data).toEqual({ namespace: 'identity' })
  })

  it('makes no object of a switch that is off', async () => {
    const kinds = new Set((await renderChart(MATRIX['everything off'] ?? {})).map(({ kind }) => kind))
    expect([...kinds].toSorted()).toEqual(['ConfigMap', 'Deployment', 'Pod', 'Service'])
  })
})
