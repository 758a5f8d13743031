import type { RpcTransport } from '@signet/grpc/client'
import type { Logger } from '@signet/platform/logger/logger'
import type { Metrics } from '@signet/platform/metrics/metrics'
import type { Database } from '@signet/platform/postgres/pool'
import type { Redis } from '@signet/platform/redis/client'
import type { Clock } from '@signet/platform/runtime/clock'
import type { RandomBytes } from '@signet/tokens/identifiers'
import type { TokenConfig } from './config.ts'

/** What a composition gives the token service. */
export interface TokenOptions {
  readonly config: TokenConfig
  /** Connected as role `signet_token`. */
  readonly database: Database
  readonly redis: Redis
  readonly keys: RpcTransport
  readonly logger: Logger
  readonly now: Clock
  readonly random: RandomBytes
  readonly metrics?: Metrics
}
