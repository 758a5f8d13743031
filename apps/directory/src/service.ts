import type { RpcService } from '@signet/grpc/service'
import type { Service } from '@signet/platform/process/service'
import { isLoopbackHost } from '@signet/protocol/redirect-uri'
import { auditTable } from './audit/audit-table.ts'
import type { DirectoryOptions } from './config.ts'
import { directoryRpcServices } from './grpc.ts'
import { createDirectoryHttpApp } from './http.ts'
import { InstanceStore } from './instance/instance.repository.ts'
import { startJobs } from './jobs.ts'
import { MailStore } from './mail/mail.repository.ts'
import { createMailer, type Mailbox, type Mailer } from './mail/mailer.ts'
import { noticeOtherRpId } from './mail/notices.ts'
import { createDirectoryParts } from './parts.ts'
import { MasterKeyCheckStore, requireMasterKey } from './sealing/master-key-check.repository.ts'
import { transferServices } from './transfer-services.ts'

export type { Mailbox }

/** Starts the directory on a migrated database. Throws StartFailure when the master key is the wrong one. */
export async function startDirectory(options: DirectoryOptions): Promise<Service<RpcService>> {
  const mailer = createMailer(options.config, options.mailbox)
  // First of all: a start that fails here is tried again and must have left nothing running.
  await prepareDatabase(options, mailer)
  const parts = createDirectoryParts(options, mailer)
  const stopJobs = startJobs(parts)
  return {
    name: 'directory',
    http: createDirectoryHttpApp(parts, options),
    rpc: directoryRpcServices(parts),
    lastingRpc: transferServices(parts),
    async notReady() {
      try {
        await options.database.query({ name: 'directory.ready', text: 'SELECT 1' })
        return []
      } catch {
        return ['postgres']
      }
    },
    async stop() {
      await Promise.all([parts.reporter.stop(), parts.places.stop()])
      await stopJobs()
    },
  }
}

/** Checks the master key and stores what the settings of this process say about the instance. */
async function prepareDatabase(
  { config, database, now, random }: DirectoryOptions,
  { instanceSmtp }: Mailer,
): Promise<void> {
  const masterKeys = config.masterKeys.reveal()
  await requireMasterKey(new MasterKeyCheckStore(database), masterKeys, random)
  // Nothing but this machine reaches a loopback issuer: a first try needs no authenticator.
  await new InstanceStore(database).setIamRequiresMfaOnce(!isLoopbackHost(new URL(config.issuer).hostname))
  // Before anything is recorded: the last process may have ended months ago.
  await auditTable.createPartitions(database, now())
  await new MailStore(database, masterKeys).setInstanceServer({
    sendsMail: instanceSmtp !== undefined,
    dailyLimit: config.smtp?.dailyLimit ?? 0,
  })
  await noticeOtherRpId(database, config.passkeys?.rpId)
}
