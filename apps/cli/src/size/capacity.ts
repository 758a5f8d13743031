// The needs of an installation for a number of people and requests. docs/scaling.md says where each cost was measured, and shows the
// result for three sizes.

/** Rates are those of the busiest minutes. */
export interface Demand {
  readonly people: number
  readonly signInsPerSecond: number
  readonly introspectionsPerSecond: number
  readonly refreshesPerSecond: number
  readonly clientTokensPerSecond: number
  readonly signInsPerDay: number
  /** Sign-outs and revocations. */
  readonly endingsPerDay: number
}

/** Microseconds of CPU: at 40 % load of services, at saturation of the stores (docs/benchmarks.md). */
const COST = {
  signIn: { login: 8_080, token: 4_640, directory: 13_960, redis: 1_154, postgres: 2_692 },
  introspection: { introspection: 120, redis: 4, postgres: 2 },
  refresh: { token: 946, redis: 0, postgres: 114 },
  clientToken: { token: 319, redis: 0, postgres: 5 },
} as const

/** Bytes of a row with its indexes, or of a key in Redis (`e2e/test/stored-bytes.soak.ts`). */
const BYTES = {
  person: 822,
  /** A grant, the application in its session, two rows of the index by week. */
  grant: 541 + 236 + 2 * 186,
  redeemedCode: 160,
  revocation: 289,
  /** The rows of a sign-in and of its grant, with their share of the chain. */
  audit: 327 + 428 + 2 * 55,
  /** Keys in Redis of a session and of the list of its user. */
  session: 440 + 136,
  pendingRequest: 568,
  ending: 121,
} as const

/** Defaults of the lifetimes (docs/spec/tokens.md, docs/reference/audit-log.md). */
const GRANT_DAYS = 90
/** A session that is not used again. */
const SESSION_DAYS = 7
const AUDIT_DAYS = 400
/** A partition is dropped when its last row has ended: a week of grants, and codes and revocations of some days. */
const GRANT_PARTITION_DAYS = 7
const SHORT_LIVED_DAYS = 3
const PENDING_SECONDS = 1_800

/** The share of a core that a process uses in the busiest minutes. The costs and percentiles were measured at this share. */
const CORE_SHARE = 0.4
/** The target of the autoscalers, of the request. */
const CPU_UTILIZATION = 60
const LEAST_REPLICAS = 2
const LEAST_REQUEST_MILLICORES = 100
/** Connections of a pod: `defaults.postgresPoolSize` of the chart. */
const CONNECTIONS_PER_POD = 10
/** Components that other numbers than requests decide; the chart's defaults. */
const OTHER_PODS = 4 * LEAST_REPLICAS

const SCALED = ['login', 'token', 'introspection', 'directory'] as const
export type ScaledComponent = (typeof SCALED)[number]

export interface Pods {
  readonly component: ScaledComponent
  /** Cores that its processes use together in the busiest minutes. */
  readonly cores: number
  readonly minReplicas: number
  readonly maxReplicas: number
  readonly requestMillicores: number
}

export interface Capacity {
  readonly pods: readonly Pods[]
  readonly postgresGigabytes: number
  readonly postgresCores: number
  readonly connections: number
  readonly redisMegabytes: number
  /** Share of the one thread of the primary of Redis. */
  readonly redisShare: number
  /** The limits that the computed installation exceeds, each with a remedy. */
  readonly warnings: readonly string[]
}

export function capacityFor(demand: Demand): Capacity {
  const pods = SCALED.map((component) => podsFor(component, coresOf(component, demand)))
  const replicas = pods.reduce((sum, { maxReplicas }) => sum + maxReplicas, OTHER_PODS)
  const sessions = demand.signInsPerDay * SESSION_DAYS
  const pending = demand.signInsPerSecond * PENDING_SECONDS
  const stored =
    demand.people * BYTES.person +
    demand.signInsPerDay * (GRANT_DAYS + GRANT_PARTITION_DAYS) * BYTES.grant +
    demand.signInsPerDay * SHORT_LIVED_DAYS * BYTES.redeemedCode +
    demand.endingsPerDay * SHORT_LIVED_DAYS * BYTES.revocation +
    demand.signInsPerDay * AUDIT_DAYS * BYTES.audit
  const redisBytes =
    sessions * BYTES.session + pending * BYTES.pendingRequest + demand.endingsPerDay * BYTES.ending
  const capacity = {
    pods,
    postgresGigabytes: twoDigits(stored / 1e9),
    postgresCores: twoDigits(coresOf('postgres', demand)),
    connections: replicas * CONNECTIONS_PER_POD,
    redisMegabytes: twoDigits(redisBytes / 1e6),
    redisShare: twoDigits(coresOf('redis', demand)),
  }
  return { ...capacity, warnings: warningsOf(capacity, demand) }
}

/** Cores of a component or a store: rate times cost over all kinds of requests. */
function coresOf(name: ScaledComponent | 'redis' | 'postgres', demand: Demand): number {
  const rates = [
    [demand.signInsPerSecond, COST.signIn],
    [demand.introspectionsPerSecond, COST.introspection],
    [demand.refreshesPerSecond, COST.refresh],
    [demand.clientTokensPerSecond, COST.clientToken],
  ] as const
  return rates.reduce((sum, [rate, cost]) => {
    const costs: Readonly<Partial<Record<string, number>>> = cost
    return sum + (rate * (costs[name] ?? 0)) / 1e6
  }, 0)
}

function podsFor(component: ScaledComponent, cores: number): Pods {
  const minReplicas = Math.max(LEAST_REPLICAS, Math.ceil(cores / CORE_SHARE))
  const request = (cores / minReplicas / CPU_UTILIZATION) * 100 * 1_000
  return {
    component,
    cores: twoDigits(cores),
    minReplicas,
    maxReplicas: 2 * minReplicas,
    requestMillicores: Math.max(LEAST_REQUEST_MILLICORES, Math.ceil(request / 50) * 50),
  }
}

function warningsOf(
  { redisShare, connections }: Pick<Capacity, 'redisShare' | 'connections'>,
  { endingsPerDay }: Demand,
): readonly string[] {
  return [
    ...(redisShare > CORE_SHARE
      ? [
          `Redis is one thread and would be busy for ${redisShare} of its time: not measured beyond ${CORE_SHARE}`,
        ]
      : []),
    ...(connections > 100
      ? [
          `${connections} connections are more than the default of PostgreSQL, 100: use PgBouncer in transaction mode`,
        ]
      : []),
    ...(endingsPerDay > 1_000_000
      ? [
          'more unexpired revocations than a process holds: raise redis.revocationEndingsMax, 54 bytes each in every process',
        ]
      : []),
  ]
}

/** Two significant digits: the costs are not known better. */
function twoDigits(value: number): number {
  return Number(value.toPrecision(2))
}

/** The values of the chart that follow. */
export function chartValues(capacity: Capacity): object {
  return {
    components: Object.fromEntries(
      capacity.pods.map(({ component, minReplicas, maxReplicas, requestMillicores }) => [
        component,
        {
          resources: { requests: { cpu: `${requestMillicores}m` } },
          autoscaling: { enabled: true, minReplicas, maxReplicas, cpuUtilization: CPU_UTILIZATION },
        },
      ]),
    ),
  }
}

/**
 * People and sign-ins a second of the sizes S, M and L. The other rates are assumptions: ten introspections, two refreshes and
 * one token of a client for each sign-in, one sign-in of each person a day, one ending for ten sign-ins.
 */
export function demandOf(people: number, signInsPerSecond: number): Demand {
  return {
    people,
    signInsPerSecond,
    introspectionsPerSecond: 10 * signInsPerSecond,
    refreshesPerSecond: 2 * signInsPerSecond,
    clientTokensPerSecond: signInsPerSecond,
    signInsPerDay: people,
    endingsPerDay: people / 10,
  }
}

export const SIZES: Readonly<Record<'S' | 'M' | 'L', Demand>> = {
  S: demandOf(10_000, 5),
  M: demandOf(1_000_000, 100),
  L: demandOf(10_000_000, 1_000),
}
