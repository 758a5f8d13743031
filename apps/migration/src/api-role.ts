import type { RequestListener } from 'node:http'
import { setTimeout as pauseFor } from 'node:timers/promises'
import { auditLog, auditProblems } from '@signet/admin-api/audit/audit-log'
import { authenticateBearer } from '@signet/admin-api/authenticate-bearer'
import { jsonErrorHandler } from '@signet/admin-api/json-error-handler'
import { rpcClient } from '@signet/grpc/client'
import { BearerService } from '@signet/grpc/gen/token/v1/bearer_service_pb'
import { createHttpApp } from '@signet/http/app'
import { newIdentifier } from '@signet/tokens/identifiers'
import { requireAdministrator } from './http/administrator.ts'
import { answerJob } from './http/answer-job.ts'
import { exportRoute } from './http/export-route.ts'
import { importRoute } from './http/import-route.ts'
import { jobRoutes } from './http/job-routes.ts'
import { importReport } from './imports/import-report.ts'
import { importResult } from './imports/import-result.ts'
import { receiveImport } from './imports/receive-import.ts'
import type { JobQueue } from './jobs/job-queue.ts'
import type { MigrationDependencies, MigrationStores } from './migration-stores.ts'
import { jobCreation } from './runs/create-job.ts'
import { jobDesk } from './runs/job-desk.ts'
import { waitForJob } from './runs/wait-for-job.ts'
import { placeFinder } from './storage/storage-member.ts'
import { trail } from './stores/audit-trail.ts'

const pause = (milliseconds: number) => pauseFor(milliseconds)

/** The listener for the calls of administrators. */
export function apiRole(
  dependencies: MigrationDependencies,
  stores: MigrationStores,
  queue: JobQueue,
): RequestListener {
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
    issuer: config.issuer,
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
    onError: jsonErrorHandler(logger),
  })
}
