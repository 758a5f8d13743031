import { availableParallelism } from 'node:os'
import { createAuditRecorder } from '@signet/admin-api/audit/audit-recorder'
import { jsonErrorHandler } from '@signet/admin-api/json-error-handler'
import { type RpcTransport, rpcClient } from '@signet/grpc/client'
import { SignInService } from '@signet/grpc/gen/login/v1/sign_in_service_pb'
import { RevocationService } from '@signet/grpc/gen/token/v1/revocation_service_pb'
import type { RpcService } from '@signet/grpc/service'
import { createHttpApp } from '@signet/http/app'
import { createPasswordHasher, type PasswordHasher } from '@signet/password-hash/password-hasher'
import type { Logger } from '@signet/platform/logger/logger'
import type { Metrics } from '@signet/platform/metrics/metrics'
import { createGetText } from '@signet/platform/outbound-http/http-calls'
import type { Database } from '@signet/platform/postgres/pool'
import type { Service } from '@signet/platform/process/service'
import type { Clock } from '@signet/platform/runtime/clock'
import { isLoopbackHost } from '@signet/protocol/redirect-uri'
import { newIdentifier, type RandomBytes } from '@signet/tokens/identifiers'
import { hasAnyPasskeyOf } from './accounts/second-factor.repository.ts'
import { PostgresAuditEntryStore } from './audit/audit-entry.repository.ts'
import { auditTable } from './audit/audit-table.ts'
import { createFailureReset } from './clients/login-service.ts'
import { endingPublisher, publishedInParts } from './clients/token-service.ts'
import type { DirectoryConfig } from './config.ts'
import { PostgresConsentStore } from './consents/consent.repository.ts'
import { findConsent, listConsents, recordConsent, withdrawConsent } from './consents/consent.ts'
import { createAttemptKeys, findAttemptKey } from './credentials/attempt-keys.ts'
import { BrowserTrustStore } from './credentials/browser-trust.repository.ts'
import { browserTrust } from './credentials/browser-trust.service.ts'
import { changePassword } from './credentials/change-password.ts'
import { credentialService } from './credentials/credential.grpc.ts'
import { PostgresCredentialStore } from './credentials/credential.repository.ts'
import { ownPasskeys } from './credentials/own-passkeys.ts'
import { PasskeyStore } from './credentials/passkey.repository.ts'
import { createBreachCheck } from './credentials/password-breaches.ts'
import { PostgresPasswordChangeStore } from './credentials/password-change.repository.ts'
import { type CheckPassword, createPasswordCheck } from './credentials/password-policy.ts'
import { createWeaknessCheck } from './credentials/password-strength.ts'
import { RecoveryCodeStore } from './credentials/recovery-code.repository.ts'
import { recoveryCodes } from './credentials/recovery-codes.service.ts'
import { PostgresTotpStore } from './credentials/totp.repository.ts'
import { totpEnrolments, verifyTotp } from './credentials/totp.service.ts'
import { verifyPasskey } from './credentials/verify-passkey.ts'
import { verifyPassword } from './credentials/verify-password.ts'
import { PostgresInstanceStore } from './instance/instance.repository.ts'
import { startJobs } from './jobs.ts'
import { createMailer, type Mailbox, startMail } from './mail-services.ts'
import { managementApi } from './management-api.ts'
import { OwnAnswerStore } from './members/offered-role.repository.ts'
import { ownOfferedRoles } from './members/offered-roles.service.ts'
import { ownAccountService } from './own-account/own-account.grpc.ts'
import { PostgresOwnAccountStore } from './own-account/own-account.repository.ts'
import { ownAccounts } from './own-account/own-account.service.ts'
import { registerAccount } from './registration/register-account.ts'
import { PostgresRegistrationStore } from './registration/registration.repository.ts'
import { PostgresMasterKeyCheckStore, requireMasterKey } from './sealing/master-key-check.repository.ts'
import { transferServices } from './transfer-services.ts'
import { accountService } from './users-api/account.grpc.ts'

export type { Mailbox }

interface DirectoryDependencies {
  readonly config: DirectoryConfig
  /** Connected as signet_directory; the caller closes it. */
  readonly database: Database
  /** Ends tokens and tells who is calling. */
  readonly token: RpcTransport
  /** Keeps the sessions of people. */
  readonly login: RpcTransport
  readonly logger: Logger
  readonly now: Clock
  readonly random: RandomBytes
  readonly metrics?: Metrics
  /** Takes the messages of an instance without an SMTP server. */
  readonly mailbox?: Mailbox
}

/** Waiting longer than this for a password check, a person would have given up. */
const PASSWORD_QUEUE_LIMIT = 200

/** Starts the directory on a migrated database. Throws StartFailure when the master key is the wrong one. */
export async function startDirectory(dependencies: DirectoryDependencies): Promise<Service<RpcService>> {
  const { config, database, logger, now, random } = dependencies
  await requireMasterKey(new PostgresMasterKeyCheckStore(database), config.masterKeys.reveal(), random)
  // Nothing but this machine reaches a loopback issuer: a first try needs no authenticator.
  await new PostgresInstanceStore(database).setIamRequiresMfaOnce(
    !isLoopbackHost(new URL(config.issuer).hostname),
  )
  // One core stays for everything that is not hashing.
  const hasher = createPasswordHasher({
    concurrency: Math.max(1, availableParallelism() - 1),
    queueLimit: PASSWORD_QUEUE_LIMIT,
  })
  if (dependencies.metrics) measureHasher(dependencies.metrics, hasher)
  const checkPassword = passwordCheck(dependencies)
  const masterKeys = config.masterKeys.reveal()
  const registrations = new PostgresRegistrationStore(database, masterKeys)
  const consents = new PostgresConsentStore(database)
  const audit = createAuditRecorder(auditTable, database)
  const attemptKeys = createAttemptKeys(masterKeys)
  const { passkeys: party } = config
  const credentials = new PostgresCredentialStore(database)
  const passkeys = party && new PasskeyStore(database, party.rpId)
  const totp = new PostgresTotpStore(database)
  const isPasskeyOffered = async (userId: string) => (await passkeys?.isOffered(userId, now())) ?? false
  const codes = recoveryCodes({
    codes: new RecoveryCodeStore(database, party?.rpId),
    audit,
    random,
    logger,
    now,
  })
  const newId = () => newIdentifier(now(), random)
  // Before anything is recorded: the last process may have ended months ago.
  await auditTable.createPartitions(database, now())
  const publishEndings = endingPublisher(rpcClient(RevocationService, dependencies.token))
  const mailer = createMailer(config, dependencies.mailbox)
  const mail = await startMail({
    ...dependencies,
    mailer,
    masterKeys,
    hasher,
    checkPassword,
    publishEndings,
    resetFailures: createFailureReset(rpcClient(SignInService, dependencies.login), attemptKeys),
  })
  const stopJobs = startJobs({ database, masterKeys, random, logger, now, metrics: dependencies.metrics })
  return {
    name: 'directory',
    http: createHttpApp({
      logger,
      issuer: config.issuer,
      trustedProxies: config.trustedProxies,
      routes: managementApi({
        ...dependencies,
        masterKeys,
        hasher,
        checkPassword,
        audit,
        attemptKeys,
        mailer,
        issuer: config.issuer,
        rpId: party?.rpId,
        callsPerSecond: config.rateLimits?.management,
      }),
      onError: jsonErrorHandler(logger),
    }),
    rpc: [
      credentialService({
        attemptKeys,
        findAttemptKey: findAttemptKey({ credentials, keys: attemptKeys }),
        verifyPassword: verifyPassword({ credentials, hasher, isPasskeyOffered, audit, logger }),
        verifyPasskey: verifyPasskey({ party, passkeys, publishEndings, audit, now, logger }),
        verifyTotp: verifyTotp({ totp, audit, masterKeys, now, logger }),
        recoveryCodes: codes,
      }),
      accountService({
        attemptKeys,
        register: registerAccount({
          registrations,
          audit,
          hasher,
          checkPassword,
          newId,
          now,
          logger,
        }),
        findConsent: findConsent(consents),
        recordConsent: recordConsent(consents, now),
        listConsents: listConsents(consents),
        withdrawConsent: withdrawConsent(consents),
        findSecondFactors: async (userId) => ({
          totp: await totp.isSet(userId),
          passkey: await passkeys?.secondFactor(userId),
          anyPasskey: await hasAnyPasskeyOf(database, userId),
        }),
        passkeys: ownPasskeys({ party, passkeys, audit, newId, random, now }),
        enrolments: totpEnrolments({ totp, audit, masterKeys, random, now }),
        recoveryCodes: codes,
        browserTrust: browserTrust({
          store: new BrowserTrustStore(database, party?.rpId),
          keys: attemptKeys,
          random,
          now,
        }),
        changePassword: changePassword({
          passwords: new PostgresPasswordChangeStore(database, 'required'),
          hasher,
          checkPassword,
          publishEndings,
          now,
        }),
        offeredRoles: ownOfferedRoles(new OwnAnswerStore(database)),
      }),
      ownAccountService({
        attemptKeys,
        emailChanges: mail.emailChanges,
        accounts: ownAccounts({
          accounts: new PostgresOwnAccountStore(database, { masterKeys, random }),
          audit: new PostgresAuditEntryStore(database),
          publishEndings,
          mayDelete: config.ownAccountDeletion,
          logger,
          now,
        }),
        replacePassword: changePassword({
          passwords: new PostgresPasswordChangeStore(database, 'any'),
          hasher,
          checkPassword,
          publishEndings,
          now,
        }),
      }),
      mail.rpc,
    ],
    lastingRpc: transferServices({
      database,
      masterKeys,
      random,
      hasher,
      publishEndings: publishedInParts(publishEndings),
      rpId: party?.rpId,
      now,
    }),
    async notReady() {
      try {
        await database.query({ name: 'directory.ready', text: 'SELECT 1' })
        return []
      } catch {
        return ['postgres']
      }
    },
    async stop() {
      await Promise.all([stopJobs(), mail.stop()])
    },
  }
}

/** Longer, and the person who waits would think that the page is broken. */
const BREACH_TIMEOUT_MS = 1_500

/** The rules for new passwords, by the settings of the operator. */
function passwordCheck({ config, logger, metrics }: DirectoryDependencies): CheckPassword {
  const count = metrics?.counter({
    name: 'signet_breached_password_checks_total',
    help: 'New passwords looked up in the list of SIGNET_BREACHED_PASSWORDS_URL; failed ones were accepted.',
    labels: ['outcome'],
  })
  return createPasswordCheck({
    findWeakness: createWeaknessCheck(config.passwords.minScore),
    findBreach: createBreachCheck({
      url: config.passwords.breachedUrl,
      getText: createGetText({ allow: config.outboundAllow, timeoutMs: BREACH_TIMEOUT_MS }),
      logger,
      count: (outcome) => count?.({ outcome }),
    }),
  })
}

/** Registers the queue of passwords that wait to be hashed. */
function measureHasher(metrics: Metrics, hasher: Pick<PasswordHasher, 'use'>): void {
  metrics.gauge(
    {
      name: 'signet_password_hashes',
      help: 'Passwords that are hashed now, and that wait for it.',
      labels: ['state'],
    },
    () => {
      const { running, waiting } = hasher.use()
      return [
        { labels: { state: 'running' }, value: running },
        { labels: { state: 'waiting' }, value: waiting },
      ]
    },
  )
  metrics.total(
    {
      name: 'signet_password_hashes_refused_total',
      help: 'Passwords that were not hashed because too many waited, or too long.',
      labels: [],
    },
    () => [{ labels: {}, value: hasher.use().refused }],
  )
}
