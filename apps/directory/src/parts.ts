import { availableParallelism } from 'node:os'
import { createAuditRecorder } from '@signet/admin-api/audit/audit-recorder'
import { rpcClient } from '@signet/grpc/client'
import { SignInService } from '@signet/grpc/gen/login/v1/sign_in_service_pb'
import { GrantService } from '@signet/grpc/gen/token/v1/grant_service_pb'
import { RevocationService } from '@signet/grpc/gen/token/v1/revocation_service_pb'
import { createPasswordHasher, type PasswordHasher } from '@signet/password-hash/password-hasher'
import type { Metrics } from '@signet/platform/metrics/metrics'
import { createGetText } from '@signet/platform/outbound-http/http-calls'
import { createDailyUses } from '@signet/service/daily-uses'
import { openPlaces } from '@signet/service/places'
import { createRefusalReporter } from '@signet/service/refusal-reporter'
import { newIdentifier } from '@signet/tokens/identifiers'
import { auditTable } from './audit/audit-table.ts'
import { createFailureReset } from './clients/login-service.ts'
import { createEndingPublisher, createLastUseFinder, createUseCounter } from './clients/token-service.ts'
import type { DirectoryOptions } from './config.ts'
import { createAttemptKeys } from './credentials/attempt-keys.ts'
import { createBreachCheck } from './credentials/password-breaches.ts'
import { type CheckPassword, createPasswordCheck } from './credentials/password-check.ts'
import { createWeaknessCheck } from './credentials/password-strength.ts'
import { createRefusedFactorReport } from './credentials/sign-in-refusals.ts'
import { ProviderUseStore } from './identity-providers/provider-use.repository.ts'
import { createMailSecrets } from './mail/mail-secret.ts'
import type { Mailer } from './mail/mailer.ts'
import { RefusalStore } from './refusals/refusal.repository.ts'
import { RegistrationStore } from './registration/registration.repository.ts'

/** The shared parts of the routes, the gRPC services and the jobs of this service. */
export type DirectoryParts = ReturnType<typeof createDirectoryParts>

/** Waiting longer than this for a password check, a person would have given up. */
const PASSWORD_QUEUE_LIMIT = 200

/** Makes what several features of the directory use. */
export function createDirectoryParts(options: DirectoryOptions, mailer: Mailer) {
  const { config, database, logger, now, random, metrics } = options
  const masterKeys = config.masterKeys.reveal()
  const attemptKeys = createAttemptKeys(masterKeys)
  // One core stays for everything that is not hashing.
  const hasher = createPasswordHasher({
    concurrency: Math.max(1, availableParallelism() - 1),
    queueLimit: PASSWORD_QUEUE_LIMIT,
  })
  if (metrics) measureHasher(metrics, hasher)
  const refusals = new RefusalStore(database)
  const providerUseStore = new ProviderUseStore(database)
  // Passwords and codes are compared here, so login hands over nothing about them.
  const reporter = createRefusalReporter({
    ...{ logger, metrics, now },
    send: (events) =>
      refusals.record(events.map((event) => ({ ...event, service: event.refusal.service ?? 'login' }))),
  })
  return {
    config,
    mailIntervalMs: options.mailIntervalMs,
    database,
    masterKeys,
    attemptKeys,
    hasher,
    checkPassword: passwordCheck(options),
    getMetadata: createGetText({ allow: config.outboundAllow, timeoutMs: METADATA_TIMEOUT_MS }),
    mailer,
    places: openPlaces(config.placesFile, logger),
    mailSecrets: createMailSecrets(masterKeys),
    registrations: new RegistrationStore(database, masterKeys),
    audit: createAuditRecorder(auditTable, database),
    refusals,
    providerUses: createDailyUses((at, ids) => providerUseStore.record(at, ids), now),
    reporter,
    reportRefused: createRefusedFactorReport(reporter.report),
    publishEndings: createEndingPublisher(rpcClient(RevocationService, options.token)),
    countUse: createUseCounter(rpcClient(GrantService, options.token)),
    findLastUse: createLastUseFinder(rpcClient(GrantService, options.token)),
    resetFailures: createFailureReset(rpcClient(SignInService, options.login), attemptKeys),
    newId: () => newIdentifier(now(), random),
    logger,
    now,
    random,
    metrics,
  }
}

/** An administrator waits for the metadata of a provider. */
const METADATA_TIMEOUT_MS = 10_000

/** Longer, and the person who waits would think that the page is broken. */
const BREACH_TIMEOUT_MS = 1_500

/** The rules for new passwords, by the settings of the operator. */
function passwordCheck({ config, logger, metrics }: DirectoryOptions): CheckPassword {
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
