import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { IPrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule'
import { BUCKET_SECONDS } from '@signet/http/instrumentation'
import { SERVICE_NAMES } from '@signet/platform/process/service'
import { ENDPOINT_PATHS } from '@signet/protocol/routes'
import type { IConfigMap } from 'kubernetes-models/v1'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { ofKind } from './chart-object.ts'
import { renderChart } from './helm.ts'
import { minimalWith } from './values-matrix.ts'

const RUNBOOKS = 'https://example.com/runbooks/'
const JOB = 'job="identity/signet"'
const DURATION = 'signet_http_request_duration_seconds'
const EXPIRY = 'signet_rpc_certificate_expiry_timestamp_seconds'
const DAY = 86_400

let folder: string
let groups: NonNullable<NonNullable<IPrometheusRule['spec']>['groups']>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signet-rules-'))
  groups = await rulesOf({ alertLabels: { team: 'identity' } })
  await writeFile(join(folder, 'rules.yaml'), stringify({ groups }))
})
afterAll(() => rm(folder, { recursive: true }))

const monitored = (monitoring: object) => renderChart(minimalWith({ monitoring }))

async function rulesOf(rules: object) {
  const objects = await monitored({ rules: { enabled: true, runbooks: RUNBOOKS, ...rules } })
  const [object] = ofKind<IPrometheusRule>(objects, 'PrometheusRule')
  return object?.spec?.groups ?? []
}

async function promtool(...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('promtool', args, { cwd: folder })
  return stdout
}

interface Scenario {
  /** Series → values, a minute apart, in the notation of promtool. */
  readonly given: Readonly<Record<string, string>>
  readonly at: string
  /** By alert the labels of those that fire then, besides those that every alert has. */
  readonly fires: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>>
}

/** A hundred requests a minute to one route for as long as it says, some of them failing or slow. */
function requests(route: string, le: number, bad: { failing: number; slow: number }, minutes: number) {
  const well = 100 - bad.failing
  return {
    [`${DURATION}_count{${JOB},route="${route}",status="2xx"}`]: `0+${well}x${minutes}`,
    [`${DURATION}_bucket{${JOB},route="${route}",status="2xx",le="${le}"}`]: `0+${well - bad.slow}x${minutes}`,
    [`${DURATION}_count{${JOB},route="${route}",status="5xx"}`]: `0+${bad.failing}x${minutes}`,
    [`${DURATION}_bucket{${JOB},route="${route}",status="5xx",le="${le}"}`]: `0+${bad.failing}x${minutes}`,
  }
}

const shares = (waiting: number, active: number) => ({
  [`signet_migration_queue_shares{${JOB},state="waiting"}`]: `${waiting}x30`,
  [`signet_migration_queue_shares{${JOB},state="active"}`]: `${active}x30`,
})
const checks = (database: number) => ({
  [`signet_revocation_checks_total{${JOB},source="log"}`]: `0+${100 - database}x30`,
  [`signet_revocation_checks_total{${JOB},source="database"}`]: `0+${database}x30`,
})

const BROKEN = ['introspection', 'jobs', 'sign-in', 'token']

/** Few, as promtool opens a database for each; the scenarios do not affect each other. */
const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'everything fails, or is slow, or waits': {
    given: {
      ...requests('/oauth/v2/token', 1, { failing: 2, slow: 0 }, 30),
      ...requests('/oauth/v2/introspect', 0.1, { failing: 0, slow: 2 }, 30),
      [`${DURATION}_count{${JOB},route="/ui/login",status="5xx"}`]: '0+1x30',
      [`${DURATION}_count{${JOB},route="/ui/applications",status="2xx"}`]: '0+1x30',
      [`signet_migration_runs_total{${JOB},outcome="failed"}`]: '0+2x30',
      [`signet_migration_runs_total{${JOB},outcome="ended"}`]: '0+8x30',
      [`up{${JOB},pod="a"}`]: '0x30',
      [`up{${JOB},pod="b"}`]: '1x30',
      [`signet_key_next_switch_seconds{${JOB},pod="a",ring="signing",algorithm="RS256"}`]: '100-60x30',
      [`signet_key_next_switch_seconds{${JOB},pod="a",ring="signing",algorithm="ES256"}`]: '100-60x30',
      [`signet_key_next_switch_seconds{${JOB},pod="b",ring="signing",algorithm="ES256"}`]: '9000-60x30',
      [`signet_key_lease_lag_seconds{${JOB},pod="a"}`]: '600x30',
      [`signet_key_lease_lag_seconds{${JOB},pod="b"}`]: '10x30',
      [`signet_postgres_connections{${JOB},state="waiting",pod="a"}`]: '3x30',
      [`signet_postgres_silent_seconds{${JOB},pod="a"}`]: '31x30',
      [`signet_postgres_silent_seconds{${JOB},pod="b"}`]: '30x30',
      [`signet_endings_recovered_total{${JOB},pod="a"}`]: '0 0 0 2x30',
      [`signet_endings_recovered_total{${JOB},pod="b"}`]: '_ _ _ 2x30',
      [`signet_endings_recovered_total{${JOB},pod="c"}`]: '0x30',
      [`nodejs_eventloop_lag_p99_seconds{${JOB},pod="a"}`]: '0.5x30',
      [`${EXPIRY}{${JOB},pod="a",certificate="service"}`]: `${6 * DAY}x30`,
      [`${EXPIRY}{${JOB},pod="a",certificate="authority"}`]: `${9 * DAY}x30`,
      ...checks(50),
      ...shares(2, 0),
    },
    at: '20m',
    fires: {
      SignetErrorBudgetBurnsFast: BROKEN.map((slo) => ({ slo, severity: 'critical' })),
      SignetErrorBudgetBurnsSlowly: BROKEN.map((slo) => ({ slo, severity: 'warning' })),
      SignetPodDown: [{ pod: 'a', severity: 'warning' }],
      SignetKeyRotationOverdue: [{ ring: 'signing', algorithm: 'RS256', severity: 'critical' }],
      SignetKeyLeaseLags: [{ pod: 'a', severity: 'warning' }],
      SignetDatabasePoolExhausted: [{ pod: 'a', state: 'waiting', severity: 'warning' }],
      SignetDatabaseSilent: [{ pod: 'a', severity: 'critical' }],
      SignetEndingsRecovered: ['a', 'b'].map((pod) => ({ pod, severity: 'warning' })),
      SignetEventLoopLags: [{ pod: 'a', severity: 'warning' }],
      SignetRevocationLogBypassed: [{ severity: 'warning' }],
      SignetCertificateExpires: [{ pod: 'a', certificate: 'service', severity: 'critical' }],
      SignetJobsWait: [{ severity: 'warning' }],
    },
  },
  'all is well here, and not in another release; jobs wait for others, requests for a moment': {
    given: {
      ...requests('/oauth/v2/keys', 0.1, { failing: 0, slow: 0 }, 30),
      ...requests('/oauth/v2/token', 1, { failing: 0, slow: 0 }, 30),
      [`${DURATION}_count{job="other/signet",route="/oauth/v2/keys",status="5xx"}`]: '0+100x30',
      'up{job="other/signet",pod="a"}': '0x30',
      [`signet_postgres_connections{${JOB},state="waiting",pod="a"}`]:
        '3 3 0 3 3 0 3 3 0 3 3 0 3 3 0 3 3 0 3 3 0',
      [`signet_postgres_silent_seconds{${JOB},pod="a"}`]: '31 0 31 0x30',
      [`signet_endings_recovered_total{${JOB},pod="a"}`]: '0x30',
      ...checks(5),
      ...shares(9, 4),
    },
    at: '20m',
    fires: {},
  },
  'an outage of the token endpoint is over, the key set fails four times in a thousand': {
    given: {
      [`${DURATION}_count{${JOB},route="/oauth/v2/token",status="5xx"}`]: '0+100x10 1000x50',
      [`${DURATION}_count{${JOB},route="/oauth/v2/token",status="2xx"}`]: '0x10 0+100x50',
      [`${DURATION}_bucket{${JOB},route="/oauth/v2/token",status="2xx",le="1"}`]: '0x10 0+100x50',
      [`${DURATION}_count{${JOB},route="/oauth/v2/keys",status="5xx"}`]: '0+4x60',
      [`${DURATION}_count{${JOB},route="/oauth/v2/keys",status="2xx"}`]: '0+1996x60',
      [`${DURATION}_bucket{${JOB},route="/oauth/v2/keys",status="2xx",le="0.1"}`]: '0+1996x60',
    },
    at: '55m',
    fires: {
      SignetErrorBudgetBurnsSlowly: ['key-set', 'token'].map((slo) => ({ slo, severity: 'warning' })),
    },
  },
}

describe('alert rules of the chart', () => {
  it('are such as Prometheus takes', async () => {
    expect(await promtool('check', 'rules', 'rules.yaml')).toContain('SUCCESS')
  })

  it('fire when they should and only then', async () => {
    const names = groups.flatMap(({ rules = [] }) => rules.flatMap(({ alert }) => alert ?? []))
    const tests = Object.entries(SCENARIOS).map(([name, { given, at, fires }]) => ({
      name,
      interval: '1m',
      input_series: Object.entries(given).map(([series, values]) => ({ series, values })),
      alert_rule_test: names.map((alertname) => ({
        alertname,
        eval_time: at,
        exp_alerts: (fires[alertname] ?? []).map((own) => expected(alertname, own)),
      })),
    }))
    expect(new Set(Object.values(SCENARIOS).flatMap(({ fires }) => Object.keys(fires)))).toEqual(
      new Set(names),
    )
    await writeFile(
      join(folder, 'tests.yaml'),
      stringify({ rule_files: ['rules.yaml'], evaluation_interval: '1m', tests }),
    )
    expect(await promtool('test', 'rules', 'tests.yaml')).toContain('SUCCESS')
  }, 30_000)

  it('each has a runbook with meaning, diagnosis and actions', async () => {
    const alerts = groups.flatMap(({ rules = [] }) => rules.filter(({ alert }) => alert))
    expect(alerts.length).toBeGreaterThan(5)
    for (const { alert, annotations } of alerts) {
      const file = annotations?.runbook_url?.slice(RUNBOOKS.length) ?? ''
      const runbook = await readFile(new URL(`../../docs/runbooks/${file}`, import.meta.url), 'utf8')
      for (const part of [alert, '## Meaning', '## Diagnosis', '## Actions']) expect(runbook).toContain(part)
    }
  })

  it('measures requests at endpoints of the suite, within bounds that its histogram has', () => {
    const text = JSON.stringify(groups)
    const routes = new Set(
      [...text.matchAll(/route=~\\"([^"\\]+)/g)].flatMap(([, routes = '']) => routes.split('|/')),
    )
    const { authorize, token, introspect, keys, discovery } = ENDPOINT_PATHS
    for (const path of [authorize, token, introspect, keys, discovery]) {
      expect([...routes].map((route) => route.replace(/^(?!\/)/, '/'))).toContain(path)
    }
    for (const [, bound] of text.matchAll(/le=\\"([\d.]+)/g)) expect(BUCKET_SECONDS).toContain(Number(bound))
  })

  it('those that are disabled are left out', async () => {
    const left = await rulesOf({ disabled: ['SignetEventLoopLags'] })
    expect(JSON.stringify(groups)).toContain('SignetEventLoopLags')
    expect(JSON.stringify(left)).not.toContain('SignetEventLoopLags')
  })

  /** An alert as promtool compares it: every alert that a case is about has a rule with annotations. */
  function expected(alert: string, own: Readonly<Record<string, string>>) {
    const rule = groups.flatMap(({ rules = [] }) => rules).find((candidate) => candidate.alert === alert)
    const perRelease = ['slo', 'pod'].some((label) => label in own)
    const labels: Record<string, string> = {
      ...(perRelease && { job: 'identity/signet' }),
      team: 'identity',
      ...own,
    }
    const filled = (text: string) =>
      text.replaceAll(/{{ \$labels\.(\w+) }}/g, (_, label) => labels[label] ?? '')
    return {
      exp_labels: labels,
      exp_annotations: Object.fromEntries(
        Object.entries(rule?.annotations ?? {}).map(([name, text]) => [name, filled(String(text))]),
      ),
    }
  }
})

interface Dashboard {
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[]
}

describe('dashboards of the chart', () => {
  it('one for the suite and one for each service, with queries that Prometheus accepts', async () => {
    const maps = ofKind<IConfigMap>(await monitored({ dashboards: { enabled: true } }), 'ConfigMap')
    const files = maps
      .filter(({ metadata }) => metadata.labels.grafana_dashboard === '1')
      .flatMap(({ data = {} }) => Object.entries(data))
    expect(files.map(([name]) => name).sort()).toEqual(
      ['overview', ...SERVICE_NAMES].map((name) => `signet-${name}.json`).sort(),
    )
    const queries = files.flatMap(([, text]) =>
      (JSON.parse(text) as Dashboard).panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    )
    for (const query of queries) expect(query).toContain(JOB)
    const rules = queries.map((query, index) => ({
      record: `panel:${index}`,
      expr: query.replaceAll('$__rate_interval', '5m'),
    }))
    await writeFile(join(folder, 'panels.yaml'), stringify({ groups: [{ name: 'panels', rules }] }))
    expect(await promtool('check', 'rules', 'panels.yaml')).toContain(`SUCCESS: ${queries.length} rules`)
  })
})
