import { createClientAuthentication } from '@signet/client-auth/authenticate-client'
import { createSecretVerifier } from '@signet/client-auth/client-secret'
import { createVerifyCertificate } from '@signet/client-auth/mutual-tls/verify-certificate'
import { createTokenReview } from '@signet/client-auth/token-review'
import type { FeedPoller } from '@signet/directory-reader/change-feed'
import { createDirectoryReader, type DirectoryReader } from '@signet/directory-reader/directory-reader'
import type { Client } from '@signet/directory-reader/views'
import { type RpcTransport, rpcClient } from '@signet/grpc/client'
import { KeyService } from '@signet/grpc/gen/keys/v1/key_service_pb'
import { createHttpApp } from '@signet/http/app'
import { oauthErrorHandler } from '@signet/http/oauth-error-handler'
import { createFailureLimit, createRequestLimit } from '@signet/http/rate-limit'
import { createRefusalRecorder, type RefusalRecorder } from '@signet/http/refusals'
import { createPasswordHasher } from '@signet/password-hash/password-hasher'
import type { Logger } from '@signet/platform/logger/logger'
import type { Metrics } from '@signet/platform/metrics/metrics'
import type { Database } from '@signet/platform/postgres/pool'
import type { Service } from '@signet/platform/process/service'
import type { Redis } from '@signet/platform/redis/connection'
import { createReplayGuard } from '@signet/platform/redis/replay-guard'
import type { Clock } from '@signet/platform/runtime/clock'
import { fapi2Methods } from '@signet/protocol/fapi2'
import type { ClientAuthMethod } from '@signet/protocol/grant-types'
import { ENDPOINT_PATHS } from '@signet/protocol/routes'
import { requireRestored } from '@signet/revocation-reader/require-restored'
import { createRevocationReader, type RevocationReader } from '@signet/revocation-reader/revocation-reader'
import { createRefusalReporter, createRefusalSender } from '@signet/service/refusal-reporter'
import { createAccessTokenReader } from '@signet/tokens/access-token-reader'
import { createDpopNonces, type DpopNonces } from '@signet/tokens/dpop/nonce'
import { createRequireProof, type RequireProof } from '@signet/tokens/dpop/require-proof'
import type { RandomBytes } from '@signet/tokens/identifiers'
import { startKeyLease } from '@signet/tokens/keys/key-lease'
import { createJwsVerifier, createVerificationKeys } from '@signet/tokens/keys/verify-jws'
import { ACCESS_TOKEN_SEAL, createOpener } from '@signet/tokens/sealed-token'
import {
  type AccessTokens,
  createAccessTokens,
  createFindPersonalToken,
  type FindPersonalToken,
} from './access-tokens.ts'
import type { IntrospectionConfig } from './config.ts'
import { createIntrospect, createIntrospectEndpoint } from './introspect.ts'
import { createResponseCache, responseCacheLimit } from './response-cache.ts'
import { createSignResponse, type SignResponse } from './sign-response.ts'
import { createUserInfo, createUserinfoEndpoint } from './userinfo.ts'

export interface IntrospectionOptions {
  readonly config: IntrospectionConfig
  /** Connected as role `signet_introspection`, which may only read. */
  readonly database: Database
  readonly redis: Redis
  readonly keys: RpcTransport
  /** Takes refusals; without it none are kept. */
  readonly directory?: RpcTransport | undefined
  /** The poller of the change feed and the revocation reader of a process that runs several services. */
  readonly changes?: FeedPoller
  readonly openRevocations?: typeof createRevocationReader
  readonly logger: Logger
  readonly now: Clock
  readonly random: RandomBytes
  /** To what the heap of this process may grow. */
  readonly heapBytes: number
  readonly metrics?: Metrics
}

const SECRET_HASHING = { concurrency: 2, queueLimit: 100 }

/** Composes and starts the introspection service. */
export async function startIntrospection(options: IntrospectionOptions): Promise<Service> {
  const { config, database, redis, logger, now } = options
  const { issuer } = config
  // First, because a start that fails here is repeated and must have left nothing running.
  await requireRestored(database, redis)
  const elapsed = () => performance.now()
  const directory = createDirectoryReader({ database, logger, elapsed, changes: options.changes })
  const keyService = rpcClient(KeyService, options.keys)
  const lease = startKeyLease({
    keys: keyService,
    rings: ['access-seal'],
    now,
    logger,
    random: () => options.random(4).readUInt32BE() / 2 ** 32,
    metrics: options.metrics,
  })
  const { openRevocations = createRevocationReader } = options
  const revocations = openRevocations({
    database,
    redis,
    log: config.revocationLog,
    ...config.revocationBounds,
    logger,
    metrics: options.metrics,
  })
  const accessTokens = createAccessTokens({
    read: createAccessTokenReader({
      issuer,
      opener: createOpener(ACCESS_TOKEN_SEAL, (kid) => lease.keyOf('access-seal', kid)),
      verifyJws: createJwsVerifier(createVerificationKeys({ keys: keyService, now, logger })),
    }),
    revocations,
    now,
    elapsed,
  })
  const nonces = createDpopNonces({
    active: () => lease.activeKey('access-seal'),
    all: () => lease.symmetricKeys('access-seal'),
  })
  const isNonceRequired = async () => (await directory.settings()).requireDpopNonce
  const guard = createReplayGuard(redis, now, 'dpop-proof')
  const findPersonalToken = createFindPersonalToken({ directory, revocations, now })
  const reporter = createRefusalReporter({ ...options, send: createRefusalSender(options.directory) })
  const refusals = createRefusalRecorder(logger, reporter.report)
  const renewals = config.mutualTls?.authorities?.watch(logger)
  return {
    name: 'introspection',
    http: createHttp(options, {
      directory,
      revocations,
      accessTokens,
      findPersonalToken,
      refusals,
      signResponse: createSignResponse(keyService),
      dpop: { nonces, isNonceRequired, requireProof: createRequireProof({ guard, nonces, isNonceRequired }) },
    }),
    async notReady() {
      return lease.ready() ? [] : ['keys']
    },
    async stop() {
      await Promise.all([
        directory.stop(),
        lease.stop(),
        revocations.stop(),
        reporter.stop(),
        renewals?.stop(),
      ])
    },
  }
}

interface HttpParts {
  readonly directory: DirectoryReader
  readonly revocations: RevocationReader
  readonly accessTokens: AccessTokens
  readonly findPersonalToken: FindPersonalToken
  readonly refusals: RefusalRecorder
  readonly signResponse: SignResponse
  readonly dpop: {
    readonly nonces: DpopNonces
    readonly isNonceRequired: () => Promise<boolean>
    readonly requireProof: RequireProof
  }
}

/** Creates the two endpoints, introspection (RFC 7662) and userinfo. */
function createHttp(
  { config, logger, now, random, heapBytes, metrics }: IntrospectionOptions,
  { directory, revocations, accessTokens, findPersonalToken, refusals, signResponse, dpop }: HttpParts,
) {
  const { issuer } = config
  const authenticateClient = createClientAuthentication({
    directory,
    secrets: createSecretVerifier(createPasswordHasher(SECRET_HASHING), random(32)),
    now,
    audiences: [issuer, `${issuer}${ENDPOINT_PATHS.token}`, `${issuer}${ENDPOINT_PATHS.introspect}`],
    verifyCertificate: createVerifyCertificate(config.mutualTls?.authorities),
    reviewToken: createTokenReview({
      servers: config.tokenReviews ?? [],
      elapsed: () => performance.now(),
      logger,
    }),
    methodsFor: introspectionMethods,
    failures: createFailureLimit(now),
  })
  return createHttpApp({
    logger,
    issuer: config.issuer,
    trustedProxies: config.trustedProxies,
    clientCertificates: config.mutualTls,
    onError: oauthErrorHandler(logger, refusals),
    routes: [],
    endpoints: [
      createIntrospectEndpoint({
        introspect: createIntrospect({
          issuer,
          directory,
          responses: createResponseCache(directory.createAccountCache(responseCacheLimit(heapBytes))),
          accessTokens,
          findPersonalToken,
          now,
          logger,
          metrics: metrics,
        }),
        authenticateClient,
        refusals,
        limit: createRequestLimit(config.rateLimits.introspection, now),
        revocationAge: revocations.pollAge,
        signResponse,
      }),
      createUserinfoEndpoint({
        isRegisteredOrigin: directory.isRegisteredOrigin,
        logger,
        refusals,
        nonceForNext: async () => ((await dpop.isNonceRequired()) ? dpop.nonces.current(now()) : undefined),
        userInfo: createUserInfo({
          issuer,
          requireProof: dpop.requireProof,
          now,
          directory,
          accessTokens,
          findPersonalToken,
          limit: createRequestLimit(config.rateLimits.userinfo, now),
        }),
      }),
    ],
  })
}

/** A client with a secret uses Basic here however it authenticates elsewhere; a public one may not introspect. */
function introspectionMethods(client: Client): readonly ClientAuthMethod[] {
  const { authMethod } = client
  if (authMethod === 'none') return []
  return fapi2Methods(client, [authMethod === 'client_secret_post' ? 'client_secret_basic' : authMethod])
}
