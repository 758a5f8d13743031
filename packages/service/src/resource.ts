import type { TlsIdentity } from '@signet/grpc/tls-identity'
import type { Environment } from '@signet/platform/config/settings'
import type { Logger } from '@signet/platform/logger/logger'
import type { Metrics } from '@signet/platform/metrics/metrics'
import type { ServiceName } from '@signet/platform/process/service'
import type { Tracing } from '@signet/platform/tracing/tracing'

/** The arguments for opening a resource. */
export interface ResourceContext {
  readonly service: ServiceName
  readonly logger: Logger
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
