import { createBrandingReader } from '@signet/directory-reader/branding'
import { createDirectoryReader } from '@signet/directory-reader/directory-reader'
import { type RpcTransport, rpcClient } from '@signet/grpc/client'
import { AccountService } from '@signet/grpc/gen/directory/v1/account_service_pb'
import { CredentialService } from '@signet/grpc/gen/directory/v1/credential_service_pb'
import { OwnAccountService } from '@signet/grpc/gen/directory/v1/own_account_service_pb'
import { RecoveryService } from '@signet/grpc/gen/directory/v1/recovery_service_pb'
import { KeyService } from '@signet/grpc/gen/keys/v1/key_service_pb'
import { AuthorizationService } from '@signet/grpc/gen/token/v1/authorization_service_pb'
import { GrantService } from '@signet/grpc/gen/token/v1/grant_service_pb'
import { RevocationService } from '@signet/grpc/gen/token/v1/revocation_service_pb'
import type { RpcService } from '@signet/grpc/service'
import type { Logger } from '@signet/platform/logger/logger'
import type { Metrics } from '@signet/platform/metrics/metrics'
import type { Database } from '@signet/platform/postgres/pool'
import type { Service } from '@signet/platform/process/service'
import type { Redis } from '@signet/platform/redis/connection'
import { requireRestored } from '@signet/revocation-reader/require-restored'
import { createRevocationReader } from '@signet/revocation-reader/revocation-reader'
import { createVerificationKeys } from '@signet/tokens/keys/verify-jws'
import { createAccountFeature, createFactorFeature, createPasskeyFeature } from './account-features.ts'
import { createAssessAuthorization } from './authorize/assess-authorization.ts'
import { createAuthorizationFlow } from './authorize/authorize.service.ts'
import { createConsentRule } from './authorize/consent-rule.ts'
import { idTokenHints } from './authorize/id-token-hint.ts'
import { withOwnClient } from './authorize/own-client.ts'
import { createPendingRepository } from './authorize/pending.repository.ts'
import { createStorageLimit } from './authorize/pending-authorization.ts'
import { authorizationResponses } from './authorize/redirect.ts'
import { roleOfferFinder } from './authorize/role-offers.ts'
import { organizationContexts } from './authorize/session-candidates.ts'
import { createFindBranding } from './branding/find-branding.ts'
import {
  accountRegistrar,
  attemptKeyFinder,
  consentAccess,
  consentStore,
  enrolmentConfirmer,
  enrolmentStarter,
  passwordChanger,
  passwordVerifier,
  recoveryCodeVerifier,
  roleOffers,
  secondFactorFinder,
  totpVerifier,
} from './clients/directory.ts'
import {
  accountNames,
  applicationNames,
  audienceGuard,
  audienceNames,
  brandingDirectory,
  brandingFiles,
  clientFinder,
  endedSessions,
  factorPolicies,
  organizationFinder,
  organizationNames,
  ownApplicationCheck,
  passkeySignIns,
  projectGuard,
  registrationPolicies,
  sessionChecks,
  signInPages,
} from './clients/directory-views.ts'
import { browserTrustAdder, factorDirectory, trustedBrowserUser } from './clients/factors.ts'
import { everywhereSignOut } from './clients/own-account.ts'
import { passkeyDirectory, passkeyVerifier } from './clients/passkeys.ts'
import { newSignInNotifier, recoveryClient } from './clients/recovery.ts'
import { grantAccess, responseIssuer, sessionEnder } from './clients/token.ts'
import type { LoginConfig } from './config.ts'
import { createAllowAccess, createAnswerRoleOffer } from './consent/consent.service.ts'
import { sessionService, signInService } from './grpc.ts'
import { createLoginHttpApp } from './http.ts'
import { createLogoutFlow, endSessionRequests } from './logout/logout.service.ts'
import { ownChange } from './own-account/own-directory.ts'
import { OWN_PAGES } from './pages/paths.ts'
import { createRegister } from './registration/register.service.ts'
import type { RandomBytes } from './sessions/browser.ts'
import { createBrowserSessions } from './sessions/browser-sessions.ts'
import { createEndOfFactor } from './sessions/end-of-factor.ts'
import { createOwnAccounts } from './sessions/own-accounts.service.ts'
import { createSessionRepository } from './sessions/session.repository.ts'
import { createUserSessions } from './sessions/user-sessions.ts'
import { createSignInFeature } from './sign-in/sign-in-feature.ts'
import { createThrottleRepository } from './sign-in/throttle.repository.ts'
import { createClearFailures } from './sign-in/throttle.ts'
import { codeVerifier } from './sign-in/totp.service.ts'
import { createUsedChallenges } from './sign-in/used-challenge.repository.ts'

export interface LoginDependencies {
  readonly config: LoginConfig
  /** Connected as `signet_login`, which may only read published views. */
  readonly database: Database
  readonly redis: Redis
  /** gRPC transports to the services that this one calls. */
  readonly transports: {
    readonly directory: RpcTransport
    readonly token: RpcTransport
    readonly keys: RpcTransport
  }
  readonly logger: Logger
  readonly metrics?: Metrics
  readonly now: () => Date
  readonly random: RandomBytes
}

/** Creates and starts the login service. `stop` does not close the database and Redis of the caller. */
export async function startLogin(dependencies: LoginDependencies): Promise<Service<RpcService>> {
  const { config, database, redis, transports, logger, metrics, now, random } = dependencies
  const masterKeys = config.masterKeys.reveal()
  // First, because the caller retries a failed start, which must leave nothing running.
  const generation = await requireRestored(database, redis)
  const directory = createDirectoryReader({ database, logger })
  const revocations = createRevocationReader({
    database,
    redis,
    log: config.revocationLog,
    ...config.revocationBounds,
    logger,
    metrics,
  })
  const browserSessionStore = createSessionRepository(redis, { masterKeys, generation })
  const attemptStore = createThrottleRepository(redis, random)
  const { pendingAuthorizations, postedParameters } = createPendingRepository(redis, {
    masterKeys,
    generation,
    random,
  })
  const countStored = createStorageLimit(now)
  const findClient = clientFinder(directory)
  const hasEnded = endedSessions(database)
  const checks = sessionChecks({ directory, revocations, hasEnded, generation, now })
  const sessions = createBrowserSessions({ store: browserSessionStore, checks, now, random })
  const endSessions = sessionEnder(rpcClient(RevocationService, transports.token))
  const keys = createVerificationKeys({ keys: rpcClient(KeyService, transports.keys), now, logger })
  const hints = idTokenHints(config.issuer, { keys, revocations, masterKeys })
  const responses = authorizationResponses(config.issuer)
  const accounts = rpcClient(AccountService, transports.directory)
  const findSecondFactors = secondFactorFinder(accounts)
  const consents = consentStore(accounts)
  const offers = roleOffers(accounts)
  const findRegistrationPolicy = registrationPolicies(directory)
  const findFactorPolicy = factorPolicies(directory)
  const brandingReader = createBrandingReader({ database, directory })
  const branding = createFindBranding(brandingDirectory(directory, brandingReader), logger)
  const authorizing = withOwnClient(
    OWN_PAGES.map((path) => `${config.issuer}${path}`),
    {
      findClient,
      requireAudiences: audienceGuard(directory),
      issueResponse: responseIssuer(rpcClient(AuthorizationService, transports.token), logger),
    },
  )
  const assess = createAssessAuthorization({
    ...authorizing,
    readOrganizationContext: organizationContexts(organizationFinder(directory)),
    findAccountNames: accountNames(directory),
    requireProjectAccess: projectGuard(directory),
    needsConsent: createConsentRule({
      isOwnApplication: ownApplicationCheck(directory),
      findConsent: consents.find,
    }),
    findRoleOffer: roleOfferFinder(offers),
    findRegistrationPolicy,
    findFactorPolicy,
    findSecondFactors,
    sessions,
    hints,
    responses,
    branding,
    now,
  })
  const flow = createAuthorizationFlow({
    findClient: authorizing.findClient,
    ...{ hints, assess, pendingAuthorizations, countStored, random },
  })
  const credentials = rpcClient(CredentialService, transports.directory)
  const verifyCode = codeVerifier({
    verifyTotp: totpVerifier(credentials),
    verifyRecoveryCode: recoveryCodeVerifier(credentials),
  })
  const { signIn, newPassword, shared } = createSignInFeature({
    verifyPassword: passwordVerifier(credentials),
    findAttemptKey: attemptKeyFinder(credentials),
    changePassword: passwordChanger(accounts),
    addBrowserTrust: browserTrustAdder(accounts),
    useTrustedBrowser: trustedBrowserUser(accounts),
    notifyNewSignIn: newSignInNotifier(rpcClient(RecoveryService, transports.directory), logger),
    findSecondFactors,
    findFactorPolicy,
    findRegistrationPolicy,
    findAccountNames: accountNames(directory),
    sessions,
    isUsable: checks.isUsable,
    flow,
    masterKeys,
    generation,
    attemptStore,
    metrics,
    now,
    random,
  })
  const findPasskeySignIn = passkeySignIns(database)
  const factors = {
    ownAccounts: createOwnAccounts({ sessions, findAccountNames: accountNames(directory), branding }),
    sessions,
    findAccountNames: accountNames(directory),
    branding,
    findSecondFactors,
    findFactorPolicy,
    verifyCode,
    ...shared,
    now,
  }
  const userSessions = createUserSessions({ store: browserSessionStore, checks, endSessions, now })
  const signOut = everywhereSignOut(rpcClient(OwnAccountService, transports.directory))
  const endOfFactor = createEndOfFactor({
    sessions,
    userSessions,
    raiseEpoch: (session, clientAddress) => signOut(ownChange(session, clientAddress)),
  })
  const passkeyFeature = createPasskeyFeature({
    ...factors,
    endOfFactor,
    flow,
    directory: passkeyDirectory(accounts),
    used: createUsedChallenges(redis),
    findPasskeySignIn,
    verifyPasskey: passkeyVerifier(credentials),
    masterKeys,
    random,
  })
  const app = createLoginHttpApp({
    config,
    logger,
    now,
    random,
    authorizationFlow: flow,
    signIn,
    ...passkeyFeature,
    ...createFactorFeature({
      ...factors,
      endOfFactor,
      directory: factorDirectory(accounts),
      beginEnrolment: enrolmentStarter(accounts),
      confirmEnrolment: enrolmentConfirmer(accounts),
      isConfirmed: passkeyFeature.isConfirmed,
    }),
    findPasskeySignIn,
    newPassword,
    recovery: recoveryClient(rpcClient(RecoveryService, transports.directory)),
    findBrandingFile: brandingFiles(brandingReader),
    findSignInPage: signInPages(database, logger),
    findRegistrationPolicy,
    register: createRegister({
      registerAccount: accountRegistrar(accounts),
      steps: shared.steps,
      flow,
      now,
    }),
    allowAccess: createAllowAccess(consents, flow),
    answerRoleOffer: createAnswerRoleOffer(offers, flow),
    consents,
    findAudienceNames: audienceNames(directory),
    findOrganizationName: organizationNames(directory),
    logoutFlow: createLogoutFlow({
      readRequest: endSessionRequests(findClient, hints.read),
      shortened: hints.shortened,
      sessions,
      endSessions,
    }),
    ...createAccountFeature({
      ...factors,
      transport: transports.directory,
      userSessions,
      isConfirmed: passkeyFeature.isConfirmed,
      findRegistrationPolicy,
      consents: consentAccess(accounts),
      grants: grantAccess(rpcClient(GrantService, transports.token)),
      findApplicationName: applicationNames(directory),
    }),
    posted: postedParameters,
    isSignedIn: async ({ sessionCookie }) => (await sessions.live(sessionCookie)).length > 0,
    countStored,
    responses,
  })
  return {
    name: 'login',
    http: app,
    rpc: [sessionService(userSessions), signInService(createClearFailures(attemptStore))],
    /** Without Redis it responds with a page of its own, which counts as failed: an unready pod would count nothing. */
    async notReady() {
      try {
        await database.query({ name: 'login.ready', text: 'SELECT 1' })
        return []
      } catch {
        return ['postgres']
      }
    },
    async stop() {
      await Promise.all([directory.stop(), revocations.stop()])
    },
  }
}
