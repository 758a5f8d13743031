import type { RpcService } from '@signet/grpc/service'
import type { PasswordHasher } from '@signet/password-hash/password-hasher'
import type { Logger } from '@signet/platform/logger/logger'
import type { Metrics } from '@signet/platform/metrics/metrics'
import { startDeliveries, type TryOutcome } from '@signet/platform/outbox/deliver'
import type { Database, Queryable } from '@signet/platform/postgres/pool'
import type { Clock } from '@signet/platform/runtime/clock'
import { repeat } from '@signet/platform/runtime/clock'
import type { RandomBytes } from '@signet/tokens/identifiers'
import { PostgresAccountStore } from './accounts/account.repository.ts'
import type { ResetFailures } from './accounts/account.ts'
import { deleteFactors } from './accounts/second-factor.repository.ts'
import { auditTable } from './audit/audit-table.ts'
import type { DirectoryConfig } from './config.ts'
import { PostgresCredentialStore } from './credentials/credential.repository.ts'
import type { CheckPassword } from './credentials/password-policy.ts'
import type { PublishEndings } from './epochs/epoch.ts'
import { PostgresMailStore } from './mail/mail.repository.ts'
import { createMailDeliveries, resolveNotice } from './mail/mail-deliveries.ts'
import { createMailOutboxes } from './mail/mail-outbox.repository.ts'
import { createMailSecrets } from './mail/mail-secret.ts'
import { PostgresMailTokenStore } from './mail/mail-token.repository.ts'
import { PostgresMessageTextStore } from './mail/message-text.repository.ts'
import { noticeOtherRpId } from './mail/notices.ts'
import {
  createSmtpSender,
  type OutgoingMail,
  type SendMail,
  type SmtpServer,
  smtpServerOf,
} from './mail/smtp.ts'
import { PostgresSmtpSettingsStore } from './mail/smtp-settings.repository.ts'
import { smtpServer } from './mail/smtp-settings.service.ts'
import { createEmailChanges, type EmailChanges } from './recovery/email-changes.ts'
import { recoveryService } from './recovery/recovery.grpc.ts'
import { createRecovery, type RecoveryStores } from './recovery/recovery.service.ts'
import { requestReset, resolveResetRequest } from './recovery/reset-requests.ts'
import { PostgresRegistrationStore } from './registration/registration.repository.ts'

/** Takes the messages of an instance without an SMTP server, on the machine of its developer. */
export type Mailbox = (mail: OutgoingMail) => void

/** The sending of messages: the server of the instance, if there is one, and the connection to any server. */
export interface Mailer {
  readonly instanceSmtp: SmtpServer | undefined
  readonly send: SendMail
}

/** Without a server the messages of the instance go to the mailbox, if there is one. */
export function createMailer(
  { smtp, outboundAllow }: Pick<DirectoryConfig, 'smtp' | 'outboundAllow'>,
  mailbox: Mailbox | undefined,
): Mailer {
  const overSmtp = createSmtpSender({ allow: outboundAllow })
  const server = smtp && smtpServerOf(smtp.url.reveal(), smtp.sender)
  if (server !== undefined || mailbox === undefined) return { instanceSmtp: server, send: overSmtp }
  const instanceSmtp = {
    host: 'mailbox',
    port: 25,
    tls: 'opportunistic',
    senderAddress: 'signet@localhost',
    isGuarded: false,
  } as const
  return {
    instanceSmtp,
    async send(to, mail) {
      if (to !== instanceSmtp) return overSmtp(to, mail)
      mailbox(mail)
      return { accepted: true }
    },
  }
}

interface Dependencies {
  readonly config: DirectoryConfig
  readonly mailer: Mailer
  readonly database: Database
  readonly masterKeys: readonly Buffer[]
  readonly hasher: PasswordHasher
  readonly checkPassword: CheckPassword
  readonly publishEndings: PublishEndings
  readonly resetFailures: ResetFailures
  readonly logger: Logger
  readonly metrics?: Metrics | undefined
  readonly now: Clock
  readonly random: RandomBytes
}

const HOUR_MS = 3_600_000

/** Starts the rounds that send messages, and serves what people do with their links. */
export async function startMail(
  dependencies: Dependencies,
): Promise<{ readonly rpc: RpcService; readonly emailChanges: EmailChanges; stop(): Promise<void> }> {
  const { config, mailer, database, masterKeys, logger, metrics, now, random } = dependencies
  const mail = new PostgresMailStore(database, masterKeys)
  await mail.setInstanceServer({
    sendsMail: mailer.instanceSmtp !== undefined,
    dailyLimit: config.smtp?.dailyLimit ?? 0,
  })
  await noticeOtherRpId(database, config.passkeys?.rpId)
  const tries = new PostgresRegistrationStore(database, masterKeys)
  const secrets = createMailSecrets(masterKeys)
  const smtpSettings = new PostgresSmtpSettingsStore(database)
  const counter = metrics?.counter({
    name: 'signet_mail_deliveries_total',
    help: 'Tries to send an e-mail; given_up was the last one',
    labels: ['outcome'],
  })
  const deliveries = {
    issuer: config.issuer,
    mail,
    tokens: new PostgresMailTokenStore(database),
    texts: new PostgresMessageTextStore(database, { masterKeys, random }),
    secrets,
    masterKeys,
    resolveRequest: resolveResetRequest({
      credentials: new PostgresCredentialStore(database),
      mail,
      queueAndRecord: (message, event) =>
        database.transaction(async (tx) => {
          const outcome = await new PostgresMailStore(tx, masterKeys).queue(message)
          if (outcome === 'repeated') return
          if (outcome === 'queued') return auditTable.record(tx, event)
          logger.warn('mail_not_queued', { userId: message.userId, reason: outcome })
          await auditTable.record(tx, { ...event, result: 'refused', details: { reason: outcome } })
        }),
      masterKeys,
      random,
      now,
    }),
    resolveNotice: resolveNotice({
      queue: (message) => database.transaction((tx) => new PostgresMailStore(tx, masterKeys).queue(message)),
      logger,
    }),
    async findServer(organizationId: string | null) {
      if (organizationId === null) return mailer.instanceSmtp
      const stored = await smtpSettings.find(organizationId)
      return stored && smtpServer(masterKeys, organizationId, stored)
    },
    send: mailer.send,
    record: (tx: Queryable, event: Parameters<typeof auditTable.record>[1]) => auditTable.record(tx, event),
    logger,
    now,
    count: (outcome: TryOutcome) => counter?.({ outcome }),
  }
  const stops = createMailOutboxes(database).map((outbox) =>
    startDeliveries(createMailDeliveries(deliveries, outbox)),
  )
  const pruning = repeat(
    HOUR_MS,
    () => mail.deleteOld(now()),
    (error) => logger.warn('mail_pruning_failed', { error }),
  )
  const recovery = createRecovery({
    ...dependencies,
    stores: recoveryStores(database, masterKeys),
    transact: (work) => database.transaction((tx) => work(recoveryStores(tx, masterKeys))),
    secrets,
    tries,
  })
  return {
    emailChanges: createEmailChanges({
      recovery,
      transact: (work) => database.transaction((tx) => work(recoveryStores(tx, masterKeys))),
      now,
    }),
    rpc: recoveryService({
      recovery,
      notifyNewSignIn: async (userId) => {
        if (config.signInNotices) await mail.requestNotice({ kind: 'new_sign_in', userId, at: now() })
      },
      requestReset: requestReset({ mail, tries, masterKeys, random, now }),
    }),
    async stop() {
      await Promise.all([...stops.map((stop) => stop()), pruning.stop()])
    },
  }
}

function recoveryStores(
  database: Queryable,
  masterKeys: readonly Buffer[],
): RecoveryStores & { readonly mail: PostgresMailStore } {
  return {
    tokens: new PostgresMailTokenStore(database),
    accounts: new PostgresAccountStore(database),
    mail: new PostgresMailStore(database, masterKeys),
    record: (event) => auditTable.record(database, event),
    deleteFactors: (userId) => deleteFactors(database, userId),
  }
}
