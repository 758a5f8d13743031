// Composes what the features of this service share. A feature adds its own services and routes in its `routes.ts`.
import { type BrandingReader, createBrandingReader } from '@signet/directory-reader/branding'
import { createDirectoryReader, type DirectoryReader } from '@signet/directory-reader/directory-reader'
import { createInitiatingProviderReader } from '@signet/directory-reader/initiating-providers'
import { createSignInPageReader } from '@signet/directory-reader/sign-in-page'
import { rpcClient } from '@signet/grpc/client'
import { KeyService } from '@signet/grpc/gen/keys/v1/key_service_pb'
import { createRefusalRecorder } from '@signet/http/refusals'
import { createGetDocument } from '@signet/platform/outbound-http/http-calls'
import { createReplayGuard } from '@signet/platform/redis/replay-guard'
import { createRevocationReader } from '@signet/revocation-reader/revocation-reader'
import { openPlaces } from '@signet/service/places'
import { createRefusalReporter, createRefusalSender } from '@signet/service/refusal-reporter'
import { createRequireProof } from '@signet/tokens/dpop/require-proof'
import { createVerificationKeys } from '@signet/tokens/keys/verify-jws'
import { createAnonymousStore } from './authorize/anonymous-store.repository.ts'
import { createAuthorizationFlow } from './authorize/authorize.service.ts'
import { createConsentRule } from './authorize/consent-rule.ts'
import { createExplainSignIn } from './authorize/explain-sign-in.ts'
import { idTokenHints } from './authorize/id-token-hint.ts'
import { withOwnClient } from './authorize/own-client.ts'
import { createPendingRepository } from './authorize/pending.repository.ts'
import { createDeviceLimit, createPushLimit, createStorageLimit } from './authorize/pending-authorization.ts'
import { createPushRequest } from './authorize/push-request.service.ts'
import { authorizationResponses } from './authorize/redirect.ts'
import { createRequestObjectReader } from './authorize/request-object.ts'
import { createRoleOfferFinder } from './authorize/role-offers.ts'
import { createOrganizationContextReader } from './authorize/session-candidates.ts'
import { createFindBranding } from './branding/find-branding.ts'
import {
  createDocumentedClientFinder,
  createRegisteredClientFinder,
} from './client-metadata/documented-clients.ts'
import {
  type ClientDocuments,
  createClientDocuments,
  createDocumentCount,
} from './client-metadata/find-document.ts'
import { createClientProof } from './clients/client-proof.ts'
import { createClients } from './clients/clients.ts'
import * as views from './clients/directory-views.ts'
import { createEndedSessionCheck, sessionChecks } from './clients/session-checks.ts'
import type { DocumentedClients, LoginDependencies } from './config.ts'
import { createAssessWithDevices } from './device/assess-device.ts'
import { createBeginDevice } from './device/begin-device.service.ts'
import { createDeviceRequests } from './device/device.repository.ts'
import type { DeviceRequests } from './device/device-request.ts'
import { loginEvents } from './events.ts'
import { createLogoutReturns } from './logout/logout-return.repository.ts'
import { createConfirmedCheck, createUsableFactorFinder } from './own-account/usable-factors.ts'
import { loadAssets } from './pages/assets.ts'
import { createFrameInLanguage, createPageFrames } from './pages/page-frames.ts'
import { OWN_PAGES, PATHS } from './pages/paths.ts'
import { browserCookies } from './sessions/browser-cookies.ts'
import { createBrowserSessions } from './sessions/browser-sessions.ts'
import { createEndOfFactor } from './sessions/end-of-factor.ts'
import { createOwnAccounts } from './sessions/own-accounts.service.ts'
import { createSessionRepository } from './sessions/session.repository.ts'
import { ownChange } from './sessions/sign-in-proof.ts'
import { createUserSessions } from './sessions/user-sessions.ts'
import { createPasskeyChallenges } from './sign-in/passkey-challenge.ts'
import { createPasskeyForms } from './sign-in/passkey-form.page.ts'
import { createPasskeyOptions } from './sign-in/passkey-options.ts'
import { createSignInParts } from './sign-in/sign-in-parts.ts'
import { createThrottleRepository } from './sign-in/throttle.repository.ts'
import { createUsedChallenges } from './sign-in/used-challenge.repository.ts'
import { createLogoutMemory } from './upstream/logout-memory.repository.ts'
import { createEndIfEnded } from './upstream/upstream-logout.service.ts'

/** The shared parts of the routes and the gRPC services of this service. */
export type LoginParts = ReturnType<typeof createLoginParts>

/** Opens the readers, the clients and the stores of the login service; `stop` closes the readers again. */
export function createLoginParts(dependencies: LoginDependencies, generation: number) {
  const { config, database, redis, transports, logger, metrics, now, random } = dependencies
  const { issuer } = config
  const masterKeys = config.masterKeys.reveal()
  const reader = createDirectoryReader({ database, logger, changes: dependencies.changes })
  const { openRevocations = createRevocationReader } = dependencies
  const revocations = openRevocations({
    ...{ database, redis, logger, metrics },
    log: config.revocationLog,
    ...config.revocationBounds,
  })
  const documents = config.clientMetadata && createDocuments(config.clientMetadata, now)
  const clientReader = withDocuments(dependencies, reader, documents)
  const found = createViews(dependencies, reader, clientReader)
  const called = createClients(transports, logger)
  const store = createSessionRepository(redis, { masterKeys, generation })
  const checks = sessionChecks({
    ...{ directory: reader, revocations, generation, now },
    hasEnded: createEndedSessionCheck(database),
  })
  const sessions = createBrowserSessions({ store, checks, now, random })
  const logoutMemory = createLogoutMemory(redis)
  const keys = createVerificationKeys({ keys: rpcClient(KeyService, transports.keys), now, logger })
  const authorizing = createAuthorizing(dependencies, {
    ...found,
    ...called,
    sessions,
    stored: createPendingRepository(redis, { masterKeys, generation, now, random }),
    deviceRequests: createDeviceRequests(redis, createAnonymousStore(redis), {
      ...{ masterKeys, generation, now, random },
    }),
    hints: idTokenHints(issuer, { keys, revocations, masterKeys }),
  })
  const attemptStore = createThrottleRepository(redis, random)
  const userSessions = createUserSessions({ store, checks, endSessions: called.endSessions, now })
  const signingIn = createSignInParts({
    ...{ masterKeys, generation, metrics, now, random, ...found, ...called },
    ...{ sessions, isUsable: checks.isUsable, flow: authorizing.flow, attemptStore },
    endIfEnded: createEndIfEnded({ logoutMemory, userSessions }),
  })
  const reporter = createRefusalReporter({
    ...{ logger, metrics, now },
    send: createRefusalSender(transports.directory),
  })
  const findUsableFactors = createUsableFactorFinder({ ...found, ...called })
  const places = openPlaces(config.placesFile, logger)
  const renewals = config.mutualTls?.authorities?.watch(logger)
  const challenges = createPasskeyChallenges({
    ...{ masterKeys, now, random },
    used: createUsedChallenges(redis),
  })
  return {
    ...{ config, issuer, logger, now, random },
    ...found,
    ...called,
    ...createPageParts(dependencies),
    ...authorizing,
    ...signingIn,
    authenticateClient: createClientProof(dependencies, clientReader),
    countDocument: createDocumentCount(documents),
    // Without nonces, since this service holds no ring of keys; the token endpoint asks for them.
    requireProof: createRequireProof({
      guard: createReplayGuard(redis, now, 'dpop-proof'),
      isNonceRequired: async () => false,
    }),
    isRegisteredOrigin: reader.isRegisteredOrigin,
    sessions,
    sessionStore: store,
    logoutMemory,
    logoutReturns: createLogoutReturns(redis, { masterKeys, generation }),
    attemptStore,
    userSessions,
    refusals: createRefusalRecorder(logger, reporter.report),
    ownAccounts: createOwnAccounts({ sessions, ...found }),
    findUsableFactors,
    /** Whether the user of a session authenticated a short time ago. */
    isConfirmed: createConfirmedCheck(findUsableFactors, now),
    places,
    endOfFactor: createEndOfFactor({
      sessions,
      userSessions,
      raiseEpoch: (session, clientAddress) => called.signOutEverywhere(ownChange(session, clientAddress)),
    }),
    challenges,
    /** The relying party and the forms of passkeys; undefined: there are no passkeys. */
    party: config.passkeys,
    passkeyForms: config.passkeys && createPasskeyForms(createPasskeyOptions(config.passkeys, challenges)),
    async stop() {
      await Promise.all([reader.stop(), revocations.stop(), reporter.stop(), renewals?.stop(), places.stop()])
    },
  }
}

type Views = ReturnType<typeof createViews>
type Clients = ReturnType<typeof createClients>

/** Time limit for the document of a client, which a person waits for. */
const DOCUMENT_TIMEOUT_MS = 3_000
const DOCUMENT_BYTES = 5 * 1024

function createDocuments({ outboundAllow: allow }: DocumentedClients, now: LoginDependencies['now']) {
  return createClientDocuments({
    getDocument: createGetDocument({ allow, timeoutMs: DOCUMENT_TIMEOUT_MS, limitBytes: DOCUMENT_BYTES }),
    elapsed: () => performance.now(),
    now,
  })
}

/** The directory with the clients that their documents describe; without any client with a URL where there are none. */
function withDocuments(
  { config: { clientMetadata, issuer } }: LoginDependencies,
  directory: DirectoryReader,
  documents: ClientDocuments | undefined,
): DirectoryReader {
  const client =
    clientMetadata === undefined || documents === undefined
      ? createRegisteredClientFinder(directory)
      : createDocumentedClientFinder({ directory, documents, metadata: clientMetadata, issuer })
  return { ...directory, client }
}

/** The published views of the directory. */
function createViews(
  { database, logger, config }: LoginDependencies,
  reader: DirectoryReader,
  clientReader: DirectoryReader,
) {
  const brandings: BrandingReader = createBrandingReader({ database, directory: reader })
  const findSignInPage = createSignInPageReader({ database, directory: reader })
  return {
    findClient: views.createClientFinder(clientReader, config.issuer),
    /** Finds no client that is not stored, and reads no document. */
    findStoredClient: views.createClientFinder(reader, config.issuer),
    readOrganizationContext: createOrganizationContextReader(views.organizationFinder(reader)),
    findAccountNames: views.createAccountNameFinder(reader),
    findNamedApplication: views.createNamedApplicationFinder(reader, config.issuer),
    findAudienceNames: views.createAudienceNameFinder(reader),
    findOrganizationName: views.createOrganizationNameFinder(reader),
    findFactorPolicy: views.createFactorPolicyFinder(reader),
    findRegistrationPolicy: views.createRegistrationPolicyFinder(reader),
    findPasskeySignIn: views.createPasskeySignInFinder(findSignInPage),
    findSignInPage: views.createSignInPageFinder(findSignInPage, logger),
    findInitiatingProvider: views.createInitiatingProviderFinder(
      createInitiatingProviderReader({ database, directory: reader }),
    ),
    findBrandingFile: views.createBrandingFileFinder(brandings),
    branding: createFindBranding(views.brandingDirectory(reader, brandings), logger),
    isOwnApplication: views.createOwnApplicationCheck(reader),
    requireAudiences: views.createAudienceGuard(clientReader),
    findResources: views.createResourceFinder(reader, config.issuer),
    findDetails: views.createDetailFinder(reader),
    findDetailType: views.createDetailTypeFinder(reader),
    requireProjectAccess: views.createProjectGuard(reader),
  }
}

interface AuthorizingParts extends Views, Clients {
  readonly sessions: ReturnType<typeof createBrowserSessions>
  readonly stored: ReturnType<typeof createPendingRepository>
  readonly deviceRequests: DeviceRequests
  readonly hints: ReturnType<typeof idTokenHints>
}

/** Assesses authorization requests, and keeps those that wait for their user. */
function createAuthorizing({ config, now, random }: LoginDependencies, parts: AuthorizingParts) {
  const { stored, hints, consents, offers, deviceRequests, deviceAnswers } = parts
  const clients = withOwnClient(
    OWN_PAGES.map((path) => `${config.issuer}${path}`),
    parts,
  )
  const responses = authorizationResponses(config.issuer, parts.signResponse)
  const countStored = createStorageLimit(now)
  const { pushedRequests } = stored
  const readRequestObject = createRequestObjectReader({
    ...{ issuer: config.issuer, findClient: clients.findClient, now },
  })
  const decided = {
    ...parts,
    ...clients,
    needsConsent: createConsentRule({ ...parts, findConsent: consents.find }),
    findRoleOffer: createRoleOfferFinder(offers),
    now,
  }
  const devices = {
    requests: deviceRequests,
    answers: deviceAnswers,
    endUri: `${config.issuer}${PATHS.deviceDone}`,
  }
  const assess = createAssessWithDevices({ ...decided, responses }, devices)
  const flow = createAuthorizationFlow({
    findClient: clients.findClient,
    findResources: parts.findResources,
    findDetails: parts.findDetails,
    pendingAuthorizations: stored.pendingAuthorizations,
    ...{ pushedRequests, readRequestObject, responses, hints, assess, countStored, random },
    async denyDevice(denied) {
      await deviceAnswers.deny(denied)
      await deviceRequests.forget(denied.device)
    },
  })
  const pushRequest = createPushRequest({
    ...decided,
    pushedRequests,
    readRequestObject,
    countPushed: createPushLimit(now),
  })
  const beginDevice = createBeginDevice({
    ...decided,
    ...devices,
    random,
    countDevice: createDeviceLimit(now),
  })
  const explainSignIn = createExplainSignIn(decided)
  return {
    ...{ flow, pushRequest, beginDevice, hints, responses, countStored, explainSignIn },
    posted: stored.postedParameters,
    deviceFlow: { requests: deviceRequests, pendingAuthorizations: stored.pendingAuthorizations },
  }
}

/** Cookies, documents and files, which every page needs. */
function createPageParts({ config, logger, random }: LoginDependencies) {
  const assets = loadAssets()
  const cookies = browserCookies({ issuer: config.issuer, random })
  const { auto, light, dark } = assets.stylesheets
  const frameInLanguage = createFrameInLanguage(
    {
      stylesheets: { auto: auto.path, light: light.path, dark: dark.path },
      passkeyScript: assets.passkeyScript.path,
      passwordScript: assets.passwordScript.path,
      codesScript: assets.codesScript.path,
      hasPasskeys: config.passkeys !== undefined,
    },
    random,
  )
  return {
    assets,
    frames: createPageFrames(frameInLanguage, cookies),
    frameInLanguage,
    cookies,
    events: loginEvents(logger),
  }
}
