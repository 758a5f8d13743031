import { calleesOf } from '@signet/grpc/caller-table'
import type { ServiceName } from '@signet/platform/process/service'
import type { RouteOwner } from '@signet/protocol/routes'

/** The dependencies of a process of one kind besides its database, with the names of the chart's templates. */
interface Needs {
  readonly app: ServiceName
  readonly http: boolean
  readonly rpc: boolean
  /** `redis` for sessions and revocations, `queue` for jobs. */
  readonly redis: readonly ('redis' | 'queue')[]
  /** Whose master key it holds. */
  readonly masterKey?: 'keys' | 'directory' | 'migration' | 'login'
  /** Whether it calls addresses that applications or administrators named. */
  readonly outbound: boolean
  /** The operations with a rate limit. */
  readonly rateLimits?: readonly (
    | 'signIn'
    | 'public'
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
  outbound: true,
} as const

const NEEDS: Readonly<Record<string, Needs>> = {
  login: {
    app: 'login',
    http: true,
    rpc: true,
    redis: ['redis'],
    masterKey: 'login',
    outbound: false,
    rateLimits: ['signIn'],
  },
  token: {
    app: 'token',
    http: true,
    rpc: true,
    redis: ['redis'],
    outbound: true,
    rateLimits: ['public', 'token', 'revocation'],
  },
  introspection: {
    app: 'introspection',
    http: true,
    rpc: false,
    redis: ['redis'],
    outbound: false,
    rateLimits: ['introspection', 'userinfo'],
  },
  keys: { app: 'keys', http: true, rpc: true, redis: [], masterKey: 'keys', outbound: false },
  directory: { app: 'directory', http: true, rpc: true, redis: [], masterKey: 'directory', outbound: false },
  migrationApi: { ...MIGRATION, http: true, settings: { SIGNET_MIGRATION_ROLES: 'api' } },
  migrationWorker: { ...MIGRATION, http: false, settings: { SIGNET_MIGRATION_ROLES: 'worker' } },
}

/** Every kind of process that is deployed, by name, with who calls whom as `packages/grpc` allows it. */
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
