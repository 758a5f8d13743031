import { type AuditRecorder, auditProblems, readRecorder } from '@signet/admin-api/audit/audit-recorder'
import { authenticateBearer } from '@signet/admin-api/authenticate-bearer'
import { type RpcTransport, rpcClient } from '@signet/grpc/client'
import { SessionService } from '@signet/grpc/gen/login/v1/session_service_pb'
import { SignInService } from '@signet/grpc/gen/login/v1/sign_in_service_pb'
import { BearerService } from '@signet/grpc/gen/token/v1/bearer_service_pb'
import { RevocationService } from '@signet/grpc/gen/token/v1/revocation_service_pb'
import { createRequestLimit } from '@signet/http/rate-limit'
import type { PasswordHasher } from '@signet/password-hash/password-hasher'
import type { Logger } from '@signet/platform/logger/logger'
import type { Metrics } from '@signet/platform/metrics/metrics'
import type { Database } from '@signet/platform/postgres/pool'
import type { Clock } from '@signet/platform/runtime/clock'
import { newIdentifier, type RandomBytes } from '@signet/tokens/identifiers'
import type { Router } from 'express'
import { operationRoutes } from './api/operation.routes.ts'
import { createOperationRunner } from './api/run-operation.ts'
import { createFailureReset, createSessionClient } from './clients/login-service.ts'
import { endingPublisher } from './clients/token-service.ts'
import type { AttemptKeys } from './credentials/attempt-keys.ts'
import type { CheckPassword } from './credentials/password-policy.ts'
import { testMailSender } from './mail/test-mail.ts'
import type { Mailer } from './mail-services.ts'
import { managementStores, managementTransactions } from './management-stores.ts'
import { openapiRoute } from './openapi.routes.ts'
import { openapiText } from './openapi-document.ts'
import { OPERATIONS } from './operations.ts'

interface Dependencies {
  readonly database: Database
  readonly token: RpcTransport
  readonly login: RpcTransport
  readonly hasher: PasswordHasher
  readonly checkPassword: CheckPassword
  readonly masterKeys: readonly Buffer[]
  readonly attemptKeys: AttemptKeys
  readonly audit: AuditRecorder
  readonly issuer: string
  readonly rpId: string | undefined
  /** Most calls of one caller; undefined or 0: any number. */
  readonly callsPerSecond: number | undefined
  readonly mailer: Mailer
  readonly now: Clock
  readonly random: RandomBytes
  readonly logger: Logger
  readonly metrics?: Metrics
}

/** The routes of the management API, composed. */
export function managementApi(dependencies: Dependencies): readonly Router[] {
  const { database, token, login, audit, logger, hasher, checkPassword, masterKeys, now, random, mailer } =
    dependencies
  const services = {
    stores: managementStores(database, { masterKeys, random }),
    sessions: createSessionClient(rpcClient(SessionService, login)),
    resetFailures: createFailureReset(rpcClient(SignInService, login), dependencies.attemptKeys),
    hasher,
    checkPassword,
    masterKeys,
    issuer: dependencies.issuer,
    rpId: dependencies.rpId,
    instanceSmtp: mailer.instanceSmtp,
    sendTestMail: testMailSender(mailer.send, dependencies.issuer, random),
    newId: () => newIdentifier(now(), random),
    now,
    random,
  }
  return [
    openapiRoute(openapiText(OPERATIONS)),
    operationRoutes({
      operations: OPERATIONS,
      authenticate: authenticateBearer(
        rpcClient(BearerService, token),
        createRequestLimit(dependencies.callsPerSecond, now),
      ),
      auditProblems: auditProblems(audit, logger),
      runOperation: createOperationRunner({
        services,
        transact: managementTransactions(database, { masterKeys, random }),
        publishEndings: endingPublisher(rpcClient(RevocationService, token)),
        recordRead: readRecorder({ audit, logger, metrics: dependencies.metrics }),
      }),
      services,
    }),
  ]
}
