import type { TlsIdentity } from '@signet/grpc/tls-identity'
import { ConfigurationError, type Environment } from '@signet/platform/config/settings'
import type { Logger } from '@signet/platform/logger/logger'
import type { Metrics } from '@signet/platform/metrics/metrics'
import type { DatabaseClock } from '@signet/platform/postgres/database-clock'
import type { ServiceName } from '@signet/platform/process/service'
import type { Tracing } from '@signet/platform/tracing/tracing'

type Openers = Readonly<Record<string, (context: ResourceContext) => OpenResource<unknown>>>

/**
 * Reads the settings of a process, of its service and of every resource. Throws one ConfigurationError with the
 * problems of all of them.
 */
export function readResources<P, C>(
  resources: Resources,
  env: Environment,
  readProcess: (env: Environment) => P,
  readService: (env: Environment) => C,
): [process: P, service: C, openers: Openers] {
  // A problem that has nothing to do with one reader, such as an unknown name, is found by each of them.
  const problems = new Set<string>()
  const read = <T>(reader: (env: Environment) => T): T | undefined => {
    try {
      return reader(env)
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error
      for (const problem of error.problems) problems.add(problem)
      return undefined
    }
  }
  const process = read(readProcess)
  const service = read(readService)
  const openers = Object.entries(resources).map(([name, resource]) => [name, read(resource)] as const)
  if (problems.size > 0) throw new ConfigurationError([...problems])
  return [process as P, service as C, Object.fromEntries(openers) as Openers]
}

export interface ResourceCheck {
  readonly name: string
  usable(): Promise<void>
}

export interface OpenResources {
  readonly values: Readonly<Record<string, unknown>>
  readonly checks: readonly ResourceCheck[]
  /** The missing dependencies of all resources while the service runs. */
  notReady(): readonly string[]
  /** Returns the dependencies that are missing while the service stays ready. */
  degraded(): readonly string[]
  /** Registers the numbers of all of them. */
  measure(metrics: Metrics): void
}

/** Opens every resource and hands its end to `opened`. */
export function openResources(
  openers: Openers,
  context: ResourceContext,
  opened: AsyncDisposableStack,
): OpenResources {
  const values: Record<string, unknown> = {}
  const checks: ResourceCheck[] = []
  const resources: OpenResource<unknown>[] = []
  for (const [name, open] of Object.entries(openers)) {
    const resource = open(context)
    opened.defer(async () => resource.close())
    values[name] = resource.value
    resources.push(resource)
    if (resource.usable) checks.push({ name, usable: resource.usable })
  }
  return {
    values,
    checks,
    notReady: () => resources.flatMap((resource) => resource.notReady?.() ?? []),
    degraded: () => resources.flatMap((resource) => resource.degraded?.() ?? []),
    measure(metrics) {
      for (const resource of resources) resource.measure?.(metrics)
    },
  }
}

/** The arguments for opening a resource. */
export interface ResourceContext {
  readonly service: ServiceName
  readonly logger: Logger
  /** Clock of the process; PostgreSQL sets it. */
  readonly clock: DatabaseClock
  readonly tls?: TlsIdentity
  readonly tracing?: Tracing
}

export interface OpenResource<T> {
  readonly value: T
  /**
   * Rejects while the service cannot start with it yet; it is asked again until it resolves. A StartFailure says that
   * waiting is of no use.
   */
  usable?(): Promise<void>
  /** The dependencies that are missing while the service runs, for `/readyz`; empty means none. */
  notReady?(): readonly string[]
  /**
   * Returns the dependencies that are missing while the service stays ready, because it responds without them; empty
   * means none.
   */
  degraded?(): readonly string[]
  /** Registers its numbers; again for every attempt to start. */
  measure?(metrics: Metrics): void
  close(): Promise<void> | void
}

/**
 * An object that is opened before a service starts and closed after it. The first step reads its settings, throwing
 * ConfigurationError, so that a start has every problem before it opens anything.
 */
export type Resource<T> = (env: Environment) => (context: ResourceContext) => OpenResource<T>

export type Resources = Readonly<Record<string, Resource<unknown>>>

export type Opened<R extends Resources> = {
  readonly [N in keyof R]: R[N] extends Resource<infer T> ? T : never
}
