import { auditLog, auditProblems, readRecorder } from '@signet/admin-api/audit/audit-log'
import { keepPartitions } from '@signet/admin-api/audit/audit-trail'
import { authenticateBearer } from '@signet/admin-api/authenticate-bearer'
import { type RpcTransport, rpcClient } from '@signet/grpc/client'
import { BearerService } from '@signet/grpc/gen/token/v1/bearer_service_pb'
import { RevocationService } from '@signet/grpc/gen/token/v1/revocation_service_pb'
import type { RpcService } from '@signet/grpc/service'
import { createHttpApp } from '@signet/http/app'
import type { Logger } from '@signet/platform/logger/logger'
import type { Metrics } from '@signet/platform/metrics/metrics'
import type { Database } from '@signet/platform/postgres/pool'
import { type Service, StartFailure } from '@signet/platform/process/service'
import type { Clock } from '@signet/platform/runtime/clock'
import { listKeys } from './administration/list-keys.ts'
import { revokeKey } from './administration/revoke-key.ts'
import { rewrapKeys } from './administration/rewrap-keys.ts'
import { rotateKeys } from './administration/rotate-keys.ts'
import { keyRevoker } from './collaborators/revocation-service.ts'
import type { KeysConfig } from './config.ts'
import { discoveryEndpoint } from './http/discovery-endpoint.ts'
import { errorHandler } from './http/error-handler.ts'
import { keyRoutes } from './http/key-routes.ts'
import { keySetEndpoint } from './http/key-set-endpoint.ts'
import { managementRoute } from './http/management-route.ts'
import { startPublishedRevocationsJob } from './jobs/published-revocations.job.ts'
import { startRotationJob } from './jobs/rotation.job.ts'
import { publishAndNote } from './revocation/publish-revocations.ts'
import { registerKeyMetrics } from './rotation/key-metrics.ts'
import { KeyRings, type KeyRingsOptions } from './rotation/key-rings.ts'
import { ROTATION_POLICY } from './rotation/rotation-policy.ts'
import { keyService } from './rpc/key-service.ts'
import { masterKeySealer } from './sealing/master-key-sealer.ts'
import { UnknownMasterKeyError } from './sealing/secret-sealer.ts'
import { trail } from './stores/audit-trail.ts'
import { PostgresKeyStore } from './stores/key-store.ts'

export interface KeysOptions {
  readonly config: KeysConfig
  /** As the role signet_keys; closed by its creator. */
  readonly database: Database
  /** Revokes the tokens of a revoked key, and authenticates callers. */
  readonly token: RpcTransport
  readonly logger: Logger
  readonly now: Clock
  /** How often each replica looks for changes and for what is due. */
  readonly tickIntervalMs?: number
  readonly heartbeatMs?: number
  readonly metrics?: Metrics
}

/**
 * Starts the service with keys in every ring, making the first ones if there are none. Throws StartFailure for a
 * master key that does not open what is stored and for a database that cannot be used.
 */
export async function startKeys(options: KeysOptions): Promise<Service<RpcService>> {
  const { config, database, token, logger, now, tickIntervalMs = 1_000, heartbeatMs = 10_000 } = options
  const store = new PostgresKeyStore(database)
  const sealer = masterKeySealer(config.masterKeys.reveal())
  const audit = auditLog(trail, database)
  const rings = await openRings({ store, sealer, policy: ROTATION_POLICY, now }, database)
  if (options.metrics !== undefined) registerKeyMetrics(options.metrics, { rings, now })
  const publish = publishAndNote(keyRevoker(rpcClient(RevocationService, token)), store)
  const stopping = new AbortController()
  const stopRotation = startRotationJob({
    tick: async () => publish((await rings.tick()).unpublished),
    intervalMs: tickIntervalMs,
    logger,
  })
  const stopPublishedRevocations = startPublishedRevocationsJob({
    revokePublished: () => rings.revokePublished(),
    intervalMs: tickIntervalMs,
    logger,
  })
  const stopPartitions = keepPartitions({ trail, database, logger, now })
  return {
    name: 'keys',
    http: createHttpApp({
      logger,
      issuer: config.issuer,
      trustedProxies: config.trustedProxies,
      endpoints: [discoveryEndpoint(config.issuer), keySetEndpoint({ rings, now })],
      routes: [
        keyRoutes({
          route: managementRoute(
            authenticateBearer(rpcClient(BearerService, token)),
            auditProblems(audit, logger),
          ),
          listKeys: listKeys({
            rings,
            recordRead: readRecorder({ audit, logger, metrics: options.metrics }),
          }),
          rotateKeys: rotateKeys(rings),
          revokeKey: revokeKey({ rings, publish }),
          rewrapKeys: rewrapKeys({ store, sealer }),
        }),
      ],
      onError: errorHandler(logger),
    }),
    rpc: [keyService({ rings, stopping: stopping.signal, heartbeatMs })],
    // The keys in memory outlive the database, so no outage takes a started replica out of service.
    notReady: async () => [],
    async stop() {
      stopping.abort()
      await Promise.all([stopRotation(), stopPublishedRevocations(), stopPartitions()])
    },
  }
}

async function openRings(options: KeyRingsOptions, database: Database): Promise<KeyRings> {
  try {
    // Before anything is recorded: the last process may have ended months ago.
    await trail.createPartitions(database, options.now())
    return await KeyRings.open(options)
  } catch (error) {
    if (error instanceof UnknownMasterKeyError) {
      throw new StartFailure(
        `SIGNET_KEYS_MASTER_KEY: stored keys are sealed under the master key ${error.fingerprint}, which is not in the list; add it after the newest one`,
      )
    }
    // node-postgres reports a refused connection by its code, without a text, when a host has several addresses.
    const { code, message } = error as NodeJS.ErrnoException
    throw new StartFailure(`PostgreSQL cannot give the keys: ${message || code}; check SIGNET_POSTGRES_URL`, {
      cause: error,
    })
  }
}
