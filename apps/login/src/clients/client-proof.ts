import { createAssertionReplayGuard } from '@signet/client-auth/assertion-replay'
import { createClientAuthentication } from '@signet/client-auth/authenticate-client'
import { createSecretVerifier } from '@signet/client-auth/client-secret'
import { createOutboundDocumentKeys } from '@signet/client-auth/document-keys'
import { createVerifyCertificate } from '@signet/client-auth/mutual-tls/verify-certificate'
import { registeredMethods } from '@signet/client-auth/registered-methods'
import { createTokenReview } from '@signet/client-auth/token-review'
import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import { createFailureLimit } from '@signet/http/rate-limit'
import { createPasswordHasher } from '@signet/password-hash/password-hasher'
import { ENDPOINT_PATHS } from '@signet/protocol/routes'
import type { LoginDependencies } from '../config.ts'

// One at a time: slow hashes of client secrets are old, and each is verified once in a process.
const SECRET_HASHING = { concurrency: 1, queueLimit: 100 }

/** Authenticates the clients that push their requests, and those of devices. */
export function createClientProof(
  { config, redis, logger, now, random }: LoginDependencies,
  directory: Pick<DirectoryReader, 'client'>,
) {
  const { issuer, clientMetadata } = config
  return createClientAuthentication({
    directory,
    secrets: createSecretVerifier(createPasswordHasher(SECRET_HASHING), random(32)),
    replayGuard: createAssertionReplayGuard(redis, now),
    verifyCertificate: createVerifyCertificate(config.mutualTls?.authorities),
    findDocumentKeys:
      clientMetadata &&
      createOutboundDocumentKeys(clientMetadata, { allow: clientMetadata.outboundAllow, issuer }),
    reviewToken: createTokenReview({
      servers: config.tokenReviews ?? [],
      elapsed: () => performance.now(),
      logger,
    }),
    failures: createFailureLimit(now),
    now,
    // RFC 9126 section 2.
    audiences: [
      issuer,
      ...[ENDPOINT_PATHS.token, ENDPOINT_PATHS.pushedAuthorization, ENDPOINT_PATHS.deviceAuthorization].map(
        (path) => `${issuer}${path}`,
      ),
    ],
    methodsFor: registeredMethods,
  })
}
