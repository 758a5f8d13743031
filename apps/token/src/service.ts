import { accessTokenReader } from '@signet/access-token-reader/access-token-reader'
import { createAssertionReplayGuard } from '@signet/client-authentication/assertion-replay'
import { createClientAuthentication } from '@signet/client-authentication/authenticate-client'
import { createSecretVerifier } from '@signet/client-authentication/client-secret'
import { createDirectoryReader } from '@signet/directory-reader/directory-reader'
import type { Client } from '@signet/directory-reader/views'
import { createHttpApp } from '@signet/http-server/app'
import { oauthErrorHandler } from '@signet/http-server/oauth-error-handler'
import { startKeyLease } from '@signet/key-lease/key-lease'
import { createVerificationKeys } from '@signet/key-lease/verification-keys'
import { jwsVerifier } from '@signet/key-lease/verify-jws'
import type { ClientAuthMethod } from '@signet/oauth-protocol/client-auth-methods'
import { ENDPOINT_PATHS } from '@signet/oauth-protocol/endpoint-paths'
import { createPostForm } from '@signet/outbound-http/post-form'
import { createPasswordHasher } from '@signet/password-hash/password-hasher'
import type { Database } from '@signet/postgres/pool'
import { createFailureLimit } from '@signet/rate-limit/failure-limit'
import { createRequestLimit } from '@signet/rate-limit/request-limit'
import type { Redis } from '@signet/redis/client'
import { createRevocationReader } from '@signet/revocation-reader/revocation-reader'
import { followRevokedKeys } from '@signet/revocation-reader/revoked-keys'
import { watchServerIdentity } from '@signet/revocation-reader/server-identity'
import { rpcClient } from '@signet/rpc/client'
import { KeyService } from '@signet/rpc/gen/keys/v1/key_service_pb'
import type { RpcService } from '@signet/rpc/service'
import type { RpcTransport } from '@signet/rpc/transport'
import type { Clock } from '@signet/service-runtime/clock'
import type { Logger } from '@signet/service-runtime/logger'
import { repeat } from '@signet/service-runtime/repeat'
import type { Service } from '@signet/service-runtime/service'
import type { RandomBytes } from '@signet/token-format/identifiers'
import { authenticateBearer } from './bearer/authenticate-bearer.ts'
import type { TokenConfig } from './config.ts'
import { createFamilyTurns } from './grants/family-turns.ts'
import { createGrants } from './grants/index.ts'
import { revokeRoute } from './http/revoke-route.ts'
import { tokenRoute } from './http/token-route.ts'
import { issueCode } from './issuance/issue-code.ts'
import { issueImplicit } from './issuance/issue-implicit.ts'
import { startLogoutDeliveryJob } from './jobs/logout-delivery.job.ts'
import { createTokenKeys } from './keys/token-keys.ts'
import { deliverLogouts } from './logout/deliver-logouts.ts'
import { planPartitions } from './partitions/partition-plan.ts'
import { endByEpoch as createEndByEpoch } from './revocation/end-by-epoch.ts'
import { endGrants } from './revocation/end-grants.ts'
import { endSessions } from './revocation/end-sessions.ts'
import { followEpochs } from './revocation/follow-epochs.ts'
import { keepMirrorWhole } from './revocation/keep-mirror-whole.ts'
import { publishRevocations } from './revocation/publish-revocations.ts'
import { revokeKey } from './revocation/revoke-key.ts'
import { revokeToken } from './revocation/revoke-token.ts'
import { authorizationService } from './rpc/authorization-service.ts'
import { bearerService } from './rpc/bearer-service.ts'
import { grantService } from './rpc/grant-service.ts'
import { revocationService } from './rpc/revocation-service.ts'
import { PostgresAuditLog } from './stores/audit-log.ts'
import { PostgresBearerStore } from './stores/bearer-store.ts'
import { PostgresEpochFeed } from './stores/epoch-feed.ts'
import { PostgresEndingStore } from './stores/postgres-ending-store.ts'
import { PostgresGrantStore } from './stores/postgres-grant-store.ts'
import { PostgresLogoutOutbox } from './stores/postgres-logout-outbox.ts'
import { PostgresPartitionStore } from './stores/postgres-partition-store.ts'
import { PostgresRevocationStore } from './stores/postgres-revocation-store.ts'
import { RedisMirrorStore } from './stores/redis-mirror-store.ts'
import { createWithdrawnMirrorStore } from './stores/withdrawn-mirror-store.ts'

export interface TokenOptions {
  readonly config: TokenConfig
  /** Connected as role `signet_token`. */
  readonly database: Database
  readonly redis: Redis
  readonly keys: RpcTransport
  readonly logger: Logger
  readonly now: Clock
  readonly random: RandomBytes
}

const MIRROR_ROUND_MS = 1_000
const EPOCH_ROUND_MS = 1_000
const PARTITION_ROUND_MS = 3_600_000
/** Less than the lease of a delivery; an application that needs longer is asked again. */
const LOGOUT_TIMEOUT_MS = 5_000
/** Slow hashes run in libuv's pool beside signatures; half of its threads stay free for those. */
const SECRET_HASHING = { concurrency: 2, queueLimit: 100 }

/** Composes and starts the token service. */
export async function startToken(options: TokenOptions): Promise<Service<RpcService>> {
  const { config, database, redis, logger, now, random } = options
  const { issuer } = config
  // First of all: a start that fails here is tried again and must have left nothing running.
  const partitions = new PostgresPartitionStore(database)
  await partitions.settle(planPartitions(now()))

  const directory = createDirectoryReader({ database, now, logger })
  const keyService = rpcClient(KeyService, options.keys)
  // A lease goes on when its stream is cut; a revoked key must not.
  const revokedKeys = followRevokedKeys({
    database,
    onProblem: (error) => logger.warn('revoked_keys_unknown', { error }),
  })
  const lease = startKeyLease({
    keys: keyService,
    rings: ['signing', 'access-seal', 'code-seal', 'refresh-mac', 'origin-mac'],
    now,
    logger,
    random: () => random(4).readUInt32BE() / 2 ** 32,
    isRevoked: revokedKeys.has,
  })
  const keys = createTokenKeys(lease, random)
  const verifyJws = jwsVerifier(createVerificationKeys({ keys: keyService, now, logger }))
  const readAccessToken = accessTokenReader({ issuer, opener: keys.accessOpener, verifyJws })

  const revocations = new PostgresRevocationStore(database)
  const mirror = config.revocationMirror
    ? new RedisMirrorStore(
        redis,
        watchServerIdentity(redis, (error) => logger.warn('redis_identity_unknown', { error })),
      )
    : createWithdrawnMirrorStore(redis)
  const grants = new PostgresGrantStore(database)
  const endings = new PostgresEndingStore(database, revocations)
  const publish = publishRevocations({ revocations, mirror })

  const revocationReader = createRevocationReader({
    database,
    redis,
    mirror: config.revocationMirror,
    onProblem: (error) => logger.warn('revocation_mirror_unavailable', { error }),
    onRecovery: () => logger.info('revocation_mirror_available'),
  })
  const endByEpoch = createEndByEpoch({ endings, publish, now })
  const epochs = new PostgresEpochFeed(database)
  const bearers = new PostgresBearerStore(database)

  const rounds = [
    repeat(
      MIRROR_ROUND_MS,
      () => keepMirrorWhole({ revocations, mirror, logger }),
      (error) => logger.warn('mirror_upkeep_failed', { error }),
    ),
    repeat(
      EPOCH_ROUND_MS,
      () => followEpochs({ feed: epochs, endByEpoch }),
      (error) => logger.warn('epoch_feed_failed', { error }),
    ),
    repeat(
      PARTITION_ROUND_MS,
      () => partitions.settle(planPartitions(now())),
      (error) => logger.error('partition_upkeep_failed', { error }),
    ),
  ]

  const stopLogoutDelivery = startLogoutDeliveryJob({
    deliverLogouts: (signal) =>
      deliverLogouts(
        {
          issuer,
          outbox: new PostgresLogoutOutbox(database),
          keys,
          postForm: createPostForm({ allow: config.outboundAllow, timeoutMs: LOGOUT_TIMEOUT_MS }),
          logger,
          now,
        },
        signal,
      ),
    logger,
  })

  const secrets = createSecretVerifier(createPasswordHasher(SECRET_HASHING), random(32))
  const failures = createFailureLimit(now)
  const replayGuard = createAssertionReplayGuard(redis)
  const authenticateAt = (path: string) =>
    createClientAuthentication({
      directory,
      secrets,
      replayGuard,
      failures,
      now,
      audiences: [issuer, `${issuer}${ENDPOINT_PATHS.token}`, `${issuer}${path}`],
      methodsFor: registeredMethods,
    })

  const http = createHttpApp({
    logger,
    trustedProxies: config.trustedProxies,
    errorHandler: oauthErrorHandler(logger),
    routes: [
      tokenRoute({
        grants: createGrants({
          issuer,
          directory,
          keys,
          random,
          grants,
          endings,
          publish,
          turns: createFamilyTurns(),
          readAccessToken,
          verifyJws,
          revocations: revocationReader,
          bearers,
          audit: new PostgresAuditLog(database),
          assertionAudiences: [issuer, `${issuer}${ENDPOINT_PATHS.token}`],
        }),
        authenticateClient: authenticateAt(ENDPOINT_PATHS.token),
        isRegisteredOrigin: directory.isRegisteredOrigin,
        limit: createRequestLimit(config.rateLimits.token, now),
        now,
      }),
      revokeRoute({
        revokeToken: revokeToken({ keys, directory, readAccessToken, grants, endings, publish, now }),
        authenticateClient: authenticateAt(ENDPOINT_PATHS.revoke),
        isRegisteredOrigin: directory.isRegisteredOrigin,
        limit: createRequestLimit(config.rateLimits.revocation, now),
      }),
    ],
  })

  return {
    name: 'token',
    http,
    rpc: [
      authorizationService({
        issueCode: issueCode({ directory, keys, random, now }),
        issueImplicit: issueImplicit({ issuer, directory, keys, random, grants, now }),
      }),
      revocationService({
        endSessions: endSessions({ endings, publish, now }),
        endByEpoch,
        revokeKey: revokeKey({ endings, publish, now }),
      }),
      grantService({
        listGrants: (userId) => grants.ofUser(userId),
        endGrants: endGrants({ directory, endings, publish, now }),
      }),
      bearerService({
        authenticateBearer: authenticateBearer({
          keys,
          readAccessToken,
          revocations: revocationReader,
          directory,
          bearers,
          now,
        }),
      }),
    ],
    async notReady() {
      return lease.ready() ? [] : ['keys']
    },
    async stop() {
      await Promise.all([...rounds.map((round) => round.stop()), stopLogoutDelivery()])
      await Promise.all([directory.stop(), lease.stop(), revokedKeys.stop(), revocationReader.stop()])
    },
  }
}

/** Service users are registered with a secret and not with a way to send it. */
function registeredMethods({ kind, authMethod }: Client): readonly ClientAuthMethod[] {
  return kind === 'service_user' ? ['client_secret_basic', 'client_secret_post'] : [authMethod]
}
