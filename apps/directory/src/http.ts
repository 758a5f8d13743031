import type { RequestListener } from 'node:http'
import { createAuditProblems, createReadRecorder } from '@signet/admin-api/audit/audit-recorder'
import { createAuthenticateBearer } from '@signet/admin-api/authenticate-bearer'
import { jsonErrorHandler } from '@signet/admin-api/json-error-handler'
import { rpcClient } from '@signet/grpc/client'
import { SessionService } from '@signet/grpc/gen/login/v1/session_service_pb'
import { SignInService } from '@signet/grpc/gen/login/v1/sign_in_service_pb'
import { BearerService } from '@signet/grpc/gen/token/v1/bearer_service_pb'
import { PreviewService } from '@signet/grpc/gen/token/v1/preview_service_pb'
import { createHttpApp } from '@signet/http/app'
import { createNetworkLimit, createRequestLimit } from '@signet/http/rate-limit'
import { createRefusalRecorder } from '@signet/http/refusals'
import { operationRoutes } from './api/operation.routes.ts'
import { createOperationRunner } from './api/run-operation.ts'
import { clientRegistrationRoute } from './client-registration/client-registration.routes.ts'
import { createClientRegistrations } from './client-registration/client-registrations.service.ts'
import {
  createSessionClient,
  createSignInExplainer,
  createSignInPagePreviewClient,
} from './clients/login-service.ts'
import { createTokenPreviewClient } from './clients/token-service.ts'
import type { DirectoryOptions } from './config.ts'
import { consoleRoute } from './console.routes.ts'
import { createTestMailSender } from './mail/test-mail.ts'
import {
  createManagementTransactions,
  type ManagementServices,
  managementStores,
} from './management-stores.ts'
import { openapiRoute } from './openapi.routes.ts'
import { OPERATIONS } from './operations.ts'
import type { DirectoryParts } from './parts.ts'

/** The management API and its documentation. */
export function createDirectoryHttpApp(
  parts: DirectoryParts,
  { token, login }: Pick<DirectoryOptions, 'token' | 'login'>,
): RequestListener {
  const { config, database, mailer, audit, logger, metrics, now, random } = parts
  const services: ManagementServices = {
    ...parts,
    stores: managementStores(database, parts),
    sessions: createSessionClient(rpcClient(SessionService, login), parts.places),
    previewTokens: createTokenPreviewClient(rpcClient(PreviewService, token)),
    explainSignIn: createSignInExplainer(rpcClient(SignInService, login)),
    previewSignInPage: createSignInPagePreviewClient(rpcClient(SignInService, login)),
    issuer: config.issuer,
    rpId: config.passkeys?.rpId,
    takesClientDocuments: config.clientMetadata !== undefined,
    registersClients: config.clientRegistration === true,
    takesCertificates: config.mutualTls !== undefined,
    instanceSmtp: mailer.instanceSmtp,
    sendTestMail: createTestMailSender(mailer.send, config.issuer, random),
  }
  const transact = createManagementTransactions(database, parts)
  const registrations = createClientRegistrations({
    ...services,
    transact,
    publishEndings: parts.publishEndings,
  })
  return createHttpApp({
    logger,
    issuer: config.issuer,
    trustedProxies: config.trustedProxies,
    clientCertificates: config.mutualTls,
    onError: jsonErrorHandler(logger),
    routes: [
      openapiRoute(),
      ...(config.console ? [consoleRoute(config.issuer)] : []),
      ...(config.clientRegistration
        ? [
            clientRegistrationRoute({
              registrations,
              limit: createNetworkLimit(config.rateLimits?.management, now),
              logger,
              refusals: createRefusalRecorder(logger, (refusal) =>
                parts.reporter.report({ ...refusal, service: 'directory' }),
              ),
            }),
          ]
        : []),
      operationRoutes({
        operations: OPERATIONS,
        authenticate: createAuthenticateBearer(
          rpcClient(BearerService, token),
          createRequestLimit(config.rateLimits?.management, now),
          config,
        ),
        auditProblems: createAuditProblems(audit, logger),
        runOperation: createOperationRunner({
          services,
          transact,
          publishEndings: parts.publishEndings,
          recordRead: createReadRecorder({ audit, logger, metrics }),
        }),
        services,
      }),
    ],
  })
}
