import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { getHeapStatistics } from 'node:v8'
import { openDatabases } from '@signet/dev-stack/installation/databases'
import { openInstallation } from '@signet/dev-stack/installation/installation'
import {
  SAMPLE_APPLICATIONS,
  sampleEnvironment,
  sampleSecrets,
  writeSample,
} from '@signet/dev-stack/installation/sample'
import { welcome } from '@signet/dev-stack/installation/welcome'
import { applyBootstrap, readBootstrapDocument } from '@signet/directory/bootstrap'
import type { Environment } from '@signet/platform/config/settings'
import type { Secret } from '@signet/platform/config/settings-fields'
import type { Logger } from '@signet/platform/logger/logger'
import { createDatabaseClock, type DatabaseClock } from '@signet/platform/postgres/database-clock'
import { prepareDatabase } from '@signet/platform/postgres/migrate'
import { createPool } from '@signet/platform/postgres/pool'
import { availableHost, listenHttp, localhostAddresses } from '@signet/platform/process/http-listener'
import { startMutualTlsListener } from '@signet/platform/process/mutual-tls-listener'
import { startOrClose } from '@signet/platform/process/run-service'
import { StartFailure } from '@signet/platform/process/service'
import { startTracingCommands } from '@signet/platform/redis/trace-commands'
import { compactHeap } from '@signet/platform/runtime/heap'
import { openTracedLog } from '@signet/platform/tracing/open-tracing'
import { isLoopbackHost } from '@signet/protocol/redirect-uri'
import { readStandaloneConfig, type StandaloneConfig } from './config.ts'
import { createMailbox, MAILBOX_PATH } from './mailbox.ts'
import { createPublicRouter } from './public-router.ts'
import { startSuite } from './suite.ts'
import { MIGRATIONS } from './suite-migrations.ts'

const READY_DEADLINE_MS = 30_000
const READY_POLL_MS = 20
/** Requests that still run when the suite stops get this long. */
const DRAIN_MS = 10_000

/**
 * Starts everything and prints `ready <issuer>` once every endpoint answers. Opened resources are closed in reverse
 * order.
 */
export async function startStandalone(
  env: Environment,
  aborted: AbortSignal,
): Promise<{ stop(): Promise<void> }> {
  const config = readStandaloneConfig(env)
  return startOrClose(async (opened) => {
    await open(config, env, opened, aborted)
    return { stop: () => opened.disposeAsync() }
  })
}

async function open(
  config: StandaloneConfig,
  env: Environment,
  opened: AsyncDisposableStack,
  aborted: AbortSignal,
): Promise<void> {
  const { tracing, logger } = await openTracedLog(
    { service: 'signet', level: config.logLevel, tracing: config.tracing, watch: startTracingCommands },
    opened,
  )
  const clock = createDatabaseClock({ logger })
  // Read first: a file with a mistake stops the start before anything is made.
  const own = config.bootstrapFile === undefined ? undefined : readBootstrapDocument(config.bootstrapFile)
  const installation = await openInstallation(config.dataDirectory, randomBytes)
  const databases = await openDatabases(config)
  opened.defer(() => databases.stop())
  const databaseUrl = await prepareDatabase({
    adminUrl: databases.postgresAdminUrl,
    passwords: installation.rolePasswords,
    migrations: MIGRATIONS,
  })
  const masterKeys = {
    keys: config.keysMasterKeys ?? installation.keysMasterKeys,
    directory: config.directoryMasterKeys ?? installation.directoryMasterKeys,
    migration: config.migrationMasterKeys ?? installation.migrationMasterKeys,
    login: config.loginMasterKeys ?? installation.loginMasterKeys,
    federation: config.federationMasterKeys ?? installation.federationMasterKeys,
  }
  await fillDirectory({
    document: own ?? readBootstrapDocument(await writeSample(config.issuer, config.dataDirectory)),
    // The sample takes the secrets of this installation.
    environment: config.bootstrapFile === undefined ? sampleEnvironment(sampleSecrets(installation)) : env,
    databaseUrl: databaseUrl('signet_directory'),
    masterKeys: masterKeys.directory,
    logger,
    clock,
  })
  const transferFolder = join(config.dataDirectory, 'transfer')
  await mkdir(transferFolder, { recursive: true, mode: 0o700 })
  const { issuer, host, port, tls } = config
  const isLoopback = isLoopbackHost(new URL(issuer).hostname)
  const mailbox =
    config.smtp === undefined && isLoopback
      ? createMailbox({ issuer, now: clock.now, write: (line) => process.stdout.write(line) })
      : undefined
  const suite = await startSuite({
    config,
    masterKeys,
    databaseUrl,
    redisUrl: databases.redisUrl,
    transferFolder,
    logger,
    clock,
    now: clock.now,
    random: randomBytes,
    heapBytes: getHeapStatistics().heap_size_limit,
    ...(tracing && { tracing }),
    ...(mailbox && { mailbox: mailbox.accept }),
    ...(isLoopback && {
      firstSteps: {
        mailbox: mailbox && MAILBOX_PATH,
        console: config.console ? '/console/' : undefined,
        applications: config.bootstrapFile === undefined ? SAMPLE_APPLICATIONS : [],
      },
    }),
  })
  opened.defer(() => suite.stop())
  compactHeap()
  const listener = createPublicRouter(suite.listeners, {
    issuer,
    tracing,
    ownPages: mailbox && new Map([[MAILBOX_PATH, mailbox.page]]),
  })
  const isLocalhost = host === '127.0.0.1' && new URL(issuer).hostname === 'localhost'
  for (const address of isLocalhost ? await localhostAddresses() : [await availableHost(host)]) {
    const http = await listenHttp({ listener, host: address, port, ...(tls && { tls }) })
    opened.defer(async () => {
      await http.close(DRAIN_MS)
    })
  }
  if (config.mutualTlsListener !== undefined) {
    const own = { listener, host: await availableHost(host), logger }
    const certificates = await startMutualTlsListener(config.mutualTlsListener, own)
    opened.defer(async () => void (await certificates.close(DRAIN_MS)))
  }
  await untilReady(() => suite.notReady(), aborted)
  process.stdout.write(`${await welcome(config, installation)}ready ${issuer}\n`)
}

async function untilReady(notReady: () => Promise<readonly string[]>, aborted: AbortSignal): Promise<void> {
  const deadline = Date.now() + READY_DEADLINE_MS
  for (;;) {
    const missing = await notReady()
    if (missing.length === 0 || aborted.aborted) return
    if (Date.now() > deadline)
      throw new StartFailure(`not ready within ${READY_DEADLINE_MS / 1000} s: ${missing.join(', ')}`)
    await new Promise((resolve) => setTimeout(resolve, READY_POLL_MS))
  }
}

interface Filling {
  readonly document: unknown
  /** Has the values that the file takes from variables. */
  readonly environment: Environment
  readonly databaseUrl: Secret
  readonly masterKeys: Secret<readonly Buffer[]>
  readonly logger: Logger
  readonly clock: DatabaseClock
}

/** Makes the records of a bootstrap file in the directory. */
async function fillDirectory({ document, environment, databaseUrl, masterKeys, logger, clock }: Filling) {
  const database = createPool({ url: databaseUrl, applicationName: 'signet-bootstrap', max: 1, kind: 'long' })
  try {
    await clock.read(database)
    await applyBootstrap({
      document,
      config: { masterKeys },
      database,
      environment,
      now: clock.now,
      random: randomBytes,
      logger: logger.child({ name: 'directory' }),
    })
  } finally {
    await database.close()
  }
}
