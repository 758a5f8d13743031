import { setTimeout as pauseFor } from 'node:timers/promises'
import { rpcClient } from '@signet/grpc/client'
import { TransferService } from '@signet/grpc/gen/directory/v1/transfer_service_pb'
import { KeyService } from '@signet/grpc/gen/keys/v1/key_service_pb'
import {
  createApplyBatches,
  createExportDirectory,
  createFindDeletedUsers,
  createUndoBatches,
} from './clients/directory.ts'
import { createSignManifest } from './clients/keys.ts'
import type { MigrationDependencies, MigrationRepositories } from './dependencies.ts'
import { createRunExport } from './export/run-export.ts'
import { createMarkBlocked } from './import/blocked-records.ts'
import { createBlockingRecordRepository } from './import/blocking-records.repository.ts'
import { createRunImport } from './import/run-import.ts'
import { createStageObject } from './import/stage-object.ts'
import { createClearDeletedUsers } from './jobs/deleted-users.ts'
import { type JobQueue, startQueueWorker } from './jobs/job-queue.ts'
import { createJobStorage } from './jobs/job-storage.ts'
import { startReconciler } from './jobs/reconciler.ts'
import { createRunCounter, createRunJob } from './jobs/run-job.ts'
import { UploadRepository } from './storage/upload.repository.ts'
import { createRunUndo } from './undo/run-undo.ts'

const MOST_INLINE_BYTES = 268_435_456
const STORAGE_IDLE_MS = 30_000
const STORAGE_RETRY_MS = 500
/** docs/spec 6.5: every 5 seconds; more often where a shorter silence counts. */
const RECONCILE_MS = 5_000

const pause = (milliseconds: number) => pauseFor(milliseconds)

export interface Worker {
  /** Whether its reconciler succeeded recently. */
  isAlive(): boolean
  stop(): Promise<void>
}

/** Runs jobs until it is stopped. */
export function startWorker(
  dependencies: MigrationDependencies,
  repositories: MigrationRepositories,
  queue: JobQueue,
): Worker {
  const { config, transfer, logger, tracing, now } = dependencies
  const { jobs, dispatches, workerId } = repositories
  const client = rpcClient(TransferService, transfer)
  let stopping = false
  const run = createRunJob({
    jobs,
    dispatches,
    run: createRuns(dependencies, repositories, { client, stopping: () => stopping }),
    count: createRunCounter(dependencies.metrics),
    pause,
    logger,
    stopping: () => stopping,
  })
  const worker = startQueueWorker(run, { redisUrl: config.queueRedisUrl, logger, tracing })
  const reconciler = startReconciler({
    jobs,
    dispatches,
    dispatch: queue.dispatch,
    stopping: () => stopping,
    clearDeletedUsers: createClearDeletedUsers(dependencies.database, createFindDeletedUsers(client)),
    everyMs: Math.min(RECONCILE_MS, (config.stallSeconds * 1000) / 2),
    now,
    logger,
  })
  return {
    isAlive: () => reconciler.isAlive(),
    async stop() {
      stopping = true
      const announced = dispatches
        .announceStop(workerId)
        .catch((error: unknown) => logger.warn('stop_not_announced', { error }))
      await Promise.all([announced, worker.close(), reconciler.stop()])
    },
  }
}

/** Creates the runner of each kind of job. */
function createRuns(
  dependencies: MigrationDependencies,
  { jobs, staged, rejected, documents, sealer, workerId }: MigrationRepositories,
  {
    client,
    stopping,
  }: {
    readonly client: Parameters<typeof createApplyBatches>[0]
    readonly stopping: () => boolean
  },
) {
  const { config, keys, now } = dependencies
  const storage = createJobStorage({
    uploads: new UploadRepository(dependencies.database),
    sealer,
    options: {
      allow: config.outboundAllow,
      idleMs: STORAGE_IDLE_MS,
      retryDelayMs: STORAGE_RETRY_MS,
      folder: config.folder,
    },
    ownStorage: config.ownStorage,
  })
  const stage = createStageObject({ staged, rejected, sealer })
  const applyBatches = createApplyBatches(client, {
    domainSuffix: new URL(config.issuer).hostname,
    // The time of a job counts from its end, a day after its batches at most.
    undoDays: config.jobRetentionDays + 2,
  })
  return {
    import: createRunImport({
      jobs,
      staged,
      rejected,
      sealer,
      applyBatches,
      markBlocked: createMarkBlocked(createBlockingRecordRepository(dependencies.database)),
      stageStored: async (job, attempt) => {
        const object = await storage.open(job)
        try {
          return await stage(job, { object, attempt, mayContinue: () => jobs.mayContinue(job.id, attempt) })
        } finally {
          object.close()
        }
      },
      workerId,
      pause,
      stopping,
    }),
    undo: createRunUndo({
      jobs,
      staged,
      undoBatches: createUndoBatches(client),
      workerId,
      pause,
      stopping,
    }),
    export: createRunExport({
      jobs,
      directory: createExportDirectory(client),
      target: async (job, attempt) =>
        job.request.storage === undefined
          ? { target: await documents.open(job.id, attempt), mostBytes: MOST_INLINE_BYTES }
          : { target: await storage.target(job), mostBytes: Number.POSITIVE_INFINITY },
      sign: createSignManifest(rpcClient(KeyService, keys)),
      workerId,
      pause,
      stopping,
      issuer: config.issuer,
      now,
    }),
  }
}
