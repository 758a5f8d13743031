// The parts of the suite as the templates of the chart see them: `files/suite.json`.

import { calleesOf } from '@signet/grpc/caller-table'
import type { ServiceName } from '@signet/platform/process/service'
import { SERVICE_NAMES } from '@signet/platform/process/service'
import { isServedOverMutualTls, ROUTES, type Route, type RouteOwner } from '@signet/protocol/routes'

/** The needs of a process of one kind besides its database. */
interface Needs {
  readonly app: ServiceName
  readonly http: boolean
  readonly rpc: boolean
  /** `redis` for sessions and revocations, `queue` for jobs. */
  readonly redis: readonly ('redis' | 'queue')[]
  /** The owner of the master key that it holds. */
  readonly masterKey?: 'keys' | 'directory' | 'migration' | 'login' | 'federation'
  /** The protocol of its calls to addresses that applications or administrators named. */
  readonly outbound?: 'http' | 'smtp'
  /** The rate limits that it applies. */
  readonly rateLimits?: readonly (
    | 'signIn'
    | 'public'
    | 'management'
    | 'token'
    | 'revocation'
    | 'introspection'
    | 'userinfo'
  )[]
  readonly settings?: Readonly<Record<string, string>>
}

export interface Component extends Needs {
  readonly calls: readonly ServiceName[]
  /** Names of components. */
  readonly calledBy: readonly string[]
}

/** Both roles of migration, from one image. */
const MIGRATION = {
  app: 'migration',
  rpc: false,
  redis: ['queue'],
  masterKey: 'migration',
  outbound: 'http',
  rateLimits: ['management'],
} as const

const NEEDS: Readonly<Record<string, Needs>> = {
  login: {
    app: 'login',
    http: true,
    rpc: true,
    redis: ['redis'],
    masterKey: 'login',
    rateLimits: ['signIn'],
  },
  token: {
    app: 'token',
    http: true,
    rpc: true,
    redis: ['redis'],
    outbound: 'http',
    rateLimits: ['public', 'token', 'revocation'],
  },
  introspection: {
    app: 'introspection',
    http: true,
    rpc: false,
    redis: ['redis'],
    rateLimits: ['introspection', 'userinfo'],
  },
  keys: {
    app: 'keys',
    http: true,
    rpc: true,
    redis: [],
    masterKey: 'keys',
    rateLimits: ['management'],
  },
  directory: {
    app: 'directory',
    http: true,
    rpc: true,
    redis: [],
    masterKey: 'directory',
    outbound: 'smtp',
    rateLimits: ['management'],
  },
  federation: {
    app: 'federation',
    http: false,
    rpc: true,
    redis: [],
    masterKey: 'federation',
    outbound: 'http',
  },
  migrationApi: { ...MIGRATION, http: true, settings: { SIGNET_MIGRATION_ROLES: 'api' } },
  migrationWorker: { ...MIGRATION, http: false, settings: { SIGNET_MIGRATION_ROLES: 'worker' } },
}

/** Every kind of process that is deployed, by name, with its callers and callees by the caller table of `packages/grpc`. */
export const COMPONENTS: Readonly<Record<string, Component>> = Object.fromEntries(
  Object.entries(NEEDS).map(([name, needs]) => [
    name,
    { ...needs, calls: calleesOf(needs.app), calledBy: callersOf(needs.app) },
  ]),
)

/** The component that answers the public paths of a service. */
export const PUBLIC_COMPONENT: Readonly<Record<RouteOwner, string>> = {
  login: 'login',
  token: 'token',
  introspection: 'introspection',
  keys: 'keys',
  directory: 'directory',
  migration: 'migrationApi',
}

/** `migrationApi` → `migration-api`, as hosts and Kubernetes write names. */
export function hostName(component: string): string {
  return component.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

function callersOf(service: ServiceName): readonly string[] {
  return Object.entries(NEEDS).flatMap(([name, { app }]) =>
    app !== service && calleesOf(app).includes(service) ? [name] : [],
  )
}

/** The prefixes of one component that share their limits: one Ingress, whose annotations hold for all its paths. */
export interface RouteGroup {
  /** The component's name, with what sets the group apart when there are several. */
  readonly name: string
  readonly component: string
  readonly prefixes: readonly string[]
  /** The prefixes that are served to clients with certificates. */
  readonly mutualTlsPrefixes: readonly string[]
  readonly bodyLimitBytes: number
  readonly readTimeoutSeconds: number
  readonly buffering: boolean
  readonly nginxAnnotations: Readonly<Record<string, string>>
}

/** The route table, grouped in its order. */
function routeGroups(routes: readonly Route[] = ROUTES): readonly RouteGroup[] {
  const groups = new Map<string, Route[]>()
  for (const route of routes) {
    const alike = [route.service, route.bodyLimitBytes, route.readTimeoutSeconds, route.buffering].join()
    groups.set(alike, [...(groups.get(alike) ?? []), route])
  }
  const taken = new Set<string>()
  return [...groups.values()].map((members) => {
    const [first] = members
    if (first === undefined) throw new Error('a group has a member')
    const component = PUBLIC_COMPONENT[first.service]
    const whole = hostName(component)
    const name = taken.has(whole) ? `${whole}-${lastSegment(first.prefix)}` : whole
    taken.add(name)
    return {
      name,
      component,
      prefixes: members.map(({ prefix }) => prefix),
      mutualTlsPrefixes: members.map(({ prefix }) => prefix).filter(isServedOverMutualTls),
      bodyLimitBytes: first.bodyLimitBytes,
      readTimeoutSeconds: first.readTimeoutSeconds,
      buffering: first.buffering,
      nginxAnnotations: nginxAnnotations(first),
    }
  })
}

const NGINX = 'nginx.ingress.kubernetes.io'

function nginxAnnotations({ bodyLimitBytes, readTimeoutSeconds, buffering }: Route): Record<string, string> {
  const switched = buffering ? 'on' : 'off'
  return {
    [`${NGINX}/proxy-body-size`]: `${bodyLimitBytes}`,
    [`${NGINX}/proxy-read-timeout`]: `${readTimeoutSeconds}`,
    [`${NGINX}/proxy-send-timeout`]: `${readTimeoutSeconds}`,
    [`${NGINX}/proxy-buffering`]: switched,
    [`${NGINX}/proxy-request-buffering`]: switched,
  }
}

function lastSegment(prefix: string): string {
  return prefix.slice(prefix.lastIndexOf('/') + 1).replace(/[^a-z0-9]/g, '')
}

/** The services, components and route groups over which the templates range. */
export function chartFacts(): string {
  return `${JSON.stringify({ services: SERVICE_NAMES, components: COMPONENTS, routeGroups: routeGroups() }, null, 2)}\n`
}
