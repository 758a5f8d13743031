import type { RpcTransport } from '@signet/grpc/client'
import type { RpcService } from '@signet/grpc/service'
import type { Logger } from '@signet/platform/logger/logger'
import type { Metrics } from '@signet/platform/metrics/metrics'
import type { Database } from '@signet/platform/postgres/pool'
import type { Service } from '@signet/platform/process/service'
import type { Clock } from '@signet/platform/runtime/clock'
import type { RandomBytes } from '@signet/platform/sealing/sealed-value'
import type { FederationConfig } from './config.ts'
import { createFederationService } from './grpc.ts'

export interface FederationOptions {
  readonly config: FederationConfig
  /** Connection as the role signet_federation; closed by its creator. */
  readonly database: Database
  /** Has the identity providers. */
  readonly directory: RpcTransport
  readonly logger: Logger
  readonly metrics?: Metrics
  readonly now: Clock
  readonly random: RandomBytes
}

/** Starts the service. It has no public paths: login calls it. */
export async function startFederation(_options: FederationOptions): Promise<Service<RpcService>> {
  return {
    name: 'federation',
    rpc: [createFederationService()],
    notReady: async () => [],
    stop: async () => {},
  }
}
