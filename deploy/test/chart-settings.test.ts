import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { makeCertificates } from '@signet/grpc/certificates/make-certificates'
import { isServiceName } from '@signet/platform/process/service'
import { readTracingSettings } from '@signet/platform/tracing/tracing-settings'
import { childEnvironment } from '@signet/testing/child-environment'
import { freePort } from '@signet/testing/free-port'
import type { IContainer } from 'kubernetes-models/v1'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { COMPONENTS, hostName } from '../src/suite.ts'
import { podsOf, type RenderedPod } from './chart-object.ts'
import { renderChart } from './helm.ts'
import { MATRIX, minimalWith } from './values-matrix.ts'

const MOUNTS = '/run/signet'
const SECRET = 'a-password'
const MASTER_KEY = Buffer.alloc(32, 7).toString('base64url')

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

let pods: readonly RenderedPod[] = []
beforeAll(async () => {
  pods = await renderChart(MATRIX.production ?? {}).then(podsOf)
})

/** The container of a component, its mounts in a folder of this machine, its variables as the kubelet makes them. */
async function containerOf(
  component: string,
  rendered = pods,
): Promise<{ readonly app: string; readonly env: Record<string, string> }> {
  const pod = rendered.find(({ labels }) => labels['app.kubernetes.io/component'] === hostName(component))
  const [container] = pod?.spec.containers ?? []
  if (container === undefined) throw new Error(`${component} has no container`)
  const app = container.name
  const mounts = mkdtempSync(join(tmpdir(), 'signet-chart-'))
  folders.push(mounts)
  const mount = (path: string, content: string) => {
    mkdirSync(dirname(join(mounts, path)), { recursive: true })
    writeFileSync(join(mounts, path), content)
  }
  const { ca, services } = await makeCertificates({
    now: new Date(),
    days: 1,
    trustPrefix: 'spiffe://identity.example.com/ns/identity/release/signet',
  })
  for (const path of ['mtls/ca.crt', 'postgres/ca.crt', 'redis/ca.crt']) mount(path, ca)
  if (isServiceName(app)) {
    mount('mtls/tls.crt', services[app].certificate)
    mount('mtls/tls.key', services[app].privateKey)
    // Certificates of another use, in files of the same form.
    mount('listener/tls.crt', services[app].certificate)
    mount('listener/tls.key', services[app].privateKey)
    mount('client-authorities/ca.crt', ca)
    for (const name of ['postgres', 'redis', 'redis-sentinel']) mount(`passwords/${name}`, SECRET)
  }
  mount('passwords/smtp-url', 'smtps://user:password@smtp.example.com')
  for (const owner of ['keys', 'directory', 'federation', 'migration', 'login'])
    mount(`master-key/${owner}`, MASTER_KEY)
  for (const name of Object.keys(services)) mount(`role-passwords/${name}`, SECRET)
  mount('database-owner/url', 'postgres://owner@127.0.0.1:1/signet')
  mount('bootstrap/bootstrap.yaml', 'organizations: []\n')
  return { app, env: { ...childEnvironment(), ...variablesOf(container, mounts) } }
}

function variablesOf({ env = [] }: IContainer, mounts: string): Record<string, string> {
  const variables: Record<string, string> = {}
  for (const { name, value, valueFrom } of env) {
    const text = valueFrom?.secretKeyRef ? SECRET : (value ?? '')
    variables[name] = text
      .replaceAll(/\$\((\w+)\)/g, (reference, known: string) => variables[known] ?? reference)
      .replaceAll(MOUNTS, mounts)
  }
  return variables
}

/** Starts an app and answers its first line that matches; its last ones when it ends before. */
async function firstLine(app: string, env: Record<string, string>, wanted: RegExp): Promise<string> {
  const main = fileURLToPath(new URL(`../../apps/${app}/src/main.ts`, import.meta.url))
  const child = spawn(process.execPath, [main], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const lines: string[] = []
  try {
    for await (const line of createInterface({ input: child.stderr })) {
      lines.push(line)
      if (wanted.test(line)) return line
    }
    return lines.join('\n')
  } finally {
    child.kill('SIGKILL')
  }
}

describe('the settings that the chart makes', () => {
  it.each(Object.keys(COMPONENTS))(
    '%s starts with them, and waits for the database that the values name',
    async (component) => {
      const { app, env } = await containerOf(component)
      const ports = { SIGNET_BIND_HOST: '127.0.0.1', SIGNET_OPERATIONS_PORT: `${await freePort()}` }
      const line = await firstLine(app, { ...env, ...ports }, /waiting_for_dependency/)
      expect(line).toMatch(/"dependency":"database".*pooler\.databases\.svc/)
    },
  )

  it('token starts with a port that asks clients for certificates', async () => {
    const rendered = podsOf(await renderChart(MATRIX['client certificates at own ports'] ?? {}))
    const { app, env } = await containerOf('token', rendered)
    expect(env.SIGNET_MTLS_PORT).toBe('8443')
    const ports = { SIGNET_BIND_HOST: '127.0.0.1', SIGNET_OPERATIONS_PORT: `${await freePort()}` }
    const started = await firstLine(app, { ...env, ...ports }, /waiting_for_dependency/)
    expect(started).toContain('"dependency":"database"')
    const withoutKey = { ...env, ...ports, SIGNET_MTLS_KEY: '' }
    expect(await firstLine(app, withoutKey, /SIGNET_MTLS_KEY/)).toContain('needs all of SIGNET_MTLS_ORIGIN')
  })

  it('they send a share of the traces to the collector that the values name', async () => {
    const [pod] = podsOf(await renderChart(MATRIX['everything on'] ?? {}))
    const [container] = pod?.spec.containers ?? []
    const env = variablesOf(container ?? { name: '' }, MOUNTS)
    expect(env.OTEL_EXPORTER_OTLP_HEADERS).toBe(SECRET)
    const headers = { OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a' }
    expect(readTracingSettings({ ...env, ...headers }, { service: 'signet-x', version: '1' })).toMatchObject({
      url: 'https://collector.example.com/otlp/v1/traces',
      sampler: 'traceidratio',
      share: 0.25,
      resource: { 'service.namespace': 'identity', 'deployment.environment.name': 'blue, green' },
    })
  })

  it.each([
    [
      'storage with a role of AWS',
      {
        SIGNET_STORAGE_URL: 's3://moves/signet',
        SIGNET_STORAGE_CREDENTIALS: 'platform',
        SIGNET_STORAGE_S3_REGION: 'eu-central-1',
        SIGNET_STORAGE_S3_ENCRYPTION: 'SSE-KMS',
        SIGNET_STORAGE_S3_KMS_KEY_ID: 'alias/moves',
      },
    ],
    [
      'everything on',
      {
        SIGNET_STORAGE_URL: 'gs://moves/signet',
        SIGNET_STORAGE_GCS_ENDPOINT: 'https://storage.me-central2.rep.googleapis.com',
        SIGNET_STORAGE_GCS_SERVICE_ACCOUNT: SECRET,
        SIGNET_MIGRATION_SEALED_EXPORTS: 'on',
        SIGNET_MIGRATION_JOB_RETENTION_DAYS: '90',
      },
    ],
  ])('%s: both components of migration have the settings of exports', async (values, expected) => {
    const own = podsOf(await renderChart(MATRIX[values] ?? {})).filter(({ labels }) =>
      ['migration-api', 'migration-worker'].includes(labels['app.kubernetes.io/component'] ?? ''),
    )
    expect(own).toHaveLength(2)
    for (const { spec } of own) {
      const env = variablesOf(spec.containers[0] ?? { name: '' }, MOUNTS)
      const found = Object.entries(env).filter(([name]) => /^SIGNET_(STORAGE|MIGRATION_[SJ])/.test(name))
      expect(Object.fromEntries(found)).toEqual(expected)
    }
  })

  it('directory alone gets the SMTP server, and with migration and token the networks that may be called', () => {
    for (const [component, { app, outbound }] of Object.entries(COMPONENTS)) {
      const pod = pods.find(({ labels }) => labels['app.kubernetes.io/component'] === hostName(component))
      const env = variablesOf(pod?.spec.containers[0] ?? { name: '' }, MOUNTS)
      const found = Object.entries(env).filter(([name]) => /^SIGNET_(SMTP|OUTBOUND)/.test(name))
      expect(Object.fromEntries(found), component).toEqual({
        ...(outbound && { SIGNET_OUTBOUND_ALLOW: '10.8.0.0/16' }),
        ...(app === 'directory' && {
          SIGNET_SMTP_URL_FILE: '/run/signet/passwords/smtp-url',
          SIGNET_SMTP_SENDER: 'Example <id@example.com>',
          SIGNET_SMTP_DAILY_LIMIT: '1000',
        }),
      })
    }
  })

  it('keys alone gets the contacts for security.txt', async () => {
    for (const { labels, spec } of podsOf(await renderChart(MATRIX['everything on'] ?? {}))) {
      const env = variablesOf(spec.containers[0] ?? { name: '' }, MOUNTS)
      expect(env.SIGNET_SECURITY_CONTACT).toBe(
        labels['app.kubernetes.io/component'] === 'keys'
          ? 'mailto:security@example.com,https://example.com/report'
          : undefined,
      )
    }
  })

  it('a rate limit of a million is written in digits', async () => {
    const pod = podsOf(await renderChart(MATRIX['everything on'] ?? {})).find(
      ({ labels }) => labels['app.kubernetes.io/component'] === 'introspection',
    )
    const env = variablesOf(pod?.spec.containers[0] ?? { name: '' }, MOUNTS)
    expect(env.SIGNET_RATE_LIMIT_INTROSPECTION).toBe('1000000')
  })

  it('migrate runs with them, as the owner of the database', async () => {
    const { app, env } = await containerOf('migrate')
    expect(await firstLine(app, env, /^migrate: /)).toBe(
      'migrate: PostgreSQL at 127.0.0.1:1 cannot be used: connect ECONNREFUSED 127.0.0.1:1',
    )
  })
})

it('writes truth values and numbers of settings as the services read them', async () => {
  const settings = {
    SIGNET_SIGN_IN_NOTICES: false,
    SIGNET_OWN_ACCOUNT_DELETION: true,
    SIGNET_SMTP_DAILY_LIMIT: 100_000,
  }
  const text = JSON.stringify(await renderChart(minimalWith({ components: { directory: { settings } } })))
  expect(text).toContain('{"name":"SIGNET_SIGN_IN_NOTICES","value":"off"}')
  expect(text).toContain('{"name":"SIGNET_OWN_ACCOUNT_DELETION","value":"on"}')
  expect(text).toContain('{"name":"SIGNET_SMTP_DAILY_LIMIT","value":"100000"}')
})
