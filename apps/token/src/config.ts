import type { BlockList } from 'node:net'
import type { FeedPoller } from '@signet/directory-reader/change-feed'
import type { RpcTransport } from '@signet/grpc/client'
import {
  CLIENT_METADATA_SETTINGS,
  type ClientMetadata,
  clientMetadata,
} from '@signet/platform/config/client-metadata-settings'
import { MUTUAL_TLS_SETTINGS, type MutualTls, mutualTls } from '@signet/platform/config/mutual-tls-settings'
import { type Environment, readSettings } from '@signet/platform/config/settings'
import type { TokenReviewServer } from '@signet/platform/config/token-review-settings'
import type { Logger } from '@signet/platform/logger/logger'
import type { Metrics } from '@signet/platform/metrics/metrics'
import { permittedNetworks } from '@signet/platform/outbound-http/address-policy'
import type { Database } from '@signet/platform/postgres/pool'
import type { Redis } from '@signet/platform/redis/connection'
import type { Clock } from '@signet/platform/runtime/clock'
import type { createRevocationReader } from '@signet/revocation-reader/revocation-reader'
import {
  REVOCATION_SETTINGS,
  type RevocationConfig,
  revocationConfig,
} from '@signet/revocation-reader/revocation-settings'
import type { RandomBytes } from '@signet/tokens/identifiers'

export interface TokenConfig extends RevocationConfig {
  readonly issuer: string
  readonly trustedProxies: BlockList
  /** Absent: certificates of clients count nowhere. */
  readonly mutualTls?: MutualTls | undefined
  /** Clients whose client_id is the URL of their document, which names their keys; absent: none of them authenticates. */
  readonly clientMetadata?: Pick<ClientMetadata, 'hosts'> | undefined
  /** Requests a second of one client; absent: any number. */
  readonly rateLimits: {
    readonly token?: number | undefined
    readonly revocation?: number | undefined
    /** Limit for one network at the token endpoint, for clients that do not authenticate. */
    readonly public?: number | undefined
  }
  /** Networks beside the public Internet that logout tokens may be sent to, and in which issuers and clients may publish keys. */
  readonly outboundAllow: BlockList
  /** API servers that are asked whether tokens of their issuers still count. */
  readonly tokenReviews?: readonly TokenReviewServer[] | undefined
  /** How often the promise of a revocation is measured; absent: never. */
  readonly canarySeconds?: number
}

/** Reads the settings of this service. Throws ConfigurationError with every problem. */
export function readTokenConfig(env: Environment): TokenConfig {
  const settings = readSettings(
    env,
    [
      'SIGNET_ISSUER',
      'SIGNET_TRUSTED_PROXIES',
      ...REVOCATION_SETTINGS,
      'SIGNET_REVOCATION_CANARY_SECONDS',
      'SIGNET_OUTBOUND_ALLOW',
      'SIGNET_RATE_LIMIT_TOKEN',
      'SIGNET_RATE_LIMIT_REVOCATION',
      'SIGNET_RATE_LIMIT_PUBLIC',
    ],
    [...MUTUAL_TLS_SETTINGS, ...CLIENT_METADATA_SETTINGS, 'SIGNET_TOKEN_REVIEWS'],
  )
  return {
    issuer: settings.SIGNET_ISSUER,
    trustedProxies: settings.SIGNET_TRUSTED_PROXIES,
    mutualTls: mutualTls(settings, 'token'),
    clientMetadata: clientMetadata(settings),
    tokenReviews: settings.SIGNET_TOKEN_REVIEWS,
    ...revocationConfig(settings),
    rateLimits: {
      token: settings.SIGNET_RATE_LIMIT_TOKEN,
      revocation: settings.SIGNET_RATE_LIMIT_REVOCATION,
      public: settings.SIGNET_RATE_LIMIT_PUBLIC,
    },
    outboundAllow: permittedNetworks(settings.SIGNET_OUTBOUND_ALLOW, settings.SIGNET_ISSUER),
    ...(settings.SIGNET_REVOCATION_CANARY_SECONDS > 0 && {
      canarySeconds: settings.SIGNET_REVOCATION_CANARY_SECONDS,
    }),
  }
}

/** The dependencies of the token service. */
export interface TokenOptions {
  readonly config: TokenConfig
  /** Connected as role `signet_token`. */
  readonly database: Database
  readonly redis: Redis
  readonly keys: RpcTransport
  /** Takes refusals; without it none are kept. */
  readonly directory?: RpcTransport | undefined
  /** The poller of the change feed and the revocation reader of a process that runs several services. */
  readonly changes?: FeedPoller
  readonly openRevocations?: typeof createRevocationReader
  readonly logger: Logger
  readonly now: Clock
  readonly random: RandomBytes
  readonly metrics?: Metrics
}
