import type { RequestListener } from 'node:http'
import { setTimeout as pauseFor } from 'node:timers/promises'
import { createAuditProblems, createAuditRecorder } from '@signet/admin-api/audit/audit-recorder'
import { createAuthenticateBearer } from '@signet/admin-api/authenticate-bearer'
import { jsonErrorHandler } from '@signet/admin-api/json-error-handler'
import { rpcClient } from '@signet/grpc/client'
import { TransferService } from '@signet/grpc/gen/directory/v1/transfer_service_pb'
import { BearerService } from '@signet/grpc/gen/token/v1/bearer_service_pb'
import { createHttpApp } from '@signet/http/app'
import { createRequestLimit } from '@signet/http/rate-limit'
import { newIdentifier } from '@signet/tokens/identifiers'
import { createTryStaged } from './clients/directory.ts'
import type { MigrationDependencies, MigrationRepositories } from './dependencies.ts'
import { createRequireAdministrator } from './http/administrator.ts'
import { createExportRoutes } from './http/export.routes.ts'
import { createImportRoutes } from './http/import.routes.ts'
import { createRespondWithJob, planBody } from './http/job-response.ts'
import { createJobRoutes } from './http/jobs.routes.ts'
import { createRewrapRoutes } from './http/rewrap.routes.ts'
import { writeImportReport, writeImportResult, writeUndoResult } from './import/import-result.ts'
import { writeLeftOut } from './import/left-out-list.ts'
import { createReceiveImport } from './import/receive-import.ts'
import { writeRejectsDocument } from './import/rejects.ts'
import { createJobService } from './jobs/job.service.ts'
import { auditTable } from './jobs/job-audit.ts'
import type { JobQueue } from './jobs/job-queue.ts'
import { createResolveLocation } from './jobs/requested-location.ts'
import { createRehearsalRepository } from './rehearsal/rehearsal.repository.ts'
import { createRehearse } from './rehearsal/rehearse.ts'

const pause = (milliseconds: number) => pauseFor(milliseconds)

/** The listener for the calls of administrators. */
export function createApi(
  dependencies: MigrationDependencies,
  repositories: MigrationRepositories,
  queue: JobQueue,
): RequestListener {
  const { config, database, token, logger, now, random } = dependencies
  const service = createJobService({
    ...repositories,
    dispatch: queue.dispatch,
    newId: () => newIdentifier(now(), random),
    pause,
    now,
    logger,
  })
  const parts = {
    requireAdministrator: createRequireAdministrator(
      createAuthenticateBearer(
        rpcClient(BearerService, token),
        createRequestLimit(config.rateLimits?.management, now),
        config,
      ),
      createAuditProblems(createAuditRecorder(auditTable, database), logger),
    ),
    resolveLocation: createResolveLocation(config.ownStorage),
    respond: createRespondWithJob(service),
  }
  async function* result(jobId: string): AsyncIterable<string> {
    const job = await service.find(jobId)
    if (job?.kind === 'undo') yield* writeUndoResult(repositories, job)
    else {
      const isDryRun = job?.request.dryRun === true
      const credentials = isDryRun ? job.credentials : undefined
      yield* writeImportResult(repositories, jobId, { plan: job && planBody(job), credentials })
    }
  }
  return createHttpApp({
    logger,
    issuer: config.issuer,
    trustedProxies: config.trustedProxies,
    clientCertificates: config.mutualTls,
    routes: [
      createExportRoutes({ ...parts, service, sealedExports: config.sealedExports }),
      createImportRoutes({
        ...parts,
        receive: createReceiveImport({ ...repositories, service }),
        result,
      }),
      createJobRoutes({
        ...parts,
        service,
        rehearse: createRehearse({
          rehearsals: createRehearsalRepository(database),
          sealer: repositories.sealer,
          tryStaged: createTryStaged(rpcClient(TransferService, dependencies.transfer)),
        }),
        report: (job) => writeImportReport(repositories, job),
        rejects: ({ id }) => writeRejectsDocument(repositories, id),
        leftOut: (job) => writeLeftOut(repositories, job),
        keepLeftOut: (job, list) => repositories.leftOut.store(job.id, list),
        result,
        pause,
        now,
      }),
      createRewrapRoutes({ ...parts, database, masterKeys: config.masterKeys.reveal(), random }),
    ],
    onError: jsonErrorHandler(logger),
  })
}
