import type { Metrics } from '@signet/metrics/metrics'
import type { Database } from '@signet/postgres/pool'
import type { Redis } from '@signet/redis/client'
import type { RpcTransport } from '@signet/rpc/transport'
import type { Clock } from '@signet/service-runtime/clock'
import type { Logger } from '@signet/service-runtime/logger'
import type { RandomBytes } from '@signet/token-format/identifiers'
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
