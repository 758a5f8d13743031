import type { BlockList } from 'node:net'
import type { FeedPoller } from '@signet/directory-reader/change-feed'
import type { RpcTransport } from '@signet/grpc/client'
import {
  CLIENT_METADATA_SETTINGS,
  type ClientMetadata,
  clientMetadata,
} from '@signet/platform/config/client-metadata-settings'
import { MUTUAL_TLS_SETTINGS, type MutualTls, mutualTls } from '@signet/platform/config/mutual-tls-settings'
import { PASSKEY_SETTINGS, type PasskeyParty, passkeyParty } from '@signet/platform/config/passkey-settings'
import { type Environment, readSettings } from '@signet/platform/config/settings'
import type { Secret } from '@signet/platform/config/settings-fields'
import type { TokenReviewServer } from '@signet/platform/config/token-review-settings'
import type { Logger } from '@signet/platform/logger/logger'
import type { Metrics } from '@signet/platform/metrics/metrics'
import { permittedNetworks } from '@signet/platform/outbound-http/address-policy'
import type { Database } from '@signet/platform/postgres/pool'
import type { Redis } from '@signet/platform/redis/connection'
import type { createRevocationReader } from '@signet/revocation-reader/revocation-reader'
import {
  REVOCATION_SETTINGS,
  type RevocationConfig,
  revocationConfig,
} from '@signet/revocation-reader/revocation-settings'
import type { RandomBytes } from './sessions/browser.ts'

/** Settings of the login service, without the addresses of the services that it calls. */
export interface LoginConfig extends RevocationConfig {
  /** Public origin of Signet. It sets `iss` and the names of the cookies; the Host header does not. */
  readonly issuer: string
  /** Newest first: the first one authenticates cookies and Redis records, all of them verify them. */
  readonly masterKeys: Secret<readonly Buffer[]>
  /** Requests a second that one network may send to authorize and the sign-in pages; absent or 0: no limit. */
  readonly rateLimits: { readonly signIn?: number | undefined }
  /** The relying party of passkeys; undefined: there are no passkeys. */
  readonly passkeys?: PasskeyParty | undefined
  /** Proxies whose `X-Forwarded-For` is used. */
  readonly trustedProxies: BlockList
  /** Absent: certificates of clients count nowhere. */
  readonly mutualTls?: MutualTls | undefined
  /** Clients whose client_id is the URL of their document; undefined: there are none. */
  readonly clientMetadata?: DocumentedClients | undefined
  /** API servers that are asked whether tokens of their issuers still count. */
  readonly tokenReviews?: readonly TokenReviewServer[] | undefined
  /** Database of the places of network addresses; undefined: none has a place. */
  readonly placesFile?: string | undefined
  /** The first steps on the machine of a developer, which the page at the issuer shows; undefined elsewhere. */
  readonly firstSteps?: FirstSteps | undefined
}

export interface DocumentedClients extends ClientMetadata {
  /** Networks beside the public Internet in which their documents may be. */
  readonly outboundAllow: BlockList
}

export interface FirstSteps {
  /** Path of the page with the messages that were not sent; undefined with an SMTP server. */
  readonly mailbox: string | undefined
  /** Path of the console; undefined where it is switched off. */
  readonly console?: string | undefined
  /** The sample applications, which the developer starts; empty without the sample. */
  readonly applications: readonly SampleApplication[]
}

export interface SampleApplication {
  readonly name: string
  readonly url: string
  /** Starts it, with a word in place of its secret. */
  readonly command: string
}

/** Settings and connections of the login service. */
export interface LoginDependencies {
  readonly config: LoginConfig
  /** Connected as `signet_login`, which may only read published views. */
  readonly database: Database
  readonly redis: Redis
  /** gRPC transports to the services that this one calls. */
  readonly transports: {
    readonly directory: RpcTransport
    readonly token: RpcTransport
    readonly keys: RpcTransport
    /** Sign-ins by identity providers; all others go on while it is away. */
    readonly federation: RpcTransport
  }
  /** The poller of the change feed and the revocation reader of a process that runs several services. */
  readonly changes?: FeedPoller
  readonly openRevocations?: typeof createRevocationReader
  readonly logger: Logger
  readonly metrics?: Metrics
  readonly now: () => Date
  readonly random: RandomBytes
}

/** Reads the settings of this service. Throws ConfigurationError with every problem. */
export function readConfig(env: Environment): LoginConfig {
  const settings = readSettings(
    env,
    [
      'SIGNET_ISSUER',
      'SIGNET_LOGIN_MASTER_KEY',
      'SIGNET_RATE_LIMIT_SIGN_IN',
      'SIGNET_TRUSTED_PROXIES',
      'SIGNET_OUTBOUND_ALLOW',
      'SIGNET_PLACES_FILE',
      ...PASSKEY_SETTINGS,
      ...REVOCATION_SETTINGS,
    ],
    [...MUTUAL_TLS_SETTINGS, ...CLIENT_METADATA_SETTINGS, 'SIGNET_TOKEN_REVIEWS'],
  )
  const documented = clientMetadata(settings)
  const outboundAllow = permittedNetworks(settings.SIGNET_OUTBOUND_ALLOW, settings.SIGNET_ISSUER)
  return {
    issuer: settings.SIGNET_ISSUER,
    masterKeys: settings.SIGNET_LOGIN_MASTER_KEY,
    rateLimits: { signIn: settings.SIGNET_RATE_LIMIT_SIGN_IN },
    passkeys: passkeyParty(settings.SIGNET_ISSUER, settings),
    trustedProxies: settings.SIGNET_TRUSTED_PROXIES,
    mutualTls: mutualTls(settings, 'login'),
    clientMetadata: documented && { ...documented, outboundAllow },
    tokenReviews: settings.SIGNET_TOKEN_REVIEWS,
    placesFile: settings.SIGNET_PLACES_FILE,
    ...revocationConfig(settings),
  }
}
