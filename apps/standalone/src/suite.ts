import type { RequestListener } from 'node:http'
import { type Mailbox, startDirectory } from '@signet/directory/service'
import { startFeedPoller } from '@signet/directory-reader/change-feed'
import type { RpcTransport } from '@signet/grpc/client'
import { createInProcessNetwork, type InProcessNetwork } from '@signet/grpc/in-process'
import { type RpcService, tracedService } from '@signet/grpc/service'
import { tracedTransport } from '@signet/grpc/traced-transport'
import { type ServedRoute, servedRoutes } from '@signet/http/app'
import { createTracedListener } from '@signet/http/instrumentation'
import { startIntrospection } from '@signet/introspection/service'
import { startKeys } from '@signet/keys/service'
import { startLogin } from '@signet/login/service'
import { startMigration } from '@signet/migration/service'
import { ownFolder } from '@signet/migration/storage/own-storage'
import type { Secret } from '@signet/platform/config/settings-fields'
import type { Logger } from '@signet/platform/logger/logger'
import { type Availability, watchAvailability } from '@signet/platform/postgres/availability'
import type { DatabaseClock } from '@signet/platform/postgres/database-clock'
import { createPool, type Database } from '@signet/platform/postgres/pool'
import type { DatabaseRole } from '@signet/platform/postgres/roles'
import { tracedDatabase } from '@signet/platform/postgres/traced-database'
import { startOrClose } from '@signet/platform/process/run-service'
import type { Service, ServiceName } from '@signet/platform/process/service'
import { connectRedis, createRedis, requireNoEviction } from '@signet/platform/redis/client'
import type { Redis } from '@signet/platform/redis/connection'
import type { Clock } from '@signet/platform/runtime/clock'
import type { Tracing } from '@signet/platform/tracing/tracing'
import { type RouteOwner, routeFor } from '@signet/protocol/routes'
import { createSharedRevocations } from '@signet/revocation-reader/revocation-reader'
import { startToken } from '@signet/token/service'
import type { StandaloneConfig } from './config.ts'

export interface SuiteOptions {
  readonly config: Pick<
    StandaloneConfig,
    | 'issuer'
    | 'trustedProxies'
    | 'revocationLog'
    | 'revocationBounds'
    | 'rateLimits'
    | 'outboundAllow'
    | 'smtp'
    | 'passwords'
    | 'signInNotices'
    | 'ownAccountDeletion'
    | 'namedStatements'
    | 'sealedExports'
    | 'ownStorage'
    | 'securityContacts'
    | 'passkeys'
  >
  readonly masterKeys: {
    readonly keys: Secret<readonly Buffer[]>
    readonly directory: Secret<readonly Buffer[]>
    readonly migration: Secret<readonly Buffer[]>
    readonly login: Secret<readonly Buffer[]>
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

/** Starts the six services in this process. They call each other by the same contracts as separate processes do. */
export function startSuite(options: SuiteOptions): Promise<Suite> {
  return startOrClose((opened) => startServices(options, opened))
}

async function startServices(options: SuiteOptions, opened: AsyncDisposableStack): Promise<Suite> {
  const { config, masterKeys, logger, clock, now, random, tracing } = options
  const {
    issuer,
    trustedProxies,
    revocationLog,
    revocationBounds,
    rateLimits,
    outboundAllow,
    securityContacts,
  } = config
  const log = (service: ServiceName) => logger.child({ name: service })

  const availabilities: Availability[] = []
  const database = (role: DatabaseRole): Database => {
    const pool = createPool({
      url: options.databaseUrl(role),
      applicationName: role,
      namedStatements: config.namedStatements,
      onIdleError: (error) => logger.warn('database_connection_lost', { database: role, error }),
    })
    opened.defer(() => pool.close())
    const availability = watchAvailability({ pool, clock, logger: logger.child({ name: role }) })
    opened.defer(() => availability.stop())
    availabilities.push(availability)
    return tracing ? tracedDatabase(pool, tracing) : pool
  }
  const redis = async (name: ServiceName): Promise<Redis> => {
    const client = createRedis({
      url: options.redisUrl,
      name,
      onError: (error) => logger.warn('redis_connection_lost', { name, error }),
    })
    opened.defer(() => client.disconnect())
    await connectRedis(client)
    return client
  }

  const network = createInProcessNetwork({
    onFailure: (rpc, error) => logger.error('rpc_failed', { rpc, error }),
  })
  const services: Service<RpcService>[] = []
  const run = async (starting: Promise<Service<RpcService>>) => {
    const service = await starting
    services.push(service)
    opened.defer(async () => {
      network.withdraw(service.name)
      await service.stop()
    })
    const served = [...(service.rpc ?? []), ...(service.lastingRpc ?? [])]
    network.serve(service.name, tracing ? served.map((one) => tracedService(one, tracing)) : served)
  }
  const connect = (caller: ServiceName, callee: ServiceName): RpcTransport => {
    const transport = network.transport(caller, callee)
    return tracing ? tracedTransport(transport, tracing) : transport
  }

  const tokenRedis = await redis('token')
  if (revocationLog) await requireNoEviction(tokenRedis)
  await run(
    startKeys({
      config: { issuer, trustedProxies, rateLimits, masterKeys: masterKeys.keys, securityContacts },
      database: database('signet_keys'),
      token: connect('keys', 'token'),
      logger: log('keys'),
      now,
    }),
  )
  await run(
    startDirectory({
      config: {
        ...{ issuer, trustedProxies, rateLimits, outboundAllow },
        masterKeys: masterKeys.directory,
        passkeys: config.passkeys,
        smtp: config.smtp,
        passwords: config.passwords,
        signInNotices: config.signInNotices,
        ownAccountDeletion: config.ownAccountDeletion,
      },
      ...(options.mailbox && { mailbox: options.mailbox }),
      database: database('signet_directory'),
      token: connect('directory', 'token'),
      login: connect('directory', 'login'),
      logger: log('directory'),
      now,
      random,
    }),
  )
  // One poll of each for token, introspection and login, which is stopped after them.
  const tokenDatabase = database('signet_token')
  const changes = startFeedPoller({ database: tokenDatabase, logger: log('token') })
  opened.defer(() => changes.stop())
  const shared = { changes, openRevocations: createSharedRevocations() }
  await run(
    startToken({
      ...shared,
      config: { issuer, trustedProxies, revocationLog, revocationBounds, rateLimits, outboundAllow },
      database: tokenDatabase,
      redis: tokenRedis,
      keys: connect('token', 'keys'),
      logger: log('token'),
      now,
      random,
    }),
  )
  await run(
    startIntrospection({
      ...shared,
      config: { issuer, trustedProxies, revocationLog, revocationBounds, rateLimits },
      database: database('signet_introspection'),
      redis: await redis('introspection'),
      keys: connect('introspection', 'keys'),
      logger: log('introspection'),
      now,
      random,
      heapBytes: options.heapBytes,
    }),
  )
  await run(
    startLogin({
      ...shared,
      config: {
        issuer,
        passkeys: config.passkeys,
        masterKeys: masterKeys.login,
        rateLimits,
        trustedProxies,
        revocationLog,
        revocationBounds,
      },
      database: database('signet_login'),
      redis: await redis('login'),
      transports: {
        directory: connect('login', 'directory'),
        token: connect('login', 'token'),
        keys: connect('login', 'keys'),
      },
      logger: log('login'),
      now,
      random,
    }),
  )
  await run(
    startMigration({
      config: {
        issuer,
        trustedProxies,
        rateLimits,
        queueRedisUrl: options.redisUrl,
        masterKeys: masterKeys.migration,
        roles: 'all',
        stallSeconds: STALL_SECONDS,
        jobRetentionDays: JOB_RETENTION_DAYS,
        sealedExports: config.sealedExports,
        outboundAllow: config.outboundAllow,
        ...storagePlaces(options),
      },
      database: database('signet_migration'),
      token: connect('migration', 'token'),
      keys: connect('migration', 'keys'),
      transfer: connect('migration', 'directory'),
      logger: log('migration'),
      now,
      random,
      ...(tracing && { tracing }),
    }),
  )

  return {
    network,
    listeners: new Map(
      services.flatMap(({ name, http }) => (http === undefined ? [] : [[name, http] as const])),
    ),
    async notReady() {
      const found = await Promise.all(
        services.map(async (service) => (await service.notReady()).map((what) => `${service.name}: ${what}`)),
      )
      const missing = availabilities.flatMap((availability) => availability.notReady())
      return [...found.flat(), ...new Set(missing)]
    },
    stop: () => opened.disposeAsync(),
  }
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

interface PublicRouterOptions {
  readonly issuer: string
  /** Pages of this process, by path. */
  readonly ownPages?: ReadonlyMap<string, RequestListener> | undefined
  readonly tracing?: Tracing | undefined
}

/** Sends each request to the service that owns its path, as an ingress would. */
export function createPublicRouter(
  services: ReadonlyMap<RouteOwner, RequestListener>,
  { issuer, ownPages, tracing }: PublicRouterOptions,
): RequestListener {
  const router: RequestListener = (req, res) => {
    const path = (req.url ?? '').split('?', 1)[0] ?? ''
    const route = routeFor(path)
    const listener = ownPages?.get(path) ?? (route && services.get(route.service))
    if (listener !== undefined) return listener(req, res)
    res.writeHead(404, { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' })
    res.end(`Nothing is served here. Signet describes itself at ${issuer}/.well-known/openid-configuration\n`)
  }
  return tracing ? createTracedListener(router, tracing) : router
}
