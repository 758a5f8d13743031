import { setTimeout as pauseFor } from 'node:timers/promises'
import { auditLog } from '@signet/audit-trail/audit-log'
import { auditProblems } from '@signet/audit-trail/audit-problems'
import { authenticateBearer } from '@signet/bearer-authentication/authenticate-bearer'
import { createHttpApp } from '@signet/http-server/app'
import { jsonErrorHandler } from '@signet/http-server/json-error-handler'
import type { Metrics } from '@signet/metrics/metrics'
import type { Database } from '@signet/postgres/pool'
import { rpcClient } from '@signet/rpc/client'
import { TransferService } from '@signet/rpc/gen/directory/v1/transfer_service_pb'
import { BearerService } from '@signet/rpc/gen/token/v1/bearer_service_pb'
import type { RpcTransport } from '@signet/rpc/transport'
import type { Clock } from '@signet/service-runtime/clock'
import type { Logger } from '@signet/service-runtime/logger'
import type { Service } from '@signet/service-runtime/service'
import { newIdentifier, type RandomBytes } from '@signet/token-format/identifiers'
import type { Tracing } from '@signet/tracing/tracing'
import { batchApplier, exportDirectory } from './collaborators/transfer-service.ts'
import type { MigrationConfig } from './config.ts'
import { runExport } from './exports/run-export.ts'
import { requireAdministrator } from './http/administrator.ts'
import { answerJob } from './http/answer-job.ts'
import { exportRoute } from './http/export-route.ts'
import { importRoute } from './http/import-route.ts'
import { jobRoutes } from './http/job-routes.ts'
import { importReport } from './imports/import-report.ts'
import { importResult } from './imports/import-result.ts'
import { receiveImport } from './imports/receive-import.ts'
import { runImport } from './imports/run-import.ts'
import { stageObject } from './imports/stage-object.ts'
import { startHeartbeatJob } from './jobs/heartbeat.job.ts'
import { measureQueue, runCounter } from './jobs/job-metrics.ts'
import { type JobQueue, openJobQueue, type QueueOptions, startWorker } from './jobs/job-queue.ts'
import { startReconcilerJob } from './jobs/reconciler.job.ts'
import { jobCreation } from './runs/create-job.ts'
import { jobDesk } from './runs/job-desk.ts'
import { reconcile } from './runs/reconcile.ts'
import { runJob } from './runs/run-job.ts'
import { waitForJob } from './runs/wait-for-job.ts'
import { createStagedSealer } from './sealing/staged-sealer.ts'
import { storedPlaces } from './storage/open-stored.ts'
import { placeFinder } from './storage/storage-member.ts'
import { trail } from './stores/audit-trail.ts'
import { PostgresDispatchStore } from './stores/dispatch-store.ts'
import { PostgresDocumentStore } from './stores/document-store.ts'
import { PostgresJobStore } from './stores/job-store.ts'
import { PostgresStagedStore } from './stores/staged-store.ts'
import { PostgresStorageOrderStore } from './stores/storage-order-store.ts'

interface MigrationDependencies {
  readonly config: MigrationConfig
  /** Connected as role `signet_migration`; closed by whoever opened it. */
  readonly database: Database
  /** Tells who is calling. */
  readonly token: RpcTransport
  /** The directory, where calls last as long as they need. */
  readonly transfer: RpcTransport
  readonly logger: Logger
  readonly metrics?: Metrics
  readonly tracing?: Tracing
  readonly now: Clock
  readonly random: RandomBytes
}

const MOST_INLINE_BYTES = 268_435_456
const STORAGE_IDLE_MS = 30_000
const STORAGE_RETRY_MS = 500
/** DESIGN section 8: every 5 seconds; more often where silence counts sooner. */
const RECONCILE_MS = 5_000

const pause = (milliseconds: number) => pauseFor(milliseconds)

/** Composes and starts the migration service: its API, its worker, or both. */
export async function startMigration(dependencies: MigrationDependencies): Promise<Service> {
  const { config, database, logger, now, random } = dependencies
  const workerId = newIdentifier(now(), random)
  const sealer = createStagedSealer(config.masterKeys.reveal(), random)
  const jobs = new PostgresJobStore(database, config.stallSeconds)
  const dispatches = new PostgresDispatchStore(database, config.stallSeconds)
  const stores = {
    jobs,
    dispatches,
    staged: new PostgresStagedStore(database, config.stallSeconds),
    documents: new PostgresDocumentStore(database, sealer),
    sealer,
    workerId,
  }
  await dispatches.beat(workerId)
  const queue = openJobQueue(queueOptions(dependencies))
  measureQueue(dependencies.metrics, queue)
  const stopHeartbeat = startHeartbeatJob(() => dispatches.beat(workerId), {
    everyMs: (config.stallSeconds * 1000) / 6,
    logger,
  })
  const worker = config.roles === 'api' ? undefined : startWorkerRole(dependencies, stores, queue)
  return {
    name: 'migration',
    ...(config.roles !== 'worker' && { http: httpApp(dependencies, stores, queue) }),
    async notReady() {
      const [queueReachable, databaseReachable] = await Promise.all([
        queue.isReachable(),
        jobs.isReachable().catch((error: unknown) => {
          logger.warn('database_unreachable', { error })
          return false
        }),
      ])
      return [
        ...(queueReachable ? [] : ['queue']),
        ...(databaseReachable ? [] : ['database']),
        ...((worker?.isAlive() ?? true) ? [] : ['reconciler']),
      ]
    },
    async stop() {
      await worker?.stop()
      await stopHeartbeat()
      await queue.close()
    },
  }
}

function queueOptions({ config, logger, tracing }: MigrationDependencies): QueueOptions {
  return { redisUrl: config.queueRedisUrl, logger, tracing }
}

interface Stores {
  readonly jobs: PostgresJobStore
  readonly dispatches: PostgresDispatchStore
  readonly staged: PostgresStagedStore
  readonly documents: PostgresDocumentStore
  readonly sealer: ReturnType<typeof createStagedSealer>
  readonly workerId: string
}

function startWorkerRole(dependencies: MigrationDependencies, stores: Stores, queue: JobQueue) {
  const { config, transfer, logger, now } = dependencies
  const { jobs, dispatches, staged, documents, sealer, workerId } = stores
  const client = rpcClient(TransferService, transfer)
  let stopping = false
  const places = storedPlaces({
    orders: new PostgresStorageOrderStore(dependencies.database),
    sealer,
    options: {
      allow: config.outboundAllow,
      idleMs: STORAGE_IDLE_MS,
      retryDelayMs: STORAGE_RETRY_MS,
      folder: config.folder,
    },
    ownStorage: config.ownStorage,
  })
  const stage = stageObject({ staged, sealer })
  const applyBatch = batchApplier(client, new URL(config.issuer).hostname)
  const run = runJob({
    jobs,
    dispatches,
    run: {
      import: runImport({
        jobs,
        staged,
        sealer,
        applyBatch,
        stageStored: async (job) => {
          const object = await places.open(job)
          try {
            return await stage(job, object, () => jobs.goesOn(job.id))
          } finally {
            object.close()
          }
        },
        workerId,
        pause,
        stopping: () => stopping,
      }),
      export: runExport({
        jobs,
        directory: exportDirectory(client),
        target: async (job, attempt) =>
          job.request.storage === undefined
            ? { target: await documents.open(job.id, attempt), mostBytes: MOST_INLINE_BYTES }
            : { target: await places.target(job), mostBytes: Number.POSITIVE_INFINITY },
        workerId,
        pause,
        stopping: () => stopping,
        issuer: config.issuer,
        now,
      }),
    },
    count: runCounter(dependencies.metrics),
    pause,
    logger,
    stopping: () => stopping,
  })
  const worker = startWorker(run, queueOptions(dependencies))
  const reconciler = startReconcilerJob({
    reconcile: reconcile({ jobs, dispatches, dispatch: queue.dispatch }),
    everyMs: Math.min(RECONCILE_MS, (config.stallSeconds * 1000) / 2),
    now,
    logger,
  })
  return {
    isAlive: () => reconciler.isAlive(),
    async stop() {
      stopping = true
      await Promise.all([worker.close(), reconciler.stop()])
    },
  }
}

function httpApp(dependencies: MigrationDependencies, stores: Stores, queue: JobQueue) {
  const { config, database, token, logger, now, random } = dependencies
  const { jobs, staged, documents } = stores
  const administrator = requireAdministrator(
    authenticateBearer(rpcClient(BearerService, token)),
    auditProblems(auditLog(trail, database), logger),
  )
  const creation = jobCreation({
    ...stores,
    dispatch: queue.dispatch,
    newId: () => newIdentifier(now(), random),
    logger,
  })
  const desk = jobDesk({ jobs, documents, creation })
  const parts = {
    requireAdministrator: administrator,
    placeOf: placeFinder(config.ownStorage),
    answer: answerJob({ find: desk.find, wait: waitForJob({ jobs, pause, now }) }),
  }
  return createHttpApp({
    logger,
    trustedProxies: config.trustedProxies,
    routes: [
      exportRoute({ ...parts, addJob: creation.add, document: desk.document }),
      importRoute({
        ...parts,
        receive: receiveImport({ ...stores, creation }),
        result: (jobId) => importResult(staged, jobId),
      }),
      jobRoutes({ ...parts, desk, report: (job) => importReport(staged, job), pause }),
    ],
    errorHandler: jsonErrorHandler(logger),
  })
}
