import { availableParallelism } from 'node:os'
import { authenticateBearer } from '@signet/bearer-authentication/authenticate-bearer'
import { createHttpApp } from '@signet/http-server/app'
import { jsonErrorHandler } from '@signet/http-server/json-error-handler'
import { createPasswordHasher, type PasswordHasher } from '@signet/password-hash/password-hasher'
import type { Database } from '@signet/postgres/pool'
import { rpcClient } from '@signet/rpc/client'
import { BearerService } from '@signet/rpc/gen/token/v1/bearer_service_pb'
import { RevocationService } from '@signet/rpc/gen/token/v1/revocation_service_pb'
import type { RpcService } from '@signet/rpc/service'
import type { RpcTransport } from '@signet/rpc/transport'
import type { Clock } from '@signet/service-runtime/clock'
import type { Logger } from '@signet/service-runtime/logger'
import type { Service } from '@signet/service-runtime/service'
import { newIdentifier, type RandomBytes } from '@signet/token-format/identifiers'
import { deleteAccount } from './accounts/delete-account.ts'
import { resetPassword } from './accounts/reset-password.ts'
import { setAccountState } from './accounts/set-account-state.ts'
import { signOutEverywhere } from './accounts/sign-out-everywhere.ts'
import { setApplicationState } from './applications/set-application-state.ts'
import { auditCalls } from './audit/audit-call.ts'
import { pruneChangeFeed } from './change-feed/prune-change-feed.ts'
import { epochPublisher } from './collaborators/revocation-service.ts'
import type { DirectoryConfig } from './config.ts'
import { findConsent, recordConsent } from './consents/consent.ts'
import { loadFrequentPasswords } from './credentials/frequent-passwords.ts'
import { verifyPassword } from './credentials/verify-password.ts'
import { verifyTotp } from './credentials/verify-totp.ts'
import { pruneEpochs } from './epochs/prune-epochs.ts'
import { featureRoutes } from './http/feature-routes.ts'
import { managementRoutes } from './http/management-route.ts'
import { securityPolicyRoutes } from './http/security-policy-routes.ts'
import { stateRoute } from './http/state-route.ts'
import { userRoutes } from './http/user-routes.ts'
import { readFeatures, resetFeatures, setFeatures } from './instance/features.ts'
import { readSecurityPolicy, setSecurityPolicy } from './instance/security-policy.ts'
import { startAuditJob } from './jobs/audit.job.ts'
import { startChangeFeedJob } from './jobs/change-feed.job.ts'
import { startEpochJob } from './jobs/epoch.job.ts'
import { startRegistrationJob } from './jobs/registration.job.ts'
import { setOrganizationState } from './organizations/set-organization-state.ts'
import { forgetTries } from './registration/forget-tries.ts'
import { registerAccount } from './registration/register-account.ts'
import { accountService } from './rpc/account-service.ts'
import { credentialService } from './rpc/credential-service.ts'
import { requireMasterKey } from './sealing/require-master-key.ts'
import { PostgresAccountStore } from './stores/account-store.ts'
import { PostgresApplicationStore } from './stores/application-store.ts'
import { type AuditLog, PostgresAuditLog } from './stores/audit-log.ts'
import { PostgresChangeFeedStore } from './stores/change-feed-store.ts'
import { PostgresConsentStore } from './stores/consent-store.ts'
import { PostgresCredentialStore } from './stores/credential-store.ts'
import { PostgresEpochStore } from './stores/epoch-store.ts'
import { PostgresInstanceStore } from './stores/instance-store.ts'
import { PostgresMasterKeyCheckStore } from './stores/master-key-check-store.ts'
import { PostgresOrganizationStore } from './stores/organization-store.ts'
import { PostgresRegistrationStore } from './stores/registration-store.ts'
import { PostgresTotpStore } from './stores/totp-store.ts'

interface DirectoryDependencies {
  readonly config: DirectoryConfig
  /** Connected as signet_directory; closed by whoever opened it. */
  readonly database: Database
  /** Ends tokens and tells who is calling. */
  readonly token: RpcTransport
  readonly logger: Logger
  readonly now: Clock
  readonly random: RandomBytes
}

/** Waiting longer than this for a password check, a person would have given up. */
const PASSWORD_QUEUE_LIMIT = 200

/** Starts the directory on a migrated database. Throws StartFailure when the master key is the wrong one. */
export async function startDirectory(dependencies: DirectoryDependencies): Promise<Service<RpcService>> {
  const { config, database, logger, now, random } = dependencies
  await requireMasterKey(new PostgresMasterKeyCheckStore(database), config.masterKeys.reveal(), random)
  // One core stays for everything that is not hashing.
  const hasher = createPasswordHasher({
    concurrency: Math.max(1, availableParallelism() - 1),
    queueLimit: PASSWORD_QUEUE_LIMIT,
  })
  const frequentPasswords = loadFrequentPasswords()
  const registrations = new PostgresRegistrationStore(database)
  const consents = new PostgresConsentStore(database)
  const audit = new PostgresAuditLog(database)
  // Before anything is recorded: the last process may have ended months ago.
  await audit.settlePartitions()
  const stopJobs = [
    startAuditJob({ settlePartitions: () => audit.settlePartitions(), logger }),
    startChangeFeedJob({ prune: pruneChangeFeed(new PostgresChangeFeedStore(database)), logger }),
    startEpochJob({ prune: pruneEpochs(new PostgresEpochStore(database)), logger }),
    startRegistrationJob({ forget: forgetTries(registrations, now), logger }),
  ]
  return {
    name: 'directory',
    http: createHttpApp({
      logger,
      trustedProxies: config.trustedProxies,
      routes: httpRoutes(dependencies, { hasher, frequentPasswords, audit }),
      errorHandler: jsonErrorHandler(logger),
    }),
    rpc: [
      credentialService({
        verifyPassword: verifyPassword({
          credentials: new PostgresCredentialStore(database),
          hasher,
          audit,
          logger,
        }),
        verifyTotp: verifyTotp({
          totp: new PostgresTotpStore(database),
          audit,
          masterKeys: config.masterKeys.reveal(),
          now,
          logger,
        }),
      }),
      accountService({
        register: registerAccount({
          registrations,
          audit,
          hasher,
          frequentPasswords,
          newId: () => newIdentifier(now(), random),
          now,
          logger,
        }),
        findConsent: findConsent(consents),
        recordConsent: recordConsent(consents, now),
      }),
    ],
    async notReady() {
      try {
        await database.query({ name: 'directory.ready', text: 'SELECT 1' })
        return []
      } catch {
        return ['postgres']
      }
    },
    async stop() {
      await Promise.all(stopJobs.map((stop) => stop()))
    },
  }
}

interface Shared {
  readonly hasher: PasswordHasher
  readonly frequentPasswords: ReadonlySet<string>
  readonly audit: AuditLog
}

function httpRoutes({ database, token, now, logger }: DirectoryDependencies, shared: Shared) {
  const { hasher, frequentPasswords, audit } = shared
  const routes = managementRoutes(
    authenticateBearer(rpcClient(BearerService, token)),
    auditCalls(audit, logger),
  )
  const publishEpochs = epochPublisher(rpcClient(RevocationService, token))
  const accounts = new PostgresAccountStore(database)
  const applications = new PostgresApplicationStore(database)
  const organizations = new PostgresOrganizationStore(database)
  const instance = new PostgresInstanceStore(database)
  return [
    stateRoute('organization', { routes, setState: setOrganizationState({ organizations, publishEpochs }) }),
    userRoutes({
      routes,
      setState: setAccountState({ accounts, publishEpochs }),
      deleteUser: deleteAccount({ accounts, publishEpochs }),
      resetPassword: resetPassword({ accounts, hasher, frequentPasswords, publishEpochs, now }),
      signOut: signOutEverywhere({ accounts, publishEpochs }),
    }),
    stateRoute('application', { routes, setState: setApplicationState({ applications, publishEpochs }) }),
    featureRoutes({
      routes,
      readFeatures: readFeatures(instance),
      setFeatures: setFeatures(instance),
      resetFeatures: resetFeatures(instance),
    }),
    securityPolicyRoutes({
      routes,
      readSecurityPolicy: readSecurityPolicy(instance),
      setSecurityPolicy: setSecurityPolicy(instance),
    }),
  ]
}
