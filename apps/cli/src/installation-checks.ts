// The checks of `signet doctor` that concern the installation instead of its objects: its keys, as the suite shows them, and
// what a Prometheus knows of its processes.

import { SERVICE_NAMES } from '@signet/platform/process/service'
import { CommandError } from './exit-codes.ts'
import type { ShownKey } from './keys.ts'
import { moment } from './output.ts'

export interface Check {
  readonly id: string
  readonly title: string
  readonly remedy: string
  readonly count: number
  readonly findings: readonly Finding[]
}

interface Finding {
  readonly kind: string
  readonly id: string
  readonly organizationId: string | null
  readonly detail: string
}

const CHECKS = {
  key_overdue: {
    title: 'Keys are in use for longer than planned',
    remedy: 'The service keys does not rotate them: read its log, and docs/runbooks/key-rotation-overdue.md.',
  },
  key_without_next: {
    title: 'Keys have no published key that takes over next',
    remedy: 'Look whether the service keys runs: it publishes the next key by itself.',
  },
  service_missing: {
    title: 'Prometheus reads no metrics of some services',
    remedy:
      'Look whether they run, and let Prometheus reach their operations ports: monitoring.podMonitor and networkPolicy.operationsFrom of the chart.',
  },
  versions_differ: {
    title: 'Services of one installation have different versions',
    remedy: 'End the upgrade: every image has the same tag.',
  },
  certificate_expires: {
    title: 'Certificates between the services end within 14 days',
    remedy: 'Renew them: docs/runbooks/certificate-expiry.md.',
  },
  revocation_slow: {
    title:
      'Readers of the service token answer active for longer than 50 ms after a revocation (99 %, last hour)',
    remedy: 'Look at Redis and at its network: docs/runbooks/revocation-log.md.',
  },
  alerts_missing: {
    title: 'Prometheus has no alerts of Signet',
    remedy:
      'Turn on monitoring.rules of the chart, with labels that the Prometheus selects rules by, or load files/rules.yaml.',
  },
  alerts_broken: {
    title: 'Prometheus cannot evaluate alerts of Signet',
    remedy: 'Correct the rule that the error names, or upgrade the chart.',
  },
  alerts_firing: {
    title: 'Alerts of Signet fire',
    remedy: 'Follow the runbook of each: docs/runbooks.',
  },
} as const

const DAY_SECONDS = 86_400
const SOON_SECONDS = 14 * DAY_SECONDS
/** A service rotates a little after the planned time; the alert waits as long. */
const ROTATION_DELAY_MS = 300_000

/** The checks that found something among the keys of `/management/v1/keys`. */
export function checkKeys(keys: readonly ShownKey[], now: Date): readonly Check[] {
  const active = keys.filter(({ state, revokedAt }) => state === 'active' && revokedAt === undefined)
  const finding = ({ ring, algorithm, kid, activeAt, retireAt }: ShownKey) =>
    findingOf('key', kid, `${ring} ${algorithm}, active from ${moment(activeAt)} until ${moment(retireAt)}`)
  const hasNext = ({ ring, algorithm }: ShownKey) =>
    keys.some((key) => key.ring === ring && key.algorithm === algorithm && key.state === 'announced')
  const isOverdue = ({ retireAt }: ShownKey) => now.getTime() - Date.parse(retireAt) > ROTATION_DELAY_MS
  return found({
    key_overdue: active.filter(isOverdue).map(finding),
    key_without_next: active.filter((key) => !hasNext(key)).map(finding),
  })
}

/** Sample of the HTTP API of Prometheus, <https://prometheus.io/docs/prometheus/latest/querying/api/>. */
interface Sample {
  readonly metric: Readonly<Record<string, string>>
  readonly value: readonly [time: number, value: string]
}

interface Rule {
  readonly name: string
  readonly state: string
  readonly query: string
  readonly health: string
  readonly lastError?: string
}

interface PrometheusOptions {
  readonly url: string
  /** The label `job` of one installation, as the chart gives it: NAMESPACE/NAME. All installations without it. */
  readonly job: string | undefined
  readonly fetch: typeof fetch
  readonly now: Date
  /** How long one response may take, in milliseconds. */
  readonly timeoutMs: number
}

/** The checks that found something in a Prometheus. Rejects with CommandError when it cannot be read. */
export async function checkPrometheus({
  url,
  job,
  fetch,
  now,
  timeoutMs,
}: PrometheusOptions): Promise<readonly Check[]> {
  const read = async (path: string) =>
    readPrometheus(`${url.replace(/\/$/, '')}/api/v1/${path}`, { fetch, timeoutMs })
  const selector = job === undefined ? '' : `{job=${JSON.stringify(job)}}`
  const evaluate = async (expression: string) => {
    const { result } = await read(`query?query=${encodeURIComponent(expression)}`)
    return result as readonly Sample[]
  }
  const query = (metric: string) => evaluate(`${metric}${selector}`)
  const builds = await query('signet_build_info')
  const certificates = await query('signet_rpc_certificate_expiry_timestamp_seconds')
  // The expression of the alert SignetRevocationSlow, by pod.
  const slowRevocations = await evaluate(
    `histogram_quantile(0.99, sum by (le, pod, instance) (rate(signet_revocation_canary_seconds_bucket${selector}[1h]))) > 0.05`,
  )
  const { groups } = await read('rules?type=alert')
  const alerts = (groups as readonly { rules: readonly Rule[] }[])
    .flatMap(({ rules }) => rules)
    .filter(
      ({ name, query }) =>
        name.startsWith('Signet') && (job === undefined || query.includes(JSON.stringify(job))),
    )
  return found({
    ...checkBuilds(builds, job),
    certificate_expires: certificates
      .filter(({ value: [, end] }) => Number(end) - now.getTime() / 1000 < SOON_SECONDS)
      .map((sample) =>
        findingOf('certificate', placeOf(sample), `${sample.metric.certificate}, until ${endOf(sample)}`),
      ),
    revocation_slow: slowRevocations.map((sample) =>
      findingOf('service', placeOf(sample), `token, ${Math.ceil(Number(sample.value[1]) * 1_000)} ms`),
    ),
    alerts_missing: alerts.length === 0 ? [findingOf('alerts', job ?? 'Signet…', 'none is loaded')] : [],
    alerts_broken: alerts
      .filter(({ health }) => health === 'err')
      .map(({ name, lastError = '' }) => findingOf('alert', name, lastError)),
    alerts_firing: alerts
      .filter(({ state }) => state === 'firing')
      .map(({ name }) => findingOf('alert', name, 'firing')),
  })
}

/** The settings with a static secret, with the services that each is set for. Rejects as `checkPrometheus`. */
export async function countStaticSettings({
  url,
  job,
  fetch,
  timeoutMs,
}: Omit<PrometheusOptions, 'now'>): Promise<
  readonly { readonly setting: string; readonly services: readonly string[] }[]
> {
  const selector = job === undefined ? '' : `{job=${JSON.stringify(job)}}`
  const expression = `count by (service, setting) (signet_static_secret${selector})`
  const { result } = await readPrometheus(
    `${url.replace(/\/$/, '')}/api/v1/query?query=${encodeURIComponent(expression)}`,
    { fetch, timeoutMs },
  )
  const bySetting = Map.groupBy(result as readonly Sample[], ({ metric }) => metric.setting ?? '')
  return [...bySetting]
    .map(([setting, samples]) => ({
      setting,
      services: samples.map(({ metric }) => metric.service ?? '').toSorted(),
    }))
    .toSorted((one, other) => one.setting.localeCompare(other.setting, 'en'))
}

function checkBuilds(builds: readonly Sample[], wanted: string | undefined) {
  const jobs = new Set(builds.map(({ metric }) => metric.job ?? ''))
  if (jobs.size === 0) jobs.add(wanted ?? '')
  const missing: Finding[] = []
  const differing: Finding[] = []
  for (const job of jobs) {
    const ofJob = builds.filter(({ metric }) => metric.job === job)
    const services = new Set(ofJob.map(({ metric }) => metric.service))
    for (const service of SERVICE_NAMES)
      if (!services.has(service)) missing.push(findingOf('service', service, `no metrics ${job}`.trim()))
    if (new Set(ofJob.map(({ metric }) => metric.version)).size < 2) continue
    differing.push(
      ...ofJob.map((sample) =>
        findingOf('service', sample.metric.service ?? '', `${sample.metric.version}, ${placeOf(sample)}`),
      ),
    )
  }
  return { service_missing: missing, versions_differ: differing }
}

const placeOf = ({ metric }: Sample) => metric.pod ?? metric.instance ?? ''
const endOf = ({ value: [, end] }: Sample) => moment(new Date(Number(end) * 1000).toISOString())

function findingOf(kind: string, id: string, detail: string): Finding {
  return { kind, id, organizationId: null, detail }
}

function found(
  findings: Readonly<Partial<Record<keyof typeof CHECKS, readonly Finding[]>>>,
): readonly Check[] {
  return Object.entries(CHECKS).flatMap(([id, texts]) => {
    const own = findings[id as keyof typeof CHECKS] ?? []
    return own.length === 0 ? [] : [{ id, ...texts, count: own.length, findings: own }]
  })
}

async function readPrometheus(
  url: string,
  { fetch, timeoutMs }: Pick<PrometheusOptions, 'fetch' | 'timeoutMs'>,
): Promise<Record<string, unknown>> {
  const signal = AbortSignal.timeout(timeoutMs)
  const fail = (cause: unknown): never => {
    const problem = signal.aborted ? `does not answer within ${timeoutMs / 1_000} s` : 'cannot be reached'
    throw new CommandError('unavailable', `--prometheus: ${url} ${problem}`, { cause })
  }
  const response = await fetch(url, { headers: { accept: 'application/json' }, signal }).catch(fail)
  const body = (await response
    .json()
    .catch((cause: unknown) => (signal.aborted ? fail(cause) : undefined))) as
    | { data?: Record<string, unknown> }
    | undefined
  if (response.ok && body?.data) return body.data
  throw new CommandError(
    'unavailable',
    `--prometheus: ${url} answers ${response.status} and is not the API of a Prometheus`,
  )
}
