import { ENDPOINT_PATHS } from '@signet/protocol/endpoint-paths'

/** A service level that users notice first, and its error budget. */
export interface Objective {
  readonly name: string
  /** The share of what happens, over 30 days, that has to be good. */
  readonly target: number
  /** PromQL for good ones and all of them per second over a window such as `5m`. */
  readonly good: (window: string) => string
  readonly all: (window: string) => string
}

/** In every selector: the chart puts the namespace and the name of its PodMonitor there. */
export const JOB = 'job="@JOB@"'

/** Requests to some routes: good is an answer without 5xx in time, which has to be a bound of the histogram. */
function requests(route: string, withinSeconds: number) {
  const metric = 'signet_http_request_duration_seconds'
  const of = `${JOB},route=~"${route}"`
  return {
    good: (window: string) =>
      `sum(rate(${metric}_bucket{${of},status=~"[234]xx",le="${withinSeconds}"}[${window}]))`,
    all: (window: string) => `sum(rate(${metric}_count{${of}}[${window}]))`,
  }
}

const RUNS = 'signet_migration_runs_total'

export const OBJECTIVES: readonly Objective[] = [
  // Hashing the password is meant to take long.
  {
    name: 'sign-in',
    target: 0.999,
    ...requests(`${ENDPOINT_PATHS.authorize}|/ui/(login|totp|consent)`, 2.5),
  },
  // The same for hashing the secret of a client that is not cached.
  { name: 'token', target: 0.999, ...requests(ENDPOINT_PATHS.token, 1) },
  { name: 'introspection', target: 0.9995, ...requests(ENDPOINT_PATHS.introspect, 0.1) },
  { name: 'key-set', target: 0.9995, ...requests(`${ENDPOINT_PATHS.keys}|${ENDPOINT_PATHS.discovery}`, 0.1) },
  {
    name: 'jobs',
    target: 0.99,
    good: (window) => `sum(rate(${RUNS}{${JOB},outcome!="failed"}[${window}]))`,
    all: (window) => `sum(rate(${RUNS}{${JOB}}[${window}]))`,
  },
]
