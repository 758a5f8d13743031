import type { RequestListener } from 'node:http'
import { type Mailbox, startDirectory } from '@signet/directory/service'
import { type FeedPoller, startFeedPoller } from '@signet/directory-reader/change-feed'
import { startFederation } from '@signet/federation/service'
import type { InProcessNetwork } from '@signet/grpc/in-process'
import { type ServedRoute, servedRoutes } from '@signet/http/app'
import { startIntrospection } from '@signet/introspection/service'
import { startKeys } from '@signet/keys/service'
import type { FirstSteps } from '@signet/login/config'
import { startLogin } from '@signet/login/service'
import { startMigration } from '@signet/migration/service'
import { ownFolder } from '@signet/migration/storage/own-storage'
import type { Secret } from '@signet/platform/config/settings-fields'
import type { Logger } from '@signet/platform/logger/logger'
import type { DatabaseClock } from '@signet/platform/postgres/database-clock'
import type { Database } from '@signet/platform/postgres/pool'
import type { DatabaseRole } from '@signet/platform/postgres/roles'
import { startOrClose } from '@signet/platform/process/run-service'
import type { ServiceName } from '@signet/platform/process/service'
import { requireNoEviction } from '@signet/platform/redis/client'
import type { Redis } from '@signet/platform/redis/connection'
import type { Clock } from '@signet/platform/runtime/clock'
import type { Tracing } from '@signet/platform/tracing/tracing'
import { createSharedRevocations } from '@signet/revocation-reader/revocation-reader'
import { startToken } from '@signet/token/service'
import type { StandaloneConfig } from './config.ts'
import { createSuiteConnections, type SuiteConnections } from './suite-connections.ts'
import { createSuiteServices, type SuiteServices } from './suite-services.ts'

export interface SuiteOptions {
  readonly config: Pick<
    StandaloneConfig,
    | 'issuer'
    | 'trustedProxies'
    | 'mutualTls'
    | 'revocationLog'
    | 'revocationBounds'
    | 'rateLimits'
    | 'outboundAllow'
    | 'smtp'
    | 'passwords'
    | 'signInNotices'
    | 'placesFile'
    | 'console'
    | 'ownAccountDeletion'
    | 'namedStatements'
    | 'sealedExports'
    | 'ownStorage'
    | 'securityContacts'
    | 'oauthMetadata'
    | 'clientMetadata'
    | 'clientRegistration'
    | 'tokenReviews'
    | 'passkeys'
  >
  readonly masterKeys: {
    readonly keys: Secret<readonly Buffer[]>
    readonly directory: Secret<readonly Buffer[]>
    readonly migration: Secret<readonly Buffer[]>
    readonly login: Secret<readonly Buffer[]>
    readonly federation: Secret<readonly Buffer[]>
  }
  readonly databaseUrl: (role: DatabaseRole) => Secret
  readonly redisUrl: Secret
  /** Below it lie local outputs of exports and inputs of imports. */
  readonly transferFolder?: string
  readonly logger: Logger
  /** Reads the time of PostgreSQL. */
  readonly clock: DatabaseClock
  /** The time of the services. */
  readonly now: Clock
  readonly random: (size: number) => Buffer
  /** To what the heap of this process may grow. */
  readonly heapBytes: number
  readonly tracing?: Tracing
  /** Takes messages while there is no SMTP server. */
  readonly mailbox?: Mailbox
  /** Shown by the page at the issuer. */
  readonly firstSteps?: FirstSteps
}

export interface Suite {
  /** The network over which the services of this suite call each other. */
  readonly network: InProcessNetwork
  readonly listeners: ReadonlyMap<ServiceName, RequestListener>
  notReady(): Promise<readonly string[]>
  stop(): Promise<void>
}

/** The one worker of this process is only silent when the process is gone. */
const STALL_SECONDS = 10
const JOB_RETENTION_DAYS = 30

/** Starts the seven services in this process. They call each other by the same contracts as separate processes do. */
export function startSuite(options: SuiteOptions): Promise<Suite> {
  return startOrClose((opened) => startServices(options, opened))
}

/** The options of the suite, its connections and the services that run. */
interface Composition {
  readonly options: SuiteOptions
  readonly connections: SuiteConnections
  readonly services: SuiteServices
}

async function startServices(options: SuiteOptions, opened: AsyncDisposableStack): Promise<Suite> {
  const { namedStatements, revocationLog } = options.config
  const connections = createSuiteConnections({ ...options, namedStatements }, opened)
  const services = createSuiteServices(options, opened)
  const composition = { options, connections, services }

  const tokenRedis = await connections.redis('token')
  if (revocationLog) await requireNoEviction(tokenRedis)
  await runKeys(composition)
  await runDirectory(composition)
  // One poll of each for token, introspection and login, which is stopped after them.
  const tokenDatabase = connections.database('signet_token')
  const changes = startFeedPoller({ database: tokenDatabase, logger: logOf(options, 'token') })
  opened.defer(() => changes.stop())
  const shared = { changes, openRevocations: createSharedRevocations() }
  await runToken(composition, { ...shared, database: tokenDatabase, redis: tokenRedis })
  await runIntrospection(composition, shared)
  await runLogin(composition, shared)
  await runFederation(composition)
  await runMigration(composition)

  return {
    network: services.network,
    listeners: services.listeners(),
    notReady: async () => [...(await services.notReady()), ...connections.notReady()],
    stop: () => opened.disposeAsync(),
  }
}

const logOf = ({ logger }: SuiteOptions, service: ServiceName) => logger.child({ name: service })

async function runKeys({ options, connections, services }: Composition): Promise<void> {
  const { issuer, trustedProxies, mutualTls, rateLimits, securityContacts, oauthMetadata, clientMetadata } =
    options.config
  await services.run(
    startKeys({
      config: {
        ...{ issuer, trustedProxies, rateLimits, securityContacts, oauthMetadata },
        hasClientMetadata: clientMetadata !== undefined,
        clientRegistration: options.config.clientRegistration,
        ...(mutualTls && {
          mutualTls: {
            ...mutualTls,
            origins: mutualTls.origin,
            hasAuthorities: mutualTls.authorities !== undefined,
          },
        }),
        masterKeys: options.masterKeys.keys,
      },
      database: connections.database('signet_keys'),
      token: services.connect('keys', 'token'),
      logger: logOf(options, 'keys'),
      now: options.now,
    }),
  )
}

async function runDirectory({ options, connections, services }: Composition): Promise<void> {
  const { issuer, trustedProxies, mutualTls, rateLimits, outboundAllow, ...config } = options.config
  await services.run(
    startDirectory({
      config: {
        ...{ issuer, trustedProxies, mutualTls, rateLimits, outboundAllow },
        masterKeys: options.masterKeys.directory,
        passkeys: config.passkeys,
        smtp: config.smtp,
        passwords: config.passwords,
        signInNotices: config.signInNotices,
        placesFile: config.placesFile,
        console: config.console,
        ownAccountDeletion: config.ownAccountDeletion,
        oauthMetadata: config.oauthMetadata,
        clientMetadata: config.clientMetadata,
        clientRegistration: config.clientRegistration,
      },
      ...(options.mailbox && { mailbox: options.mailbox }),
      database: connections.database('signet_directory'),
      token: services.connect('directory', 'token'),
      login: services.connect('directory', 'login'),
      logger: logOf(options, 'directory'),
      now: options.now,
      random: options.random,
    }),
  )
}

/** The readers of changes and revocations that the services of one process have in common. */
interface SharedReaders {
  readonly changes: FeedPoller
  readonly openRevocations: ReturnType<typeof createSharedRevocations>
}

async function runToken(
  { options, services }: Composition,
  own: SharedReaders & { readonly database: Database; readonly redis: Redis },
): Promise<void> {
  const { issuer, trustedProxies, mutualTls, revocationLog, revocationBounds, rateLimits, outboundAllow } =
    options.config
  await services.run(
    startToken({
      ...own,
      config: {
        ...{ issuer, trustedProxies, mutualTls, revocationLog, revocationBounds, rateLimits, outboundAllow },
        clientMetadata: options.config.clientMetadata,
        tokenReviews: options.config.tokenReviews,
      },
      keys: services.connect('token', 'keys'),
      directory: services.connect('token', 'directory'),
      logger: logOf(options, 'token'),
      now: options.now,
      random: options.random,
    }),
  )
}

async function runIntrospection(
  { options, connections, services }: Composition,
  shared: SharedReaders,
): Promise<void> {
  const { issuer, trustedProxies, mutualTls, revocationLog, revocationBounds, rateLimits, tokenReviews } =
    options.config
  await services.run(
    startIntrospection({
      ...shared,
      config: {
        issuer,
        trustedProxies,
        mutualTls,
        revocationLog,
        revocationBounds,
        rateLimits,
        tokenReviews,
      },
      database: connections.database('signet_introspection'),
      redis: await connections.redis('introspection'),
      keys: services.connect('introspection', 'keys'),
      directory: services.connect('introspection', 'directory'),
      logger: logOf(options, 'introspection'),
      now: options.now,
      random: options.random,
      heapBytes: options.heapBytes,
    }),
  )
}

async function runLogin(
  { options, connections, services }: Composition,
  shared: SharedReaders,
): Promise<void> {
  const { issuer, passkeys, trustedProxies, mutualTls, revocationLog, revocationBounds, rateLimits } =
    options.config
  const { clientMetadata, outboundAllow, tokenReviews, placesFile } = options.config
  await services.run(
    startLogin({
      ...shared,
      config: {
        ...{ issuer, passkeys, trustedProxies, mutualTls, revocationLog, revocationBounds, rateLimits },
        clientMetadata: clientMetadata && { ...clientMetadata, outboundAllow },
        ...{ tokenReviews, placesFile },
        masterKeys: options.masterKeys.login,
        firstSteps: options.firstSteps,
      },
      database: connections.database('signet_login'),
      redis: await connections.redis('login'),
      transports: {
        directory: services.connect('login', 'directory'),
        token: services.connect('login', 'token'),
        keys: services.connect('login', 'keys'),
        federation: services.connect('login', 'federation'),
      },
      logger: logOf(options, 'login'),
      now: options.now,
      random: options.random,
    }),
  )
}

async function runFederation({ options, connections, services }: Composition): Promise<void> {
  const { issuer, outboundAllow } = options.config
  await services.run(
    startFederation({
      config: { issuer, outboundAllow, masterKeys: options.masterKeys.federation },
      database: connections.database('signet_federation'),
      directory: services.connect('federation', 'directory'),
      logger: logOf(options, 'federation'),
      now: options.now,
      random: options.random,
    }),
  )
}

async function runMigration({ options, connections, services }: Composition): Promise<void> {
  const { issuer, trustedProxies, mutualTls, rateLimits, sealedExports, outboundAllow } = options.config
  await services.run(
    startMigration({
      config: {
        ...{ issuer, trustedProxies, mutualTls, rateLimits, sealedExports, outboundAllow },
        oauthMetadata: options.config.oauthMetadata,
        queueRedisUrl: options.redisUrl,
        masterKeys: options.masterKeys.migration,
        roles: 'all',
        stallSeconds: STALL_SECONDS,
        jobRetentionDays: JOB_RETENTION_DAYS,
        ...storagePlaces(options),
      },
      database: connections.database('signet_migration'),
      token: services.connect('migration', 'token'),
      keys: services.connect('migration', 'keys'),
      transfer: services.connect('migration', 'directory'),
      logger: logOf(options, 'migration'),
      now: options.now,
      random: options.random,
      ...(options.tracing && { tracing: options.tracing }),
    }),
  )
}

/** The paths and methods that each service answers, for tests that have to reach all of them. */
export function suiteRoutes({
  listeners,
}: Pick<Suite, 'listeners'>): ReadonlyMap<ServiceName, readonly ServedRoute[]> {
  return new Map([...listeners].map(([name, listener]) => [name, servedRoutes(listener)]))
}

/** Calls that name a path and no storage mean the folder too, unless the operator has something better. */
function storagePlaces({ config: { ownStorage }, transferFolder: folder }: SuiteOptions) {
  const own = ownStorage ?? (folder === undefined ? undefined : ownFolder(folder))
  return { ...(folder !== undefined && { folder }), ...(own !== undefined && { ownStorage: own }) }
}
