import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  COMPONENT_NAMES,
  DURATION,
  JOB,
  openAlertRules,
  readyPods,
  readySeries,
  requests,
  type Scenario,
} from './alert-scenarios.ts'

const MINUTES = 30
const critical = (component: string) => ({ component, severity: 'critical' })
const missing = (component: string, dependency: string) => ({ ...critical(component), dependency })
const burning = (...slos: readonly string[]) => ({
  SignetErrorBudgetBurnsFast: slos.map((slo) => ({ slo, severity: 'critical' })),
})

/** The pods of a component from an outage at minute 10 on. */
function podsOf(component: string, values: string) {
  return Object.fromEntries(['a', 'b'].map((pod) => [readySeries(component, 'all', pod), values]))
}
/** Prometheus marks series as stale when a target is gone or does not answer. */
const GONE = '1x10 stale'
const UNREADY = '1x10 0x20'

function without(component: string, dependency: string) {
  return {
    ...podsOf(component, UNREADY),
    ...Object.fromEntries(['a', 'b'].map((pod) => [readySeries(component, dependency, pod), '_x10 0x20'])),
  }
}

/** `count` requests a minute that all fail from minute 10 on. */
function failing(route: string, le: number, count: number) {
  return {
    [`${DURATION}_count{${JOB},route="${route}",status="2xx"}`]: `0+${count}x10 ${10 * count}x20`,
    [`${DURATION}_bucket{${JOB},route="${route}",status="2xx",le="${le}"}`]: `0+${count}x10 ${10 * count}x20`,
    [`${DURATION}_count{${JOB},route="${route}",status="5xx"}`]: `0x10 0+${count}x20`,
  }
}

/** Each outage begins at minute 10; the alerts are those of two minutes later, unless burn rates need longer. */
const OUTAGES: Readonly<Record<string, Scenario>> = {
  'every pod of introspection is gone': {
    given: {
      ...readyPods(MINUTES, ['introspection']),
      ...podsOf('introspection', GONE),
      ...requests('/oauth/v2/introspect', 0.1, { failing: 0, slow: 0 }, 10),
    },
    at: '12m',
    fires: { SignetNoReadyReplica: [critical('introspection')] },
  },
  'no pod of any component answers Prometheus': {
    given: Object.assign(
      { [`up{${JOB},pod="a"}`]: '1x10 0x20' },
      ...COMPONENT_NAMES.map((component) => podsOf(component, GONE)),
    ),
    at: '12m',
    fires: { SignetNoReadyReplica: COMPONENT_NAMES.map(critical) },
  },
  'Redis is away: every component that uses it says so': {
    given: {
      ...readyPods(MINUTES),
      ...Object.fromEntries(
        ['login', 'token', 'introspection'].flatMap((component) =>
          ['a', 'b'].map((pod) => [readySeries(component, 'redis', pod), '_x10 0x20']),
        ),
      ),
    },
    at: '12m',
    fires: {
      SignetDependencyMissing: ['introspection', 'login', 'token'].map((component) =>
        missing(component, 'redis'),
      ),
    },
  },
  'Redis is away, or full, the disk of PostgreSQL is full, or its server reads only: sign-ins fail': {
    given: { ...readyPods(MINUTES), ...failing('/oauth/v2/authorize', 2.5, 20) },
    at: '14m',
    fires: burning('sign-in'),
  },
  'PostgreSQL is away': {
    given: {
      ...readyPods(MINUTES, ['login', 'directory', 'token', 'introspection']),
      ...without('login', 'postgres'),
      ...without('directory', 'postgres'),
      ...without('token', 'postgres'),
      ...without('introspection', 'postgres'),
    },
    at: '12m',
    fires: {
      SignetNoReadyReplica: ['directory', 'introspection', 'login', 'token'].map(critical),
      SignetDependencyMissing: ['directory', 'introspection', 'login', 'token'].map((component) =>
        missing(component, 'postgres'),
      ),
    },
  },
  'every pod of keys and directory was killed': {
    given: {
      ...readyPods(MINUTES, ['keys', 'directory']),
      ...podsOf('keys', GONE),
      ...podsOf('directory', GONE),
    },
    at: '12m',
    fires: { SignetNoReadyReplica: ['directory', 'keys'].map(critical) },
  },
  'the refresh of tokens fails at a server that reads only': {
    given: { ...readyPods(MINUTES), ...failing('/oauth/v2/token', 1, 60) },
    at: '14m',
    fires: burning('token'),
  },
  'one request a minute at night, and all of them fail': {
    given: { ...readyPods(MINUTES), ...failing('/oauth/v2/introspect', 0.1, 1) },
    at: '22m',
    fires: burning('introspection'),
  },
  'one request a minute at night, and one of them is slow': {
    given: {
      ...readyPods(120),
      [`${DURATION}_count{${JOB},route="/oauth/v2/introspect",status="2xx"}`]: '0+1x120',
      [`${DURATION}_bucket{${JOB},route="/oauth/v2/introspect",status="2xx",le="0.1"}`]: '0+1x90 90+1x30',
    },
    at: '94m',
    fires: {},
  },
  'one replica of each component was killed, or rolls': {
    given: Object.assign(
      {},
      ...COMPONENT_NAMES.map((component) => ({
        [readySeries(component, 'all', 'a')]: GONE,
        [readySeries(component, 'all', 'b')]: `1x${MINUTES}`,
      })),
    ),
    at: '13m',
    fires: {},
  },
  'the ingress is away': {
    given: {
      ...readyPods(MINUTES),
      'probe_success{job="identity/signet-probe",instance="https://id.example.com/"}': '1x10 0x20',
    },
    at: '12m',
    fires: {
      SignetProbeFails: [
        { job: 'identity/signet-probe', instance: 'https://id.example.com/', severity: 'critical' },
      ],
    },
  },
}

let alerts: Awaited<ReturnType<typeof openAlertRules>>
beforeAll(async () => {
  alerts = await openAlertRules()
})
afterAll(() => alerts.remove())

it.each(Object.entries(OUTAGES))('%s', async (name, outage) => {
  expect(await alerts.evaluate({ [name]: outage })).toContain('SUCCESS')
})
