// Evaluates the alert rules of the chart over invented series with promtool.
import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { IPrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule'
import { temporaryFolder } from '@signet/testing/temporary-folder'
import { stringify } from 'yaml'
import { COMPONENTS, hostName } from '../src/suite.ts'
import { ofKind } from './chart-object.ts'
import { renderChart } from './helm.ts'
import { minimalWith } from './values-matrix.ts'

export const RUNBOOKS = 'https://example.com/runbooks/'
export const JOB = 'job="identity/signet"'
export const DURATION = 'signet_http_request_duration_seconds'

/** The components by the names that the PodMonitor gives them. */
export const COMPONENT_NAMES: readonly string[] = Object.keys(COMPONENTS).map(hostName)

type Labels = Readonly<Record<string, string>>
type Series = Readonly<Record<string, string>>

export interface Scenario {
  /** Series → values, a minute apart, in the notation of promtool. */
  readonly given: Series
  readonly at: string
  /** Labels of the alerts that fire then, by alert, besides those that every alert has. */
  readonly fires: Readonly<Record<string, readonly Labels[]>>
}

const monitored = (monitoring: object) => renderChart(minimalWith({ monitoring }))

export async function rulesOf(rules: object) {
  const objects = await monitored({ rules: { enabled: true, runbooks: RUNBOOKS, ...rules } })
  const [object] = ofKind<IPrometheusRule>(objects, 'PrometheusRule')
  return object?.spec?.groups ?? []
}

/** The rules of a release named signet, in a folder for promtool. */
export async function openAlertRules() {
  const folder = await temporaryFolder('rules')
  const groups = await rulesOf({ alertLabels: { team: 'identity' } })
  await writeFile(join(folder, 'rules.yaml'), stringify({ groups }))
  const rules = groups.flatMap(({ rules = [] }) => rules)
  const names = rules.flatMap(({ alert }) => alert ?? [])

  async function promtool(...args: readonly string[]): Promise<string> {
    const { stdout } = await promisify(execFile)('promtool', args, { cwd: folder })
    return stdout
  }

  /** An alert as promtool compares it: every alert that a case is about has a rule with annotations. */
  function expected(alert: string, own: Labels) {
    const rule = rules.find((candidate) => candidate.alert === alert)
    const perRelease = ['slo', 'pod', 'instance'].some((label) => label in own)
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

  return {
    folder,
    groups,
    names,
    promtool,
    /** Rejects with what promtool found unless each scenario fires its alerts and no others. */
    async evaluate(scenarios: Readonly<Record<string, Scenario>>): Promise<string> {
      const tests = Object.entries(scenarios).map(([name, { given, at, fires }]) => ({
        name,
        interval: '1m',
        input_series: Object.entries(given).map(([series, values]) => ({ series, values })),
        alert_rule_test: names.map((alertname) => ({
          alertname,
          eval_time: at,
          exp_alerts: (fires[alertname] ?? []).map((own) => expected(alertname, own)),
        })),
      }))
      await writeFile(
        join(folder, 'tests.yaml'),
        stringify({
          rule_files: ['rules.yaml'],
          evaluation_interval: '1m',
          // Rules of one group read what another one recorded a moment before.
          group_eval_order: groups.map(({ name }) => name),
          tests,
        }),
      )
      return promtool('test', 'rules', 'tests.yaml')
    },
    remove: () => rm(folder, { recursive: true }),
  }
}

/** A hundred requests a minute to one route for as long as it says, some of them failing or slow. */
export function requests(
  route: string,
  le: number,
  bad: { failing: number; slow: number },
  minutes: number,
): Series {
  const well = 100 - bad.failing
  return {
    [`${DURATION}_count{${JOB},route="${route}",status="2xx"}`]: `0+${well}x${minutes}`,
    [`${DURATION}_bucket{${JOB},route="${route}",status="2xx",le="${le}"}`]: `0+${well - bad.slow}x${minutes}`,
    [`${DURATION}_count{${JOB},route="${route}",status="5xx"}`]: `0+${bad.failing}x${minutes}`,
    [`${DURATION}_bucket{${JOB},route="${route}",status="5xx",le="${le}"}`]: `0+${bad.failing}x${minutes}`,
  }
}

/** `signet_ready` of a pod. */
export const readySeries = (component: string, dependency = 'all', pod = 'a') =>
  `signet_ready{${JOB},component="${component}",dependency="${dependency}",pod="${component}-${pod}"}`

/** Two ready pods of each component but some. */
export function readyPods(minutes: number, without: readonly string[] = []): Series {
  const components = COMPONENT_NAMES.filter((name) => !without.includes(name))
  return Object.fromEntries(
    components.flatMap((name) => ['a', 'b'].map((pod) => [readySeries(name, 'all', pod), `1x${minutes}`])),
  )
}
