import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import type { Values } from './helm.ts'

function read(name: string, folder = 'ci'): Values {
  return parse(readFileSync(new URL(`../helm/signet/${folder}/${name}-values.yaml`, import.meta.url), 'utf8'))
}

export const minimal = read('minimal')
export const production = read('production')

/** The minimal values with some of them replaced, at every depth. */
export function minimalWith(change: Values): Values {
  return merged(minimal, change)
}

function merged(base: Values, change: Values): Values {
  const entries = Object.entries(change).map(([key, value]) => {
    const before = base[key]
    return [key, isMap(before) && isMap(value) ? merged(before, value) : value]
  })
  return { ...base, ...Object.fromEntries(entries) }
}

function isMap(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const SERVICES = ['login', 'token', 'introspection', 'keys', 'directory', 'migration', 'federation']
const tolerations = [{ key: 'identity', operator: 'Exists' }]

/** Every switch of the chart is on in one of these and off in another, every text is set in one. */
export const MATRIX: Readonly<Record<string, Values>> = {
  minimal,
  production,
  'size S': minimalWith(read('s', 'sizes')),
  'size M': minimalWith(read('m', 'sizes')),
  'size L': minimalWith(read('l', 'sizes')),
  'everything off': minimalWith({
    networkPolicy: { enabled: false },
    mtls: {
      certManager: { enabled: false },
      existingSecrets: Object.fromEntries(SERVICES.map((name) => [name, `${name}-certificate`])),
    },
    migrations: { mode: 'external', existingSecret: '' },
    postgres: { namedStatements: false, tls: false },
    redis: { revocationLog: false, tls: false, userPerService: false, existingSecret: '' },
    requireProtectedStores: false,
    defaults: {
      replicas: 1,
      autoscaling: { enabled: false },
      podDisruptionBudget: { enabled: false },
      topologySpread: false,
      serviceAccount: { name: 'existing' },
    },
    components: {
      token: { autoscaling: { enabled: false } },
      introspection: { autoscaling: { enabled: false } },
    },
  }),
  'client certificates': minimalWith({
    trustedProxies: ['10.1.2.0/24'],
    ingress: { enabled: true },
    httpRoute: { enabled: true, parentRefs: [{ name: 'public' }] },
    clientCertificates: {
      host: 'mtls.id.example.com',
      header: 'ssl-client-cert',
      caSecret: 'client-authorities',
      ingress: {
        annotations: { 'nginx.ingress.kubernetes.io/auth-tls-verify-client': 'optional_no_ca' },
        tlsSecret: 'mtls-certificate',
      },
      parentRefs: [{ name: 'public', sectionName: 'certificates' }],
    },
  }),
  'client certificates at own ports': minimalWith({
    clientCertificates: {
      host: '{service}.mtls.id.example.com',
      caSecret: 'client-authorities',
      listener: { port: 8443, tlsSecret: 'listener-certificate' },
    },
    networkPolicy: { publicFrom: [{ ipBlock: { cidr: '10.1.2.0/24' } }] },
  }),
  'one replica': minimalWith({
    defaults: { replicas: 1, autoscaling: { enabled: false } },
    components: { token: { autoscaling: { enabled: true, minReplicas: 1 } } },
  }),
  'KEDA and External Secrets': minimalWith({
    migrations: { mode: 'job' },
    monitoring: { podMonitor: { enabled: true } },
    keda: { enabled: true, prometheus: 'http://prometheus.monitoring.svc:9090', minReplicas: 2 },
    externalSecrets: {
      storeRef: { kind: 'ClusterSecretStore', name: 'vault' },
      keys: { 'signet-postgres': 'identity/postgres', 'signet-master-keys': 'identity/master-keys' },
    },
  }),
  'no static secret but those of Redis': minimalWith({
    commandLine: {
      ...{ enabled: true, user: 'operations', args: ['doctor', '--limit', '20'], schedule: '0 6 * * *' },
      extraEgress: [{ ports: [{ port: 8443 }] }],
    },
    test: { existingSecret: 'signet-test', workloadIdentity: true },
    storeCertificates: {
      ...{ postgres: true, redis: true, existingSecrets: { login: 'login-stores' } },
      issuerRef: { name: 'stores', kind: 'ClusterIssuer' },
    },
    // `auto` leaves an installation without TLS as it is.
    postgres: { tls: true, existingSecret: '' },
    migrations: { existingSecret: '', url: 'postgres://signet_owner@postgres.example.com:5432/signet' },
    masterKeys: { vault: { url: 'https://vault.example.com:8200', tokenFile: '/vault/secrets/token' } },
    redis: { tls: true },
    tokenReview: {
      issuer: 'https://kubernetes.default.svc.cluster.local',
      ports: [6443],
      to: [{ ipBlock: { cidr: '10.0.0.1/32' } }],
    },
  }),
  'job and ConfigMap': minimalWith({
    migrations: {
      mode: 'job',
      bootstrap: { existingConfigMap: 'signet-bootstrap', key: 'directory.json' },
      annotations: { 'argocd.argoproj.io/sync-wave': '-1' },
    },
  }),
  'master keys of Vault': minimalWith({
    migrations: { mode: 'job', bootstrap: { existingConfigMap: 'signet-bootstrap' } },
    masterKeys: {
      existingSecret: 'signet-master-keys',
      vault: {
        url: 'https://vault.example.com:8200',
        namespace: 'identity',
        existingSecret: 'signet-vault',
        caFile: '/run/signet/vault/ca.crt',
      },
    },
    networkPolicy: { vaultTo: [{ ipBlock: { cidr: '10.9.0.0/24' } }] },
  }),
  'master keys of PKCS #11': minimalWith({
    migrations: { mode: 'job', bootstrap: { existingConfigMap: 'signet-bootstrap' } },
    masterKeys: {
      existingSecret: 'signet-master-keys',
      pkcs11: {
        module: '/run/signet/pkcs11-module/libhsm.so',
        existingSecret: 'signet-hsm',
        volume: { persistentVolumeClaim: { claimName: 'hsm-module', readOnly: true } },
        env: { HSM_CONF: '/run/signet/pkcs11-module/hsm.conf' },
        egress: [{ to: [{ ipBlock: { cidr: '10.9.0.7/32' } }], ports: [{ port: 9000, protocol: 'TCP' }] }],
      },
    },
  }),
  'Gateway API': minimalWith({
    trustedProxies: ['10.42.7.0/24'],
    httpRoute: {
      enabled: true,
      parentRefs: [{ name: 'public', namespace: 'gateways', sectionName: 'https' }],
      annotations: { team: 'identity' },
    },
  }),
  'Gateway API and Ingress, plain': minimalWith({
    trustedProxies: ['10.42.7.0/24', 'fd00:7::/64'],
    httpRoute: { enabled: true, parentRefs: [{ name: 'public' }], timeouts: false },
    ingress: { enabled: true, nginxLimits: false, annotations: { team: 'identity' } },
  }),
  'storage with a role of AWS': minimalWith({
    storage: {
      url: 's3://moves/signet',
      region: 'eu-central-1',
      encryption: 'SSE-KMS',
      kmsKeyId: 'alias/moves',
      credentials: 'platform',
    },
    components: Object.fromEntries(
      ['migrationApi', 'migrationWorker'].map((component) => [
        component,
        { serviceAccount: { annotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/moves' } } },
      ]),
    ),
  }),
  'Redis Cluster': minimalWith({
    redis: {
      layout: 'cluster',
      hosts: ['redis-0.redis:7000', 'redis-1.redis:7001'],
      tls: true,
      username: 'signet',
      existingSecret: 'signet-redis',
    },
    queue: {
      redis: {
        layout: 'sentinel',
        hosts: ['sentinel:26379'],
        primaryName: 'queue',
        database: 3,
        userPerService: false,
      },
    },
  }),
  'everything on': minimalWith({
    nameOverride: 'identity',
    commonLabels: { team: 'identity' },
    image: { tag: 'edge', pullPolicy: 'Always' },
    securityContacts: ['mailto:security@example.com', 'https://example.com/report'],
    outboundAllow: ['10.1.0.0/16', '10.2.0.1', 'fd00::1'],
    rateLimits: {
      signIn: 0,
      public: 20,
      management: 300,
      token: 100,
      revocation: 50,
      introspection: 1_000_000,
      userinfo: 200,
    },
    storage: {
      url: 'gs://moves/signet',
      existingSecret: 'signet-storage',
      endpoint: 'https://storage.me-central2.rep.googleapis.com',
    },
    exports: { sealed: true, jobRetentionDays: 90 },
    networkPolicy: {
      operationsFrom: [{ podSelector: {} }],
      dnsTo: [{ namespaceSelector: {} }],
      tracesTo: [{ podSelector: { matchLabels: { app: 'collector' } } }],
    },
    monitoring: {
      podMonitor: { enabled: true, labels: { release: 'prometheus' } },
      probe: {
        enabled: true,
        prober: 'blackbox-exporter.monitoring.svc:9115',
        labels: { release: 'prometheus' },
      },
      rules: { enabled: true, labels: { release: 'prometheus' }, alertLabels: { team: 'identity' } },
      dashboards: { enabled: true, annotations: { 'grafana-folder': 'Identity' } },
      traces: {
        endpoint: 'https://collector.example.com/otlp',
        sampler: 'traceidratio',
        share: '0.25',
        attributes: { 'deployment.environment.name': 'blue, green' },
        existingSecret: 'collector',
      },
    },
    defaults: {
      settings: { SIGNET_RPC_CONNECTION_AGE_SECONDS: '60' },
      autoscaling: { enabled: true, metrics: [{ type: 'Resource', resource: memory() }] },
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }] },
            ],
          },
        },
      },
      nodeSelector: { 'kubernetes.io/os': 'linux' },
      tolerations,
      priorityClassName: 'high',
      schedulerName: 'other',
      runtimeClassName: 'gvisor',
      serviceAccount: { annotations: { team: 'identity' } },
      podAnnotations: { team: 'identity' },
      podLabels: { team: 'identity' },
      service: { annotations: { team: 'identity' }, trafficDistribution: 'PreferSameZone' },
      networkPolicy: {
        extraIngress: [{ from: [{ podSelector: {} }] }],
        extraEgress: [{ ports: [{ port: 4317, protocol: 'TCP' }] }],
      },
      extraVolumes: [{ name: 'more', emptyDir: {} }],
      extraVolumeMounts: [{ name: 'more', mountPath: '/more' }],
      hostAliases: [{ ip: '10.0.0.1', hostnames: ['postgres.example.com'] }],
    },
    test: { existingSecret: 'signet-test' },
    extraObjects: [
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: '{{ .Release.Name }}-more', labels: {} },
        data: { namespace: '{{ .Release.Namespace }}' },
      },
    ],
  }),
}

function memory() {
  return { name: 'memory', target: { type: 'Utilization', averageUtilization: 80 } }
}
