import {
  createAuditProblems,
  createAuditRecorder,
  createReadRecorder,
} from '@signet/admin-api/audit/audit-recorder'
import { createKeepPartitions } from '@signet/admin-api/audit/audit-table'
import { createAuthenticateBearer } from '@signet/admin-api/authenticate-bearer'
import { jsonErrorHandler } from '@signet/admin-api/json-error-handler'
import { type RpcTransport, rpcClient } from '@signet/grpc/client'
import { BearerService } from '@signet/grpc/gen/token/v1/bearer_service_pb'
import { RevocationService } from '@signet/grpc/gen/token/v1/revocation_service_pb'
import type { RpcService } from '@signet/grpc/service'
import { createHttpApp } from '@signet/http/app'
import type { OnError } from '@signet/http/hot-endpoint'
import { oauthErrorHandler } from '@signet/http/oauth-error-handler'
import { createRequestLimit } from '@signet/http/rate-limit'
import { createLoggedRound, type Logger } from '@signet/platform/logger/logger'
import type { Metrics } from '@signet/platform/metrics/metrics'
import type { Database } from '@signet/platform/postgres/pool'
import { type Service, StartFailure } from '@signet/platform/process/service'
import type { Clock } from '@signet/platform/runtime/clock'
import { repeat } from '@signet/platform/runtime/clock'
import { DependencyUnavailableError } from '@signet/platform/runtime/dependency-unavailable'
import { AUDIT_HEAD_TYP, auditHeadClaims } from '@signet/tokens/audit-head'
import { signJws } from '@signet/tokens/keys/sign-jws'
import { manifestKey } from './active-signing-key.ts'
import { keyRoutes } from './admin.routes.ts'
import { createKeyAdministration } from './admin.service.ts'
import { AuditChainStore } from './audit-chain/audit-chain.repository.ts'
import { createLogSealing } from './audit-chain/seal-logs.service.ts'
import type { KeysConfig } from './config.ts'
import { keySetEndpoint, metadataEndpoints } from './discovery.routes.ts'
import { keyService } from './grpc.ts'
import { auditTable, KeyStore } from './rotation/key.repository.ts'
import { KeyRings, type KeyRingsOptions } from './rotation/key-rings.ts'
import { ROTATION_POLICY } from './rotation/policy.ts'
import { createPublishRevocations } from './rotation/publish-revocations.ts'
import { registerKeyMetrics, startRotationJob } from './rotation/rotation.job.ts'
import { masterKeySealer, UnknownMasterKeyError } from './sealing.ts'
import { securityTxtRoutes } from './security-txt.routes.ts'

export interface KeysOptions {
  readonly config: KeysConfig
  /** Connection as the role signet_keys; closed by its creator. */
  readonly database: Database
  /** Revokes the tokens of a revoked key, and authenticates callers. */
  readonly token: RpcTransport
  readonly logger: Logger
  readonly now: Clock
  /** How often each replica looks for changes and for what is due. */
  readonly tickIntervalMs?: number
  /** How often each replica seals the audit logs. */
  readonly sealIntervalMs?: number
  readonly heartbeatMs?: number
  readonly metrics?: Metrics
}

/**
 * Starts the service with keys in every ring, making the first ones if there are none. Throws StartFailure for a
 * master key that does not open what is stored, DependencyUnavailableError while PostgreSQL is away.
 */
export async function startKeys(options: KeysOptions): Promise<Service<RpcService>> {
  const { config, database, token, logger, now, tickIntervalMs = 1_000, heartbeatMs = 10_000 } = options
  const store = new KeyStore(database)
  const sealer = masterKeySealer(config.masterKeys.reveal())
  const audit = createAuditRecorder(auditTable, database)
  const rings = await openRings({ store, sealer, policy: ROTATION_POLICY, now }, database)
  if (options.metrics !== undefined) registerKeyMetrics(options.metrics, rings, now)
  const publish = createPublishRevocations(rpcClient(RevocationService, token), store)
  const stopping = new AbortController()
  const stopRotation = startRotationJob({ rings, publish, intervalMs: tickIntervalMs, logger })
  const stopPartitions = createKeepPartitions({ table: auditTable, database, logger, now })
  const stopSealing = startSealing(options, rings)
  return {
    name: 'keys',
    http: createHttpApp({
      logger,
      issuer: config.issuer,
      trustedProxies: config.trustedProxies,
      clientCertificates: config.mutualTls,
      endpoints: [...metadataEndpoints(config, rings), keySetEndpoint(rings, now)],
      routes: [
        securityTxtRoutes(config, now),
        keyRoutes({
          authenticate: createAuthenticateBearer(
            rpcClient(BearerService, token),
            createRequestLimit(config.rateLimits?.management, now),
            config,
          ),
          auditProblems: createAuditProblems(audit, logger),
          administration: createKeyAdministration({
            rings,
            store,
            sealer,
            publish,
            recordRead: createReadRecorder({ audit, logger, metrics: options.metrics }),
          }),
        }),
      ],
      onError: createErrorHandler(logger),
    }),
    rpc: [keyService({ issuer: config.issuer, now, rings, stopping: stopping.signal, heartbeatMs })],
    // The keys in memory outlive the database, so no outage takes a started replica out of service.
    notReady: async () => [],
    async stop() {
      stopping.abort()
      await Promise.all([stopRotation(), stopPartitions(), stopSealing()])
    },
  }
}

/** Seals the audit logs of all services until the returned function is called. */
function startSealing(
  { config, database, logger, now, metrics, sealIntervalMs = 2_000 }: KeysOptions,
  rings: KeyRings,
): () => Promise<void> {
  const sealing = createLogSealing({
    ...{ store: new AuditChainStore(database), logger, now },
    async sign(head) {
      const key = manifestKey(rings.current.keys, now())
      return key && signJws(key, AUDIT_HEAD_TYP, auditHeadClaims(config.issuer, head))
    },
  })
  metrics?.gauge(
    {
      name: 'signet_audit_unsealed_seconds',
      help: 'Time since the oldest audit row that is not sealed was written.',
      labels: ['log'],
    },
    () => [...sealing.unsealedSeconds].map(([log, value]) => ({ labels: { log }, value })),
  )
  metrics?.gauge(
    {
      name: 'signet_audit_chain_changed',
      help: '1 when a segment whose head this process signed is missing or another one, else 0.',
      labels: ['log'],
    },
    () => [...sealing.changed].map(([log, isChanged]) => ({ labels: { log }, value: Number(isChanged) })),
  )
  const onProblem = (error: unknown) => logger.error('audit_sealing_failed', { error })
  const round = createLoggedRound(sealing.round, onProblem, () => logger.info('audit_sealing_recovered'))
  const rounds = repeat(sealIntervalMs, round, onProblem)
  return () => rounds.stop()
}

async function openRings(options: KeyRingsOptions, database: Database): Promise<KeyRings> {
  try {
    // Before anything is recorded: the last process may have ended months ago.
    await auditTable.createPartitions(database, options.now())
    return await KeyRings.open(options)
  } catch (error) {
    if (error instanceof UnknownMasterKeyError) {
      throw new StartFailure(
        `SIGNET_KEYS_MASTER_KEY: stored keys are sealed under the master key ${error.fingerprint}, which is not in the list; add it after the newest one`,
      )
    }
    // Not a StartFailure, so that the start is tried again.
    if (error instanceof DependencyUnavailableError) throw error
    const { message } = error as Error
    throw new StartFailure(`PostgreSQL cannot give the keys: ${message}; check SIGNET_POSTGRES_URL`, {
      cause: error,
    })
  }
}

/** Errors of the management API in its form, those of the key set and discovery in that of OAuth. */
function createErrorHandler(logger: Logger): OnError {
  const json = jsonErrorHandler(logger)
  const oauth = oauthErrorHandler(logger)
  return (error, req, res) => (req.url?.startsWith('/management/') ? json : oauth)(error, req, res)
}
