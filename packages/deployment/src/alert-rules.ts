import { JOB, OBJECTIVES } from './objectives.ts'

interface Alert {
  readonly alert: string
  readonly expr: string
  readonly for: string
  readonly severity: 'critical' | 'warning'
  /** A file of docs/runbooks. */
  readonly runbook: string
  readonly summary: string
}

/** 1 spends in 30 days exactly what may go wrong in them. */
const burnRate = (window: string) => `signet:slo_burn_rate:${window}`
const WINDOWS = ['5m', '30m', '1h', '2h', '6h', '1d', '3d']

/** The long window says that it matters, the short one that it goes on. */
const burns = (long: string, short: string, rate: number) =>
  `(${burnRate(long)}{${JOB}} > ${rate} and ${burnRate(short)}{${JOB}} > ${rate})`

const ALERTS: readonly Alert[] = [
  {
    alert: 'SignetErrorBudgetBurnsFast',
    expr: `${burns('1h', '5m', 14.4)} or ${burns('6h', '30m', 6)}`,
    for: '2m',
    severity: 'critical',
    runbook: 'error-budget.md',
    summary: '{{ $labels.slo }} fails or is slow so often that the budget of 30 days lasts days',
  },
  {
    alert: 'SignetErrorBudgetBurnsSlowly',
    expr: `${burns('1d', '2h', 3)} or ${burns('3d', '6h', 1)}`,
    for: '15m',
    severity: 'warning',
    runbook: 'error-budget.md',
    summary: '{{ $labels.slo }} fails or is slow more often than its objective allows',
  },
  {
    alert: 'SignetPodDown',
    expr: `up{${JOB}} == 0`,
    for: '5m',
    severity: 'warning',
    runbook: 'pod-down.md',
    summary: '{{ $labels.pod }} does not answer on its operations port',
  },
  {
    alert: 'SignetKeyRotationOverdue',
    expr: `max by (ring, algorithm) (signet_key_next_switch_seconds{${JOB}}) < -300`,
    for: '5m',
    severity: 'critical',
    runbook: 'key-rotation-overdue.md',
    summary: 'the next {{ $labels.algorithm }} key of {{ $labels.ring }} should have taken over already',
  },
  {
    alert: 'SignetKeyLeaseLags',
    expr: `signet_key_lease_lag_seconds{${JOB}} > 60`,
    for: '5m',
    severity: 'warning',
    runbook: 'key-lease-lag.md',
    summary: '{{ $labels.pod }} hears nothing from keys and has none left after a day',
  },
  {
    alert: 'SignetRevocationLogBypassed',
    expr: `${checks('{source="database",')} / ${checks('{')} > 0.1`,
    for: '10m',
    severity: 'warning',
    runbook: 'revocation-log.md',
    summary: 'PostgreSQL is queried for checks of revocation that the log in Redis should serve',
  },
  {
    alert: 'SignetDatabasePoolExhausted',
    expr: `min_over_time(signet_postgres_connections{${JOB},state="waiting"}[5m]) > 0`,
    for: '5m',
    severity: 'warning',
    runbook: 'database-pool.md',
    summary: 'requests of {{ $labels.pod }} wait for connections to PostgreSQL',
  },
  {
    alert: 'SignetEventLoopLags',
    expr: `nodejs_eventloop_lag_p99_seconds{${JOB}} > 0.2`,
    for: '10m',
    severity: 'warning',
    runbook: 'event-loop-lag.md',
    summary: '{{ $labels.pod }} has more to do than one core can',
  },
  {
    alert: 'SignetCertificateExpires',
    expr: `signet_rpc_certificate_expiry_timestamp_seconds{${JOB}} - time() < 7 * 86400`,
    for: '5m',
    severity: 'critical',
    runbook: 'certificate-expiry.md',
    summary: 'the {{ $labels.certificate }} certificate of {{ $labels.pod }} ends within 7 days',
  },
  {
    alert: 'SignetJobsWait',
    expr: `${shares('waiting')} > 0 and ${shares('active')} == 0`,
    for: '10m',
    severity: 'warning',
    runbook: 'jobs-wait.md',
    summary: 'exports and imports wait and no worker works on any',
  },
]

function checks(selector: string): string {
  return `sum(rate(signet_revocation_checks_total${selector}${JOB}}[5m]))`
}

/** Every replica knows the whole queue. */
function shares(state: string): string {
  return `max(signet_migration_queue_shares{${JOB},state="${state}"})`
}

/** `files/rules.json` of the chart: the groups of its PrometheusRule. */
export function alertRules(): string {
  const groups = [
    { name: 'signet-objectives', rules: OBJECTIVES.flatMap(recordedRates) },
    { name: 'signet-alerts', rules: ALERTS.map(toRule) },
  ]
  return `${JSON.stringify(groups, null, 2)}\n`
}

function recordedRates({ name, target, good, all }: (typeof OBJECTIVES)[number]) {
  const allowed = Number((1 - target).toFixed(6))
  return WINDOWS.map((window) => ({
    record: burnRate(window),
    expr: `(1 - (${good(window)} or vector(0)) / ${all(window)}) / ${allowed}`,
    labels: { job: '@JOB@', slo: name },
  }))
}

function toRule({ severity, runbook, summary, ...rule }: Alert) {
  return {
    ...rule,
    labels: { severity },
    annotations: { summary, runbook_url: `@RUNBOOKS@${runbook}` },
  }
}
