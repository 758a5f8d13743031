import type { RequestListener } from 'node:http'
import { createAssertionReplayGuard } from '@signet/client-auth/assertion-replay'
import { createClientAuthentication } from '@signet/client-auth/authenticate-client'
import { createSecretVerifier } from '@signet/client-auth/client-secret'
import { isIdentityAssertion } from '@signet/client-auth/identity-assertion'
import { createVerifyCertificate } from '@signet/client-auth/mutual-tls/verify-certificate'
import { registeredMethods } from '@signet/client-auth/registered-methods'
import { createHttpApp } from '@signet/http/app'
import { oauthErrorHandler } from '@signet/http/oauth-error-handler'
import { createFailureLimit, createNetworkLimit, createRequestLimit } from '@signet/http/rate-limit'
import { createRefusalRecorder } from '@signet/http/refusals'
import { createPasswordHasher } from '@signet/password-hash/password-hasher'
import { GRANT_TYPES } from '@signet/protocol/grant-types'
import { ENDPOINT_PATHS } from '@signet/protocol/routes'
import type { TokenOptions } from './config.ts'
import { createConfirmCaller } from './confirm-caller.ts'
import { type IdentityAssertionDeps, identityAssertionGrant } from './cross-app/identity-assertion-grant.ts'
import type { TokenParts } from './dependencies.ts'
import { deviceGrant } from './device/device-grant.ts'
import { createFamilyQueue } from './family-queue.ts'
import { authorizationCodeGrant } from './grants/authorization-code-grant.ts'
import { clientCredentialsGrant } from './grants/client-credentials-grant.ts'
import type { Grant } from './grants/grant.ts'
import { jwtBearerGrant } from './grants/jwt-bearer-grant.ts'
import { refreshTokenGrant } from './grants/refresh-token-grant.ts'
import { tokenExchangeGrant } from './grants/token-exchange-grant.ts'
import { createRevokeToken } from './revocation/revoke.service.ts'
import { revokeEndpoint } from './revoke-endpoint.ts'
import { tokenEndpoint } from './token-endpoint.ts'

// Slow hashes run in libuv's pool beside signatures. One at a time leaves those a thread, also where there are two of them
// (src/main.ts).
const SECRET_HASHING = { concurrency: 1, queueLimit: 100 }

/** The public surface of this service. */
export function createTokenHttpApp(parts: TokenParts, { config, redis }: TokenOptions): RequestListener {
  const { issuer, directory, logger, now, random, reporter } = parts
  const refusals = createRefusalRecorder(logger, reporter.report)
  const secrets = createSecretVerifier(createPasswordHasher(SECRET_HASHING), random(32))
  const failures = createFailureLimit(now)
  const replayGuard = createAssertionReplayGuard(redis, now)
  const verifyCertificate = createVerifyCertificate(config.mutualTls?.authorities)
  const authenticateAt = (path: string) =>
    createClientAuthentication({
      directory,
      secrets,
      replayGuard,
      verifyCertificate,
      findIssuerKeys: parts.findIssuerKeys,
      findDocumentKeys: parts.findDocumentKeys,
      reviewToken: parts.reviewToken,
      failures,
      now,
      audiences: [issuer, `${issuer}${ENDPOINT_PATHS.token}`, `${issuer}${path}`],
      methodsFor: registeredMethods,
    })
  return createHttpApp({
    logger,
    issuer: config.issuer,
    trustedProxies: config.trustedProxies,
    clientCertificates: config.mutualTls,
    onError: oauthErrorHandler(logger, refusals),
    routes: [],
    endpoints: [
      tokenEndpoint({
        grants: createGrants({ ...parts, families: createFamilyQueue() }),
        authenticateClient: authenticateAt(ENDPOINT_PATHS.token),
        isRegisteredOrigin: directory.isRegisteredOrigin,
        logger,
        refusals,
        limit: createRequestLimit(config.rateLimits.token, now),
        publicLimit: createNetworkLimit(config.rateLimits.public, now),
        confirm: createConfirmCaller(parts),
        noteUse: parts.clientUses.note,
        now,
      }),
      revokeEndpoint({
        revokeToken: createRevokeToken(parts),
        authenticateClient: authenticateAt(ENDPOINT_PATHS.revoke),
        isRegisteredOrigin: directory.isRegisteredOrigin,
        logger,
        refusals,
        limit: createRequestLimit(config.rateLimits.revocation, now),
      }),
    ],
  })
}

type GrantDeps = IdentityAssertionDeps &
  Parameters<typeof authorizationCodeGrant>[0] &
  Parameters<typeof refreshTokenGrant>[0] &
  Parameters<typeof clientCredentialsGrant>[0] &
  Parameters<typeof jwtBearerGrant>[0] &
  Parameters<typeof tokenExchangeGrant>[0] &
  Parameters<typeof deviceGrant>[0]

/** Every grant type of the token endpoint. */
function createGrants(deps: GrantDeps): ReadonlyMap<string, Grant> {
  const identityAssertions = identityAssertionGrant(deps)
  return new Map<string, Grant>([
    [GRANT_TYPES.authorizationCode, authorizationCodeGrant(deps)],
    [GRANT_TYPES.refreshToken, refreshTokenGrant(deps)],
    [GRANT_TYPES.clientCredentials, clientCredentialsGrant(deps)],
    [
      GRANT_TYPES.jwtBearer,
      jwtBearerGrant(deps, ({ assertion }) =>
        isIdentityAssertion(assertion) ? identityAssertions : undefined,
      ),
    ],
    [GRANT_TYPES.tokenExchange, tokenExchangeGrant(deps)],
    [GRANT_TYPES.deviceCode, deviceGrant(deps)],
  ])
}
