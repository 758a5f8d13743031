import { createAuditRecorder } from '@signet/admin-api/audit/audit-recorder'
import { createOutboundDocumentKeys } from '@signet/client-auth/document-keys'
import { createIssuerKeys } from '@signet/client-auth/issuer-keys'
import { createTokenReview } from '@signet/client-auth/token-review'
import { createDirectoryReader } from '@signet/directory-reader/directory-reader'
import { rpcClient } from '@signet/grpc/client'
import { KeyService } from '@signet/grpc/gen/keys/v1/key_service_pb'
import { createGetText } from '@signet/platform/outbound-http/http-calls'
import { createReplayGuard } from '@signet/platform/redis/replay-guard'
import { ENDPOINT_PATHS } from '@signet/protocol/routes'
import { createRevocationReader } from '@signet/revocation-reader/revocation-reader'
import { createRefusalReporter, createRefusalSender } from '@signet/service/refusal-reporter'
import { createAccessTokenReader } from '@signet/tokens/access-token-reader'
import { createDpopNonces } from '@signet/tokens/dpop/nonce'
import { createRequireProof } from '@signet/tokens/dpop/require-proof'
import { startKeyLease } from '@signet/tokens/keys/key-lease'
import { createJwsVerifier, createVerificationKeys } from '@signet/tokens/keys/verify-jws'
import { auditTable } from './audit-events.ts'
import { BearerStore } from './bearer/bearer.repository.ts'
import { ClientUseStore } from './client-use/client-use.repository.ts'
import { createClientUses } from './client-use/client-uses.service.ts'
import type { TokenOptions } from './config.ts'
import { ProviderLinkStore } from './cross-app/provider-link.repository.ts'
import { createDeviceStore } from './device/device.repository.ts'
import { PostgresGrantStore } from './grants/grant.repository.ts'
import { UseStore } from './logout/use.repository.ts'
import { createEndByDirectory } from './revocation/follow-epochs.ts'
import type { Generation } from './revocation/recovery.repository.ts'
import { PostgresEndingStore } from './revocation/revocation.repository.ts'
import {
  createDisabledLog,
  createEndingsLog,
  createLogRepair,
  createPublishEndings,
} from './revocation/revocation-log-writer.ts'
import { createTokenKeys } from './token-keys.ts'

/** Time limit for each of the two documents of an issuer. */
const ISSUER_TIMEOUT_MS = 3_000

/** The shared parts of the routes, the gRPC services and the jobs of this service. */
export type TokenParts = ReturnType<typeof createTokenParts>

interface OfDatabase {
  readonly generation: Generation
  /** Proves which entries of the log of endings this service wrote. */
  readonly logKey: Buffer
  /** Called when PostgreSQL has another history. */
  readonly otherHistory: () => void
}

/** Opens the readers, the keys and the stores of the token service; `stop` closes the readers and the keys again. */
export function createTokenParts(options: TokenOptions, { generation, logKey, otherHistory }: OfDatabase) {
  const { config, database, redis, logger, now, random, metrics } = options
  const { issuer } = config
  const directory = createDirectoryReader({ database, logger, changes: options.changes })
  const keyService = rpcClient(KeyService, options.keys)
  const log = config.revocationLog
    ? createEndingsLog({ redis, generation: generation.current, key: logKey, now, random })
    : createDisabledLog(redis)
  const repair = createLogRepair({ log, elapsed: () => performance.now(), logger })
  const { openRevocations = createRevocationReader } = options
  const revocations = openRevocations({
    database,
    redis,
    log: config.revocationLog,
    ...config.revocationBounds,
    logger,
    metrics,
    observer: { ...repair.observer, otherHistory },
  })
  // A lease goes on when its stream is cut; a revoked key must not.
  const lease = startKeyLease({
    keys: keyService,
    rings: ['signing', 'access-seal', 'code-seal', 'refresh-mac', 'origin-mac'],
    now,
    logger,
    random: () => random(4).readUInt32BE() / 2 ** 32,
    isRevoked: revocations.isKeyRevoked,
    metrics,
  })
  const keys = createTokenKeys(lease, random)
  const verifyJws = createJwsVerifier(createVerificationKeys({ keys: keyService, now, logger }))
  const nonces = createDpopNonces({
    active: () => lease.activeKey('access-seal'),
    all: () => lease.symmetricKeys('access-seal'),
  })
  const isNonceRequired = async () => (await directory.settings()).requireDpopNonce
  const guard = createReplayGuard(redis, now, 'dpop-proof')
  const assertionGuard = createReplayGuard(redis, now, 'identity-assertion')
  const endings = new PostgresEndingStore(database)
  const clientUseStore = new ClientUseStore(database)
  const reporter = createRefusalReporter({ ...options, send: createRefusalSender(options.directory) })
  const publish = createPublishEndings(log)
  const renewals = config.mutualTls?.authorities?.watch(logger)
  return {
    issuer,
    directory,
    keys,
    verifyJws,
    nonces,
    isNonceRequired,
    requireProof: createRequireProof({ guard, nonces, isNonceRequired }),
    readAccessToken: createAccessTokenReader({ issuer, opener: keys.accessOpener, verifyJws }),
    revocations,
    log,
    repair,
    grants: new PostgresGrantStore(database),
    devices: createDeviceStore(redis),
    uses: new UseStore(database),
    clientUseStore,
    assertionGuard,
    providerLinks: new ProviderLinkStore(database),
    clientUses: createClientUses(clientUseStore, now),
    endings,
    publish,
    endByDirectory: createEndByDirectory({ endings, publish, now }),
    bearers: new BearerStore(database),
    audit: createAuditRecorder(auditTable, database),
    reporter,
    /** Values of `aud` that an assertion may carry. */
    assertionAudiences: [issuer, `${issuer}${ENDPOINT_PATHS.token}`],
    findIssuerKeys: createIssuerKeys({
      getText: createGetText({ allow: config.outboundAllow, timeoutMs: ISSUER_TIMEOUT_MS }),
      elapsed: () => performance.now(),
    }),
    reviewToken: createTokenReview({
      servers: config.tokenReviews ?? [],
      elapsed: () => performance.now(),
      logger,
    }),
    findDocumentKeys: createOutboundDocumentKeys(config.clientMetadata, {
      allow: config.outboundAllow,
      issuer,
    }),
    logger,
    now,
    random,
    generation: generation.current,
    isReady: () => lease.ready(),
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
