import { startDeliveries, type TryOutcome } from '@signet/platform/outbox/deliver'
import type { Queryable } from '@signet/platform/postgres/pool'
import { repeat } from '@signet/platform/runtime/clock'
import { auditTable } from './audit/audit-table.ts'
import { CredentialStore } from './credentials/credential.repository.ts'
import { MailStore } from './mail/mail.repository.ts'
import { createMailDeliveries, createResolveNotice } from './mail/mail-deliveries.ts'
import { createMailOutboxes } from './mail/mail-outbox.repository.ts'
import { MailTokenStore } from './mail/mail-token.repository.ts'
import { MessageTextStore } from './mail/message-text.repository.ts'
import { createOriginSealer } from './mail/notices.ts'
import { SmtpSettingsStore } from './mail/smtp-settings.repository.ts'
import { smtpServer } from './mail/smtp-settings.service.ts'
import type { DirectoryParts } from './parts.ts'
import { createResolveResetRequest } from './recovery/reset-requests.ts'

const HOUR_MS = 3_600_000

/** Starts the rounds that send messages and delete old ones. The returned function stops them. */
export function startMailJobs(parts: DirectoryParts): () => Promise<void> {
  const { config, mailer, mailIntervalMs, database, masterKeys, logger, metrics, now, random } = parts
  const mail = new MailStore(database, masterKeys)
  const smtpSettings = new SmtpSettingsStore(database)
  const counter = metrics?.counter({
    name: 'signet_mail_deliveries_total',
    help: 'Tries to send an e-mail; given_up was the last one',
    labels: ['outcome'],
  })
  const deliveries = {
    issuer: config.issuer,
    mail,
    tokens: new MailTokenStore(database),
    texts: new MessageTextStore(database, { masterKeys, random }),
    secrets: parts.mailSecrets,
    places: parts.places,
    masterKeys,
    resolveRequest: createResolveResetRequest({
      credentials: new CredentialStore(database),
      mail,
      queueAndRecord: (message, event) =>
        database.transaction(async (tx) => {
          const outcome = await new MailStore(tx, masterKeys).queue(message)
          if (outcome === 'repeated') return
          if (outcome === 'queued') return auditTable.record(tx, event)
          logger.warn('mail_not_queued', { userId: message.userId, reason: outcome })
          await auditTable.record(tx, { ...event, result: 'refused', details: { reason: outcome } })
        }),
      masterKeys,
      random,
      now,
    }),
    resolveNotice: createResolveNotice({
      queue: (message) => database.transaction((tx) => new MailStore(tx, masterKeys).queue(message)),
      masterKeys,
      sealOrigin: createOriginSealer(masterKeys, random),
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
    startDeliveries({
      ...createMailDeliveries(deliveries, outbox),
      ...(mailIntervalMs !== undefined && { intervalMs: mailIntervalMs }),
    }),
  )
  const pruning = repeat(
    HOUR_MS,
    () => mail.deleteOld(now()),
    (error) => logger.warn('mail_pruning_failed', { error }),
  )
  return async () => {
    await Promise.all([...stops.map((stop) => stop()), pruning.stop()])
  }
}
