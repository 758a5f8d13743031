import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { helm } from './helm.ts'
import { minimal, minimalWith } from './values-matrix.ts'

const chart = new URL('../helm/signet/', import.meta.url)

async function refusal(values: Readonly<Record<string, unknown>>): Promise<string> {
  const { code, problems } = await helm(['template', 'signet'], values)
  expect(code).not.toBe(0)
  return problems
}

describe('values of the chart', () => {
  it('reports all missing values without a default at once', async () => {
    const problems = await refusal({})
    for (const place of [
      'issuer: is ',
      'image.repository: is ',
      'postgres.host: is ',
      'postgres.existingSecret: is ',
      'redis.hosts: is ',
      'masterKeys.existingSecret: is ',
      'migrations.existingSecret: is ',
    ]) {
      expect(problems).toContain(place)
    }
  })

  it('a misspelt name is refused at every depth, in every component', async () => {
    const components = Object.keys(parse(readFileSync(new URL('values.yaml', chart), 'utf8')).components)
    expect(components.length).toBeGreaterThan(5)
    const problems = await refusal(
      minimalWith({
        replicas: 3,
        defaults: { probes: { readiness: { periodSecond: 1 } } },
        components: {
          ...Object.fromEntries(components.map((name) => [name, { [`replicasOf${name}`]: 3 }])),
          tokens: {},
        },
      }),
    )
    for (const name of [
      'replicas',
      'periodSecond',
      'tokens',
      ...components.map((own) => `replicasOf${own}`),
    ]) {
      expect(problems).toContain(`additional properties '${name}' not allowed`)
    }
  })

  it.each([
    [
      'an issuer that is not https',
      { issuer: 'http://id.example.com' },
      'issuer: is "http://id.example.com"; it must be the public https origin',
    ],
    [
      'an issuer with a path',
      { issuer: 'https://id.example.com/auth' },
      'without a path and without a slash',
    ],
    ['an issuer with a slash at the end', { issuer: 'https://id.example.com/' }, 'issuer: is '],
    ['Sentinel without a primary', { redis: { layout: 'sentinel' } }, '/redis/primaryName'],
    ['a numbered database of a Cluster', { redis: { layout: 'cluster', database: 1 } }, '/redis/database'],
    ['two servers that are no Cluster', { redis: { hosts: ['a:1', 'b:2'] } }, '/redis/hosts'],
    ['certificates from nowhere', { mtls: { certManager: { enabled: false } } }, '/mtls/existingSecrets'],
    ['an Ingress whose pods are not named', { ingress: { enabled: true } }, 'trustedProxies: is empty'],
    [
      'a Gateway whose pods are not named',
      { httpRoute: { enabled: true, parentRefs: [{ name: 'public' }] } },
      'trustedProxies: is empty',
    ],
    ['a contact that is no URI', { securityContacts: ['security@example.com'] }, '/securityContacts/0'],
    ['everybody as a proxy', { trustedProxies: ['0.0.0.0/0'] }, '/trustedProxies/0'],
    ['routes that attach to nothing', { httpRoute: { enabled: true } }, '/httpRoute/parentRefs'],
    [
      'two bootstrap files',
      { migrations: { bootstrap: { existingSecret: 'a', existingConfigMap: 'b' } } },
      '/migrations/bootstrap',
    ],
    ['a storage without a key', { storage: { url: 's3://bucket' } }, '/storage/existingSecret'],
    [
      'a storage with keys and those of the platform',
      { storage: { url: 's3://bucket', credentials: 'platform', existingSecret: 'a' } },
      '/storage/existingSecret',
    ],
    [
      'encryption of S3 at Google',
      { storage: { url: 'gs://bucket', existingSecret: 'a', encryption: 'SSE-S3' } },
      '/storage/encryption',
    ],
    [
      'a KMS key without SSE-KMS',
      { storage: { url: 's3://bucket', existingSecret: 'a', encryption: 'SSE-S3', kmsKeyId: 'key' } },
      '/storage/encryption',
    ],
    ['a retention of no days', { exports: { jobRetentionDays: 0 } }, '/exports/jobRetentionDays'],
    ['a storage of no kind', { storage: { url: 'https://bucket', existingSecret: 'a' } }, '/storage/url'],
    ['an SMTP server without a sender', { smtp: { existingSecret: 'a' } }, 'smtp.sender: is empty'],
    [
      'a sender without an SMTP server',
      { smtp: { sender: 'id@example.com' } },
      'smtp.existingSecret: is empty',
    ],
    [
      'SMTP servers on every port',
      { networkPolicy: { outbound: { smtpPorts: [] } } },
      '/networkPolicy/outbound/smtpPorts',
    ],
    ['a network that is none', { outboundAllow: ['example.com'] }, '/outboundAllow/0'],
    [
      'a secret from no store',
      { externalSecrets: { keys: { 'signet-postgres': 'identity/postgres' } } },
      '/externalSecrets/storeRef/name',
    ],
    [
      'a Secret that the Job before the installation needs and the installation makes',
      {
        externalSecrets: {
          storeRef: { name: 'vault' },
          keys: { 'signet-database-owner': 'identity/database-owner' },
        },
      },
      'set migrations.mode to job',
    ],
    [
      'a bootstrap whose master keys come after it',
      {
        externalSecrets: {
          storeRef: { name: 'vault' },
          keys: { 'signet-master-keys': 'identity/master-keys' },
        },
        migrations: { bootstrap: { existingConfigMap: 'signet-bootstrap' } },
      },
      'externalSecrets.keys makes signet-master-keys',
    ],
    ['KEDA without figures', { keda: { enabled: true } }, '/keda/prometheus'],
    [
      'KEDA without a PodMonitor',
      { keda: { enabled: true, prometheus: 'http://prometheus:9090' } },
      'keda.enabled without monitoring.podMonitor.enabled',
    ],
    [
      'KEDA with less at most than at least',
      {
        keda: { enabled: true, prometheus: 'http://prometheus:9090', minReplicas: 11 },
        monitoring: { podMonitor: { enabled: true } },
      },
      'keda.maxReplicas (10) is less than keda.minReplicas (11)',
    ],
    [
      'two scalers of the workers',
      {
        keda: { enabled: true, prometheus: 'http://prometheus:9090' },
        components: { migrationWorker: { autoscaling: { enabled: true } } },
      },
      'two scalers of one Deployment',
    ],
    ['a probe by no exporter', { monitoring: { probe: { enabled: true } } }, '/monitoring/probe/prober'],
    ['a share above one', { monitoring: { traces: { share: '1.5' } } }, '/monitoring/traces/share'],
    ['a sampler that is none', { monitoring: { traces: { sampler: 'some' } } }, '/monitoring/traces/sampler'],
    ['a digest that is none', { image: { digests: { token: 'latest' } } }, '/image/digests/token'],
    [
      'no preStop, without which requests are lost',
      { defaults: { drain: { preStopSeconds: 0 } } },
      'preStopSeconds',
    ],
    ['a setting that is none of ours', { defaults: { settings: { PATH: '/' } } }, "'PATH' does not match"],
  ])('%s is refused', async (_, change, place) => {
    expect(await refusal(minimalWith(change))).toContain(place)
  })

  it('the schema refers to no external file (flipt#281)', () => {
    const schema = readFileSync(new URL('values.schema.json', chart), 'utf8')
    const references = [...schema.matchAll(/"\$ref": "([^"]*)"/g)].map(([, reference]) => reference)
    expect(references.length).toBeGreaterThan(0)
    for (const reference of references) expect(reference).toMatch(/^#\/\$defs\//)
  })

  it('the version of the application is that of the repository', () => {
    const manifest = JSON.parse(readFileSync(new URL('../../../package.json', chart), 'utf8'))
    expect(parse(readFileSync(new URL('Chart.yaml', chart), 'utf8')).appVersion).toBe(manifest.version)
  })

  it('NOTES list the remaining steps', async () => {
    const { output } = await helm(['install', 'signet', '--dry-run=client'], minimal)
    expect(output).toContain('helm test signet --namespace identity')
    expect(output).toContain('Nothing leads to the public paths yet')
    expect(output).toContain('X-Forwarded-For is not believed')
    expect(output).toContain('No bootstrap file is named')
  })

  it('NOTES name the one permission that reviews of tokens need, for the accounts that the pods have', async () => {
    const values = {
      tokenReview: { issuer: 'https://kubernetes.default.svc.cluster.local' },
      components: { token: { serviceAccount: { name: 'of-the-platform' } } },
    }
    const { output } = await helm(['install', 'signet', '--dry-run=client'], minimalWith(values))
    const accounts = [...output.matchAll(/--serviceaccount=(\S+)/g)].map(([, account]) => account)
    expect(accounts).toEqual([
      'identity:of-the-platform',
      'identity:signet-introspection',
      'identity:signet-login',
    ])
    expect(output).toContain('--verb=create --resource=tokenreviews.authentication.k8s.io')
    expect(output).not.toContain('system:auth-delegator')
  })

  it('NOTES say how the operator signs in', async () => {
    const bootstrap = { migrations: { bootstrap: { existingSecret: 'signet-bootstrap' } } }
    const { output } = await helm(['install', 'signet', '--dry-run=client'], minimalWith(bootstrap))
    expect(output).toContain('signet login --issuer https://id.example.com')
    expect(output).toContain('with the role IAM_OWNER in the bootstrap file')
    expect(output).not.toContain('No bootstrap file is named')
  })
})
