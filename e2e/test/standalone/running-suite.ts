import { randomBytes } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { BlockList } from 'node:net'
import { applyBootstrap, type BootstrapFileInput } from '@signet/directory/bootstrap'
import { Secret } from '@signet/platform/config/settings-fields'
import { silentLogger } from '@signet/platform/logger/logger'
import { permittedNetworks } from '@signet/platform/outbound-http/address-policy'
import { createPool, type Database } from '@signet/platform/postgres/pool'
import { listenHttp } from '@signet/platform/process/http-listener'
import type { Clock } from '@signet/platform/runtime/clock'
import { publicRouter } from '@signet/standalone/public-router'
import { type Suite, type SuiteOptions, startSuite } from '@signet/standalone/suite'
import { MIGRATIONS } from '@signet/standalone/suite-migrations'
import { createTestDatabase } from '@signet/testing/postgres-fixture'
import { startPrivateRedis } from '@signet/testing/redis-fixture'

export interface RunningSuite {
  readonly suite: Suite
  readonly issuer: string
  /** Where it listens; the issuer itself unless that was given. */
  readonly base: string
  /** Reads and writes everything. */
  readonly database: Database
  readonly redisUrl: Secret
  /** Stops all services, waits for `meanwhile` and starts them again over the same database and Redis. */
  restart(meanwhile: () => Promise<void>): Promise<void>
  close(): Promise<void>
}

export interface RunningSuiteOptions {
  /** For local outputs and inputs of migrations. */
  readonly transferFolder?: string
  readonly document: BootstrapFileInput
  /** The address it listens on when left out. */
  readonly issuer?: string
  readonly now?: Clock
  readonly rateLimits?: SuiteOptions['config']['rateLimits']
}

/** One suite in this process over a database and a Redis of its own, ready to answer. */
export async function runSuite(options: RunningSuiteOptions): Promise<RunningSuite> {
  const { document, now = () => new Date() } = options
  const opened = new AsyncDisposableStack()
  const postgres = await createTestDatabase({ migrations: MIGRATIONS })
  opened.defer(() => postgres.drop())
  const redis = await startPrivateRedis()
  opened.defer(() => redis.drop())
  const pool = (url: Secret): Database => {
    const database = createPool({ url, applicationName: 'test', max: 2 })
    opened.defer(() => database.close())
    return database
  }
  const masterKeys = new Secret([randomBytes(32)])
  await applyBootstrap({
    document,
    config: { masterKeys },
    database: pool(postgres.url('signet_directory')),
    environment: {},
    now,
    random: randomBytes,
    logger: silentLogger,
  })
  // The port is part of the issuer, which the services are started with.
  let answer: RequestListener = (_req, res) => res.writeHead(503).end()
  const http = await listenHttp({ listener: (req, res) => answer(req, res), host: '127.0.0.1', port: 0 })
  const stopListening = async () => {
    await http.close(1_000)
  }
  opened.defer(stopListening)
  const issuer = options.issuer ?? `http://localhost:${http.port}`
  const start = () =>
    startSuite({
      config: {
        issuer,
        trustedProxies: new BlockList(),
        revocationLog: true,
        rateLimits: options.rateLimits ?? {},
        outboundAllow: permittedNetworks(undefined, issuer),
        namedStatements: true,
      },
      masterKeys: { keys: masterKeys, directory: masterKeys, migration: masterKeys, login: masterKeys },
      databaseUrl: postgres.url,
      redisUrl: redis.url,
      ...(options.transferFolder !== undefined && { transferFolder: options.transferFolder }),
      logger: silentLogger,
      now,
      random: randomBytes,
      heapBytes: 2 ** 30,
    })
  let suite = await start()
  opened.defer(() => suite.stop())
  // Requests end before what answers them does.
  opened.defer(stopListening)
  const serve = async () => {
    answer = publicRouter(suite.listeners, issuer)
    while ((await suite.notReady()).length > 0) await new Promise((resolve) => setImmediate(resolve))
  }
  await serve()
  return {
    get suite() {
      return suite
    },
    issuer,
    base: options.issuer === undefined ? issuer : `http://127.0.0.1:${http.port}`,
    database: pool(postgres.adminUrl),
    redisUrl: redis.url,
    async restart(meanwhile) {
      await suite.stop()
      await meanwhile()
      suite = await start()
      await serve()
    },
    close: () => opened.disposeAsync(),
  }
}
