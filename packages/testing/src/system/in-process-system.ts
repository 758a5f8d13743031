import { createHash, randomBytes, type X509Certificate } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { BlockList } from 'node:net'
import { passkeyParty } from '@signet/platform/config/passkey-settings'
import { Secret } from '@signet/platform/config/settings-fields'
import { silentLogger } from '@signet/platform/logger/logger'
import { permittedNetworks } from '@signet/platform/outbound-http/address-policy'
import { createDatabaseClock } from '@signet/platform/postgres/database-clock'
import { createPool, type Database } from '@signet/platform/postgres/pool'
import { DATABASE_ROLES } from '@signet/platform/postgres/roles'
import { listenHttp } from '@signet/platform/process/http-listener'
import { createMutualTlsRouter } from '@signet/platform/process/mutual-tls-listener'
import { startTracingCommands } from '@signet/platform/redis/trace-commands'
import type { Tracing } from '@signet/platform/tracing/tracing'
import { inject } from 'vitest'
import { applyBootstrap } from '../../../../apps/directory/src/bootstrap.ts'
import { createPublicRouter } from '../../../../apps/standalone/src/public-router.ts'
import {
  type Suite,
  type SuiteOptions,
  startSuite,
  suiteRoutes,
} from '../../../../apps/standalone/src/suite.ts'
import { MIGRATIONS } from '../../../../apps/standalone/src/suite-migrations.ts'
import type { OwnCertificate } from '../client-certificates.ts'
import { createRunningClock, type TestClock } from '../fake-clock.ts'
import { startPgbouncer } from '../pgbouncer.ts'
import { createTestDatabase } from '../postgres-fixture.ts'
import { startPrivateRedis } from '../redis-fixture.ts'
import { tokenPartitions } from '../token-partitions.ts'
import { firstStart, hasDefaultKeys } from './first-start.ts'
import { bootstrapDocument } from './test-directory.ts'
import { TestSystem } from './test-system.ts'

export interface InProcessOptions {
  readonly mode: 'in-process'
  /** A bootstrap document; the test directory when left out. */
  readonly document?: object
  /** How many copies of all services share the database and Redis; one when left out. */
  readonly replicas?: number
  /** The address of the first replica when left out. */
  readonly issuer?: string
  readonly clock?: TestClock
  readonly rateLimits?: SuiteOptions['config']['rateLimits']
  /** Whether exports without recipients are refused. */
  readonly sealedExports?: boolean
  /** The SMTP server of the instance; none when left out. */
  readonly smtp?: SuiteOptions['config']['smtp']
  /** Folder for local outputs and inputs of migrations. */
  readonly transferFolder?: string
  /** Contacts as in SIGNET_SECURITY_CONTACT. */
  readonly securityContacts?: readonly string[]
  /** Serves the metadata of RFC 8414 and RFC 9728. */
  readonly oauthMetadata?: boolean
  /** Whether clients register themselves. */
  readonly clientRegistration?: boolean
  /** Lets clients sign people in whose client_id is the URL of their document. */
  readonly clientMetadata?: SuiteOptions['config']['clientMetadata']
  readonly tokenReviews?: SuiteOptions['config']['tokenReviews']
  /** Database of the places of network addresses. */
  readonly placesFile?: string
  /** Takes the messages of the instance; without it there is no server for them. */
  readonly mailbox?: SuiteOptions['mailbox']
  /** Lets every service connect through PgBouncer in transaction mode, without named statements. */
  readonly pooled?: boolean
  /** Gives the services another address of their database: that of a relay, or with other credentials. */
  readonly postgresThrough?: (url: Secret) => Secret
  /** The same for Redis. */
  readonly redisThrough?: (url: Secret) => Secret | Promise<Secret>
  /** Takes the traces of the services. */
  readonly tracing?: Tracing
  /** A port of each replica that asks clients for certificates. */
  readonly mutualTls?: {
    readonly server: OwnCertificate
    /** The authorities of clients with tls_client_auth. */
    readonly authorities: readonly X509Certificate[]
  }
  /** Proxies whose headers are believed; none when left out. */
  readonly trustedProxies?: BlockList
  /** Networks besides the public Internet that the services call; without it loopback, if the issuer is there. */
  readonly outboundAllow?: BlockList
  /** How long Redis may be silent before PostgreSQL is asked for endings. */
  readonly redisSilenceMs?: number
}

/** A copy of all services, on a port of its own. */
export interface InProcessReplica {
  readonly base: string
  /** The origin of its port that asks for certificates; undefined without one. */
  readonly mutualTlsOrigin: string | undefined
  /** The network over which its services call each other. */
  readonly network: Suite['network']
  /** The paths and methods of its services. */
  readonly routes: ReturnType<typeof suiteRoutes>
}

interface Running extends InProcessReplica {
  start(): Promise<void>
  stop(): Promise<void>
}

interface Shared {
  readonly clock: TestClock
  /** Connects the superuser. */
  readonly database: Database
  readonly redisUrl: Secret
}

/** All services in this process, once or several times over the same database and Redis. */
export class InProcessSystem extends TestSystem {
  readonly clock: TestClock
  readonly database: Database
  readonly redisUrl: Secret
  readonly #replicas: readonly [Running, ...Running[]]
  readonly #opened: AsyncDisposableStack

  constructor(
    issuer: string,
    replicas: readonly [Running, ...Running[]],
    shared: Shared,
    opened: AsyncDisposableStack,
  ) {
    super(issuer, replicas[0].base)
    this.clock = shared.clock
    this.database = shared.database
    this.redisUrl = shared.redisUrl
    this.#replicas = replicas
    this.#opened = opened
  }

  get replicas(): readonly InProcessReplica[] {
    return this.#replicas
  }

  /** The network over which the services of the first replica call each other. */
  get network(): Suite['network'] {
    return this.#replicas[0].network
  }

  /** The paths and methods of the services. */
  get routes(): InProcessReplica['routes'] {
    return this.#replicas[0].routes
  }

  /** Stops all services, waits for `meanwhile` and starts them again over the same database and Redis. */
  async restart(meanwhile: () => Promise<void>): Promise<void> {
    for (const replica of this.#replicas) await replica.stop()
    await meanwhile()
    for (const replica of this.#replicas) await replica.start()
  }

  stop(): Promise<void> {
    return this.#opened.disposeAsync()
  }
}

export async function runInProcess(options: InProcessOptions): Promise<InProcessSystem> {
  const { document = bootstrapDocument(), replicas: count = 1, clock = createRunningClock() } = options
  const { postgresThrough = (url) => url, redisThrough = (url) => url, tracing } = options
  const opened = new AsyncDisposableStack()
  try {
    const masterKeys = masterKeysOfRun()
    const postgres = await createTestDatabase({
      migrations: MIGRATIONS,
      preparations: hasDefaultKeys(document)
        ? firstStart(clock.now(), masterKeys)
        : [tokenPartitions(clock.now())],
    })
    opened.defer(() => postgres.drop())
    const redis = await startPrivateRedis()
    opened.defer(() => redis.drop())
    const pool = (url: Secret) => {
      const database = createPool({ url, applicationName: 'test', max: 2 })
      opened.defer(() => database.close())
      return database
    }
    const common = { now: clock.now, random: randomBytes, logger: silentLogger }
    const database = pool(postgres.url('signet_directory'))
    await applyBootstrap({ ...common, document, config: { masterKeys }, database, environment: {} })
    const pooler = options.pooled ? await startPgbouncer(DATABASE_ROLES.map(postgres.url)) : undefined
    if (pooler !== undefined) opened.defer(() => pooler.stop())
    const servicesOf = async (issuer: string, mutualTlsOrigin: string | undefined) =>
      startSuite({
        ...common,
        clock: createDatabaseClock({ logger: silentLogger }),
        config: {
          issuer,
          trustedProxies: options.trustedProxies ?? new BlockList(),
          ...(mutualTlsOrigin !== undefined && {
            mutualTls: {
              origin: mutualTlsOrigin,
              header: 'client-cert',
              authorities: {
                current: options.mutualTls?.authorities ?? [],
                watch: () => ({ stop: async () => undefined }),
              },
            },
          }),
          revocationLog: true,
          revocationBounds: { redisSilenceMs: options.redisSilenceMs },
          rateLimits: options.rateLimits ?? {},
          outboundAllow: permittedNetworks(options.outboundAllow, issuer),
          namedStatements: pooler === undefined,
          sealedExports: options.sealedExports ?? false,
          ...(options.securityContacts && { securityContacts: options.securityContacts }),
          passkeys: passkeyParty(issuer),
          passwords: { minScore: 3 },
          signInNotices: true,
          placesFile: options.placesFile,
          console: true,
          ownAccountDeletion: true,
          oauthMetadata: options.oauthMetadata ?? false,
          clientMetadata: options.clientMetadata,
          tokenReviews: options.tokenReviews,
          clientRegistration: options.clientRegistration ?? false,
          smtp: options.smtp,
        },
        masterKeys: {
          ...{ keys: masterKeys, directory: masterKeys, migration: masterKeys, login: masterKeys },
          federation: masterKeys,
        },
        databaseUrl: (role) => pooler?.through(postgres.url(role)) ?? postgresThrough(postgres.url(role)),
        redisUrl: await redisThrough(redis.url),
        ...(options.transferFolder !== undefined && { transferFolder: options.transferFolder }),
        heapBytes: 2 ** 30,
        ...(options.mailbox && { mailbox: options.mailbox }),
        ...(tracing && { tracing }),
      })
    if (tracing) opened.defer(startTracingCommands(tracing))
    const { mutualTls } = options
    // One origin for all replicas, as for the issuer.
    let mutualTlsOrigin: string | undefined
    const runOne = async (issuer: string | undefined) => {
      const running = await runReplica(opened, { issuer, tracing, mutualTls, mutualTlsOrigin }, servicesOf)
      mutualTlsOrigin ??= running.mutualTlsOrigin
      return running
    }
    const first = await runOne(options.issuer)
    const issuer = options.issuer ?? first.base
    const more: Running[] = []
    while (more.length + 1 < count) more.push(await runOne(issuer))
    const shared = { clock, database: pool(postgres.adminUrl), redisUrl: redis.url }
    return new InProcessSystem(issuer, [first, ...more], shared, opened)
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

/** Master key that is the same in every process of the run, because keys in a template are sealed under it. */
function masterKeysOfRun(): Secret<readonly Buffer[]> {
  return new Secret([
    createHash('sha256')
      .update(`master key ${inject('runId')}`)
      .digest(),
  ])
}

interface ReplicaOptions {
  readonly mutualTls: InProcessOptions['mutualTls'] | undefined
  readonly issuer: string | undefined
  readonly tracing: Tracing | undefined
  /** The origin of the first replica. */
  readonly mutualTlsOrigin: string | undefined
}

/** Listens and starts the services; the issuer is the address that it listens on unless one is given. */
async function runReplica(
  opened: AsyncDisposableStack,
  { issuer: givenIssuer, tracing, ...given }: ReplicaOptions,
  servicesOf: (issuer: string, mutualTlsOrigin: string | undefined) => Promise<Suite>,
): Promise<Running> {
  // The port is part of the issuer, which the services are started with.
  let respond: RequestListener = (_req, res) => res.writeHead(503).end()
  const http = await listenHttp({ listener: (req, res) => respond(req, res), host: '127.0.0.1', port: 0 })
  const mtls =
    given.mutualTls &&
    (await listenHttp({
      listener: createMutualTlsRouter((req, res) => respond(req, res)),
      host: '127.0.0.1',
      port: 0,
      tls: { ...given.mutualTls.server, asksForCertificate: true },
    }))
  const mutualTlsOrigin = mtls && `https://localhost:${mtls.port}`
  const stopListening = async () => {
    await Promise.all([http.close(1_000), mtls?.close(1_000)])
  }
  opened.defer(stopListening)
  const base = `http://${givenIssuer === undefined ? 'localhost' : '127.0.0.1'}:${http.port}`
  const issuer = givenIssuer ?? base
  let services: Suite | undefined
  const stop = async () => {
    await services?.stop()
    services = undefined
  }
  opened.defer(stop)
  // Requests end before the services that they need.
  opened.defer(stopListening)
  const start = async () => {
    const started = await servicesOf(issuer, given.mutualTlsOrigin ?? mutualTlsOrigin)
    services = started
    respond = createPublicRouter(started.listeners, { issuer, tracing })
    while ((await started.notReady()).length > 0) await new Promise((resolve) => setImmediate(resolve))
  }
  await start()
  const running = (): Suite => {
    if (services === undefined) throw new Error('the services are stopped')
    return services
  }
  return {
    base,
    mutualTlsOrigin,
    get network() {
      return running().network
    },
    get routes() {
      return suiteRoutes(running())
    },
    start,
    stop,
  }
}
