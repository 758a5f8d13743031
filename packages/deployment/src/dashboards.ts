import type { Dashboard, Panel as GrafanaPanel } from '@grafana/schema'
import { COMPONENTS, hostName } from './components.ts'
import { JOB } from './objectives.ts'

interface Panel {
  readonly title: string
  readonly unit: string
  /** Legend → PromQL. */
  readonly series: Readonly<Record<string, string>>
}

const DURATION = 'signet_http_request_duration_seconds'
const WINDOW = '[$__rate_interval]'

/** The pods that a dashboard is about, as the beginning of a selector; all of the release without names. */
const podsOf = (components: readonly string[]) =>
  components.length === 0 ? JOB : `${JOB},component=~"${components.join('|')}"`

function requestPanels(pods: string, by: string): readonly Panel[] {
  const rate = (selector: string) => `sum by (${by}) (rate(${DURATION}_count{${pods}${selector}}${WINDOW}))`
  const quantile = (share: number) =>
    `histogram_quantile(${share}, sum by (le, ${by}) (rate(${DURATION}_bucket{${pods}}${WINDOW})))`
  const legend = by.split(', ').map((label) => `{{${label}}}`)
  return [
    { title: 'Requests', unit: 'reqps', series: { [legend.join(' ')]: rate('') } },
    {
      title: 'Answers with 5xx, and clients that left',
      unit: 'reqps',
      series: { [legend.join(' ')]: rate(',status=~"5xx|gone"') },
    },
    { title: 'Duration, median', unit: 's', series: { [legend.join(' ')]: quantile(0.5) } },
    { title: 'Duration, 99 %', unit: 's', series: { [legend.join(' ')]: quantile(0.99) } },
  ]
}

/** Calls of the other services. */
function callPanels(pods: string): readonly Panel[] {
  const metric = 'signet_rpc_request_duration_seconds'
  return [
    {
      title: 'Calls',
      unit: 'reqps',
      series: { '{{method}}': `sum by (method) (rate(${metric}_count{${pods}}${WINDOW}))` },
    },
    {
      title: 'Calls that failed',
      unit: 'reqps',
      series: {
        '{{method}} {{code}}': `sum by (method, code) (rate(${metric}_count{${pods},code!="OK"}${WINDOW}))`,
      },
    },
    {
      title: 'Duration of calls, 99 %',
      unit: 's',
      series: {
        '{{method}}': `histogram_quantile(0.99, sum by (le, method) (rate(${metric}_bucket{${pods}}${WINDOW})))`,
      },
    },
  ]
}

function processPanels(pods: string): readonly Panel[] {
  return [
    {
      title: 'CPU',
      unit: 'short',
      series: { '{{pod}}': `rate(process_cpu_seconds_total{${pods}}${WINDOW})` },
    },
    { title: 'Memory', unit: 'bytes', series: { '{{pod}}': `process_resident_memory_bytes{${pods}}` } },
    {
      title: 'Event loop lag, 99 %',
      unit: 's',
      series: { '{{pod}}': `nodejs_eventloop_lag_p99_seconds{${pods}}` },
    },
    {
      title: 'PostgreSQL connections',
      unit: 'short',
      series: { '{{state}}': `sum by (state) (signet_postgres_connections{${pods}})` },
    },
    {
      title: 'Until certificates end',
      unit: 's',
      series: {
        '{{pod}} {{certificate}}': `signet_rpc_certificate_expiry_timestamp_seconds{${pods}} - time()`,
      },
    },
    {
      title: 'Processes, by version',
      unit: 'short',
      series: {
        '{{service}} {{version}}': `count by (service, version) (signet_build_info{${pods}})`,
      },
    },
  ]
}

const revocationChecks = (pods: string): Panel => ({
  title: 'Checks for revocation, by source',
  unit: 'ops',
  series: { '{{source}}': `sum by (source) (rate(signet_revocation_checks_total{${pods}}${WINDOW}))` },
})
const revocationSet = (pods: string): Panel => ({
  title: 'Endings in the revocation set',
  unit: 'short',
  series: { '{{pod}}': `signet_revocation_set_endings{${pods}}` },
})
const revocationPollAge = (pods: string): Panel => ({
  title: 'Age of the last poll for endings',
  unit: 's',
  series: { '{{pod}}': `signet_revocation_poll_age_seconds{${pods}}` },
})
const keyLease = (pods: string): Panel => ({
  title: 'Last word from keys',
  unit: 's',
  series: { '{{pod}}': `signet_key_lease_lag_seconds{${pods}}` },
})

/** The panels that only one service has, by its name. */
const OWN_PANELS: Readonly<Record<string, (pods: string) => readonly Panel[]>> = {
  login: (pods) => [revocationChecks(pods), revocationPollAge(pods)],
  introspection: (pods) => [
    revocationChecks(pods),
    revocationSet(pods),
    revocationPollAge(pods),
    keyLease(pods),
  ],
  token: (pods) => [
    ...requestPanels(`${pods},grant_type!=""`, 'grant_type').map((panel) => ({
      ...panel,
      title: `${panel.title}, by grant`,
    })),
    revocationChecks(pods),
    revocationPollAge(pods),
    keyLease(pods),
    {
      title: 'Signatures',
      unit: 'ops',
      series: {
        '{{algorithm}} {{kid}}': `sum by (algorithm, kid) (rate(signet_key_signatures_total{${pods}}${WINDOW}))`,
      },
    },
    {
      title: 'Back-channel logouts',
      unit: 'ops',
      series: { '{{outcome}}': `sum by (outcome) (rate(signet_logout_deliveries_total{${pods}}${WINDOW}))` },
    },
  ],
  keys: (pods) => [
    {
      title: 'Age of the active key',
      unit: 's',
      series: {
        '{{ring}} {{algorithm}}': `max by (ring, algorithm) (signet_key_active_age_seconds{${pods}})`,
      },
    },
    {
      title: 'Until the next key takes over',
      unit: 's',
      series: {
        '{{ring}} {{algorithm}}': `max by (ring, algorithm) (signet_key_next_switch_seconds{${pods}})`,
      },
    },
  ],
  migration: (pods) => [
    {
      title: 'Shares of jobs in the queue',
      unit: 'short',
      series: { '{{state}}': `max by (state) (signet_migration_queue_shares{${pods}})` },
    },
    {
      title: 'Runs of jobs',
      unit: 'ops',
      series: { '{{outcome}}': `sum by (outcome) (rate(signet_migration_runs_total{${pods}}${WINDOW}))` },
    },
  ],
}

const budgets: Panel = {
  title: 'Burn rate of the error budgets; 1 spends exactly the budget',
  unit: 'short',
  series: { '{{slo}}': `signet:slo_burn_rate:1h{${JOB}}` },
}

/** `files/dashboards.json` of the chart: a Grafana dashboard for the suite and one for each service, by name. */
export function dashboards(): string {
  const services = [...new Set(Object.values(COMPONENTS).map(({ app }) => app))]
  const boards = {
    overview: dashboard('overview', [
      budgets,
      ...requestPanels(podsOf([]), 'component'),
      ...processPanels(podsOf([])),
    ]),
    ...Object.fromEntries(services.map((service) => [service, dashboard(service, panelsOf(service))])),
  }
  return `${JSON.stringify(boards, null, 1)}\n`
}

function panelsOf(service: string): readonly Panel[] {
  const components = Object.entries(COMPONENTS).flatMap(([name, { app }]) =>
    app === service ? [hostName(name)] : [],
  )
  const pods = podsOf(components)
  const isCalled = Object.values(COMPONENTS).some(({ app, rpc }) => app === service && rpc)
  return [
    ...requestPanels(pods, 'method, route'),
    ...(isCalled ? callPanels(pods) : []),
    ...(OWN_PANELS[service]?.(pods) ?? []),
    ...processPanels(pods),
  ]
}

const WIDTH = 12
const HEIGHT = 8

// Grafana asks for the one that its reader has chosen.
const DATASOURCE = { type: 'prometheus', uid: '$datasource' }

function dashboard(name: string, panels: readonly Panel[]): Dashboard {
  return {
    title: `Signet: ${name}`,
    uid: `signet-${name}`,
    tags: ['signet'],
    schemaVersion: 39,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: { list: [{ name: 'datasource', type: 'datasource', query: 'prometheus' }] },
    panels: panels.map(placed),
  }
}

/** Two in a row, in the order of the list. */
function placed({ title, unit, series }: Panel, index: number): GrafanaPanel {
  return {
    id: index + 1,
    type: 'timeseries',
    title,
    datasource: DATASOURCE,
    gridPos: { x: (index % 2) * WIDTH, y: Math.floor(index / 2) * HEIGHT, w: WIDTH, h: HEIGHT },
    // From zero on, and below it where something is overdue.
    fieldConfig: { defaults: { unit, custom: { axisSoftMin: 0 } }, overrides: [] },
    targets: Object.entries(series).map(([legendFormat, expr], target) => ({
      refId: String.fromCharCode(65 + target),
      expr,
      legendFormat,
    })),
  }
}
