import { setTimeout as pauseFor } from 'node:timers/promises'
import { rpcClient } from '@signet/grpc/client'
import { TransferService } from '@signet/grpc/gen/directory/v1/transfer_service_pb'
import { batchApplier, exportDirectory } from './collaborators/transfer-service.ts'
import { runExport } from './exports/run-export.ts'
import { runImport } from './imports/run-import.ts'
import { stageObject } from './imports/stage-object.ts'
import { runCounter } from './jobs/job-metrics.ts'
import { type JobQueue, startWorker } from './jobs/job-queue.ts'
import { startReconcilerJob } from './jobs/reconciler.job.ts'
import type { MigrationDependencies, MigrationStores } from './migration-stores.ts'
import { reconcile } from './runs/reconcile.ts'
import { runJob } from './runs/run-job.ts'
import { storedPlaces } from './storage/open-stored.ts'
import { PostgresStorageOrderStore } from './stores/storage-order-store.ts'

const MOST_INLINE_BYTES = 268_435_456
const STORAGE_IDLE_MS = 30_000
const STORAGE_RETRY_MS = 500
/** docs/spec 6.5: every 5 seconds; more often where a shorter silence counts. */
const RECONCILE_MS = 5_000

const pause = (milliseconds: number) => pauseFor(milliseconds)

export interface WorkerRole {
  /** Whether its reconciler succeeded recently. */
  isAlive(): boolean
  stop(): Promise<void>
}

/** Runs jobs until it is stopped. */
export function startWorkerRole(
  dependencies: MigrationDependencies,
  stores: MigrationStores,
  queue: JobQueue,
): WorkerRole {
  const { config, transfer, logger, tracing, now } = dependencies
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
        stageStored: async (job, attempt) => {
          const object = await places.open(job)
          try {
            return await stage(job, { object, attempt, goesOn: () => jobs.goesOn(job.id, attempt) })
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
  const worker = startWorker(run, { redisUrl: config.queueRedisUrl, logger, tracing })
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
