import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BUCKET_SECONDS } from '@signet/http/instrumentation'
import { SERVICE_NAMES } from '@signet/platform/process/service'
import { ENDPOINT_PATHS } from '@signet/protocol/routes'
import type { IConfigMap } from 'kubernetes-models/v1'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import {
  COMPONENT_NAMES,
  DURATION,
  JOB,
  openAlertRules,
  RUNBOOKS,
  readyPods,
  readySeries,
  requests,
  rulesOf,
  type Scenario,
} from './alert-scenarios.ts'
import { ofKind } from './chart-object.ts'
import { renderChart } from './helm.ts'
import { minimalWith } from './values-matrix.ts'

const EXPIRY = 'signet_rpc_certificate_expiry_timestamp_seconds'
const DAY = 86_400

let alerts: Awaited<ReturnType<typeof openAlertRules>>
beforeAll(async () => {
  alerts = await openAlertRules()
})
afterAll(() => alerts.remove())

const shares = (waiting: number, active: number) => ({
  [`signet_migration_queue_shares{${JOB},state="waiting"}`]: `${waiting}x30`,
  [`signet_migration_queue_shares{${JOB},state="active"}`]: `${active}x30`,
})
const attempts = (outcomes: Readonly<Record<string, number>>) =>
  Object.fromEntries(
    Object.entries(outcomes).map(([outcome, count]) => [
      `signet_sign_in_attempts_total{${JOB},factor="password",outcome="${outcome}"}`,
      `0+${count}x30`,
    ]),
  )
const upstream = (outcomes: Readonly<Record<string, number>>) =>
  Object.fromEntries(
    Object.entries(outcomes).map(([outcome, count]) => [
      `signet_upstream_sign_ins_total{${JOB},step="complete",outcome="${outcome}",rule=""}`,
      `0+${count}x30`,
    ]),
  )
const checks = (database: number) => ({
  [`signet_revocation_checks_total{${JOB},source="log"}`]: `0+${100 - database}x30`,
  [`signet_revocation_checks_total{${JOB},source="database"}`]: `0+${database}x30`,
})

const BROKEN = ['introspection', 'jobs', 'sign-in', 'token']

/** Few, as promtool opens a database for each; the scenarios do not affect each other. */
/** Revocations that the service measures, so many each minute in a bucket or below. */
function canaries(reader: string, { within50Ms, within5S }: { within50Ms: number; within5S: number }) {
  const series = (le: string) =>
    `signet_revocation_canary_seconds_bucket{${JOB},pod="a",reader="${reader}",le="${le}"}`
  return {
    [series('0.025')]: `0+${within50Ms}x30`,
    [series('0.05')]: `0+${within50Ms}x30`,
    [series('0.1')]: `0+${within5S}x30`,
    [series('+Inf')]: `0+${within5S}x30`,
  }
}

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'everything fails, or is slow, or waits': {
    given: {
      ...readyPods(30, ['keys', 'login']),
      [readySeries('keys')]: '0x30',
      [readySeries('keys', 'start')]: '0x30',
      [readySeries('login')]: '1x30',
      [readySeries('login', 'redis')]: '0x30',
      'probe_success{job="identity/signet-probe",instance="https://id.example.com/"}': '0x30',
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
      [`signet_audit_unsealed_seconds{${JOB},pod="a",log="grants"}`]: '400x30',
      [`signet_audit_unsealed_seconds{${JOB},pod="a",log="keys"}`]: '1x30',
      [`signet_audit_unsealed_seconds{${JOB},pod="b",log="grants"}`]: '1x30',
      [`signet_audit_chain_changed{${JOB},pod="a",log="grants"}`]: '0x30',
      [`signet_audit_chain_changed{${JOB},pod="a",log="keys"}`]: '0x30',
      [`signet_audit_chain_changed{${JOB},pod="b",log="keys"}`]: '1x30',
      [`signet_key_lease_lag_seconds{${JOB},pod="a"}`]: '600x30',
      [`signet_key_lease_lag_seconds{${JOB},pod="b"}`]: '10x30',
      [`signet_postgres_connections{${JOB},state="waiting",pod="a"}`]: '3x30',
      [`signet_postgres_silent_seconds{${JOB},pod="a"}`]: '31x30',
      [`signet_postgres_silent_seconds{${JOB},pod="b"}`]: '30x30',
      [`signet_clock_offset_seconds{${JOB},pod="a"}`]: '-1.5x30',
      [`signet_clock_offset_seconds{${JOB},pod="b"}`]: '0.9x30',
      ...canaries('token', { within50Ms: 0, within5S: 1 }),
      ...canaries('other', { within50Ms: 1, within5S: 1 }),
      [`signet_endings_recovered_total{${JOB},pod="a"}`]: '0 0 0 2x30',
      [`signet_endings_recovered_total{${JOB},pod="b"}`]: '_ _ _ 2x30',
      [`signet_endings_recovered_total{${JOB},pod="c"}`]: '0x30',
      ...attempts({ accepted: 1, refused: 8, throttled_account: 1 }),
      ...upstream({ done: 2, refused: 1, temporary: 2, declined: 9 }),
      [`signet_upstream_providers_refusing{${JOB},pod="a"}`]: '0x30',
      [`signet_upstream_providers_refusing{${JOB},pod="b"}`]: '1x30',
      [`signet_password_hashes_refused_total{${JOB},pod="a"}`]: '0+3x30',
      [`nodejs_eventloop_lag_p99_seconds{${JOB},pod="a"}`]: '0.5x30',
      [`${EXPIRY}{${JOB},pod="a",certificate="service"}`]: `${6 * DAY}x30`,
      [`${EXPIRY}{${JOB},pod="a",certificate="authority"}`]: `${9 * DAY}x30`,
      ...checks(50),
      ...shares(2, 0),
    },
    at: '25m',
    fires: {
      SignetErrorBudgetBurnsFast: BROKEN.map((slo) => ({ slo, severity: 'critical' })),
      SignetErrorBudgetBurnsSlowly: BROKEN.map((slo) => ({ slo, severity: 'warning' })),
      SignetNoReadyReplica: [{ component: 'keys', severity: 'critical' }],
      SignetDependencyMissing: [{ component: 'login', dependency: 'redis', severity: 'critical' }],
      SignetProbeFails: [
        { job: 'identity/signet-probe', instance: 'https://id.example.com/', severity: 'critical' },
      ],
      SignetPodDown: [{ pod: 'a', severity: 'warning' }],
      SignetKeyRotationOverdue: [{ ring: 'signing', algorithm: 'RS256', severity: 'critical' }],
      SignetKeyLeaseLags: [{ pod: 'a', severity: 'warning' }],
      SignetDatabasePoolExhausted: [{ pod: 'a', state: 'waiting', severity: 'warning' }],
      SignetAuditSealingLags: [{ log: 'grants', severity: 'warning' }],
      SignetAuditChainChanged: [{ log: 'keys', severity: 'critical' }],
      SignetDatabaseSilent: [{ pod: 'a', severity: 'critical' }],
      SignetClockDiffers: [{ pod: 'a', severity: 'warning' }],
      SignetEndingsRecovered: ['a', 'b'].map((pod) => ({ pod, severity: 'warning' })),
      SignetEventLoopLags: [{ pod: 'a', severity: 'warning' }],
      SignetSignInsRefused: [{ severity: 'warning' }],
      SignetUpstreamSignInsRefused: [{ severity: 'warning' }],
      SignetIdentityProviderRefusesEverybody: [{ severity: 'warning' }],
      SignetPasswordQueueFull: [{ severity: 'warning' }],
      SignetRevocationLogBypassed: [{ severity: 'warning' }],
      SignetRevocationSlow: [{ reader: 'token', severity: 'critical' }],
      SignetCertificateExpires: [{ pod: 'a', certificate: 'service', severity: 'critical' }],
      SignetJobsWait: [{ severity: 'warning' }],
    },
  },
  'all is well here, and not in another release; jobs wait for others, requests for a moment': {
    given: {
      ...readyPods(30),
      [readySeries('login', 'redis', 'a')]: '0x30',
      [readySeries('login', 'redis', 'b')]: '1x30',
      'probe_success{job="identity/signet-probe",instance="https://id.example.com/"}': '1x30',
      ...requests('/oauth/v2/keys', 0.1, { failing: 0, slow: 0 }, 30),
      ...requests('/oauth/v2/token', 1, { failing: 0, slow: 0 }, 30),
      [`${DURATION}_count{job="other/signet",route="/oauth/v2/keys",status="5xx"}`]: '0+100x30',
      'up{job="other/signet",pod="a"}': '0x30',
      [`signet_postgres_connections{${JOB},state="waiting",pod="a"}`]:
        '3 3 0 3 3 0 3 3 0 3 3 0 3 3 0 3 3 0 3 3 0',
      [`signet_postgres_silent_seconds{${JOB},pod="a"}`]: '31 0 31 0x30',
      [`signet_clock_offset_seconds{${JOB},pod="a"}`]: '7200 0 7200 0x30',
      ...canaries('token', { within50Ms: 1, within5S: 1 }),
      [`signet_endings_recovered_total{${JOB},pod="a"}`]: '0x30',
      [`signet_audit_chain_changed{${JOB},pod="a",log="keys"}`]: '0x30',
      ...attempts({ accepted: 30, refused: 70 }),
      ...upstream({ done: 6, refused: 4, declined: 90 }),
      [`signet_upstream_providers_refusing{${JOB},pod="a"}`]: '1 1 0 1 1 0 1 1 0 1 1 0 1 1 0 1 1 0 1 1 0',
      [`signet_password_hashes_refused_total{${JOB},pod="a"}`]: '7x30',
      ...checks(5),
      ...shares(9, 4),
    },
    at: '20m',
    fires: {},
  },
  'an outage of the token endpoint is over, the key set fails four times in a thousand': {
    given: {
      ...readyPods(60),
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
    expect(await alerts.promtool('check', 'rules', 'rules.yaml')).toContain('SUCCESS')
  })

  it('fire when they should and only then', async () => {
    expect(new Set(Object.values(SCENARIOS).flatMap(({ fires }) => Object.keys(fires)))).toEqual(
      new Set(alerts.names),
    )
    expect(await alerts.evaluate(SCENARIOS)).toContain('SUCCESS')
  }, 60_000)

  it('watch every component of the chart', () => {
    const rule = alerts.groups
      .flatMap(({ rules = [] }) => rules)
      .find(({ alert }) => alert === 'SignetNoReadyReplica')
    const watched = [...String(rule?.expr).matchAll(/component="([^"]+)"/g)].map(([, name]) => name)
    expect(watched.sort()).toEqual([...COMPONENT_NAMES].sort())
  })

  it('each has a runbook with meaning, diagnosis and actions', async () => {
    const rules = alerts.groups.flatMap(({ rules = [] }) => rules.filter(({ alert }) => alert))
    expect(rules.length).toBeGreaterThan(5)
    for (const { alert, annotations } of rules) {
      const file = annotations?.runbook_url?.slice(RUNBOOKS.length) ?? ''
      const runbook = await readFile(new URL(`../../docs/runbooks/${file}`, import.meta.url), 'utf8')
      for (const part of [alert, '## Meaning', '## Diagnosis', '## Actions']) expect(runbook).toContain(part)
    }
  })

  it('measures requests at endpoints of the suite, within bounds that its histogram has', () => {
    const text = JSON.stringify(alerts.groups)
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
    expect(JSON.stringify(alerts.groups)).toContain('SignetEventLoopLags')
    expect(JSON.stringify(left)).not.toContain('SignetEventLoopLags')
  })
})

interface Dashboard {
  readonly uid: string
  readonly title: string
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly current?: { readonly value: string } }[]
  }
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[]
}

/** The files of the dashboards by name. */
async function dashboardsOf(more: object = {}): Promise<readonly (readonly [string, string])[]> {
  const values = minimalWith({ monitoring: { dashboards: { enabled: true } }, ...more })
  return ofKind<IConfigMap>(await renderChart(values), 'ConfigMap')
    .filter(({ metadata }) => metadata.labels.grafana_dashboard === '1')
    .flatMap(({ data = {} }) => Object.entries(data))
}

describe('dashboards of the chart', () => {
  it('one for the suite and one for each service, with queries that Prometheus accepts', async () => {
    const files = await dashboardsOf()
    expect(files.map(([name]) => name).sort()).toEqual(
      ['overview', ...SERVICE_NAMES].map((name) => `signet-${name}.json`).sort(),
    )
    const queries = files.flatMap(([, text]) =>
      (JSON.parse(text) as Dashboard).panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    )
    for (const query of queries) expect(query).toContain('job="$job"')
    const rules = queries.map((query, index) => ({
      record: `panel:${index}`,
      expr: query.replaceAll('$__rate_interval', '5m').replaceAll('$job', 'identity/signet'),
    }))
    await writeFile(join(alerts.folder, 'panels.yaml'), stringify({ groups: [{ name: 'panels', rules }] }))
    expect(await alerts.promtool('check', 'rules', 'panels.yaml')).toContain(
      `SUCCESS: ${queries.length} rules`,
    )
  })

  it('have a uid, a title and a release of their own for each installation', async () => {
    const parsed = async (more: object = {}) =>
      (await dashboardsOf(more)).map(([, text]) => JSON.parse(text) as Dashboard)
    const [production, staging] = [await parsed(), await parsed({ issuer: 'https://id.staging.example.com' })]
    const uids = [...production, ...staging].map(({ uid }) => uid)
    expect(new Set(uids).size).toBe(16)
    for (const uid of uids) expect(uid).toMatch(/^[a-z0-9-]{1,40}$/)
    expect(staging.map(({ title }) => title)).toContain('Signet id.staging.example.com: overview')
    for (const { templating } of staging) {
      expect(templating.list.map(({ name, current }) => [name, current?.value])).toEqual([
        ['datasource', undefined],
        ['job', 'identity/signet'],
        ['pod', '$__all'],
      ])
    }
  })
})
