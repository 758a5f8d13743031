import { ApiError } from '@signet/admin-api/api-error'
import { openValue, sealValue } from '@signet/platform/sealing/sealed-value'
import { changedFields, type ManagementCall, type Tools } from '../api/management-call.ts'
import type { OrganizationStore } from '../organizations/organization.repository.ts'
import { requireOrganization } from '../organizations/organizations.service.ts'
import { MasterKeyUnknownError, smtpPurpose } from '../sealing/purposes.ts'
import type { SmtpServer } from './smtp.ts'
import type { SmtpSettingsStore, StoredSmtp } from './smtp-settings.repository.ts'
import type { SendTestMail } from './test-mail.ts'
import type { SmtpSettings } from './texts/mail.schema.ts'

interface Stores {
  readonly organizations: OrganizationStore
  readonly smtpSettings: SmtpSettingsStore
}

/** The stores for reading; changes get theirs from the call. */
interface Reads {
  readonly stores: Stores
}

interface Target {
  readonly organizationId: string
}

type Shown = Omit<SmtpSettings, 'password'>

export async function readSmtp(
  _call: ManagementCall<Stores>,
  { organizationId }: Target,
  { stores }: Reads,
): Promise<Shown> {
  return shown(await requireSmtp(stores, organizationId))
}

/** Sets the server as a whole; the next messages go by it. */
export function setSmtp(
  call: ManagementCall<Stores>,
  { organizationId, password, ...settings }: Target & SmtpSettings,
  { masterKeys, random }: Pick<Tools, 'masterKeys' | 'random'>,
): Promise<Shown> {
  return call.change(async ({ organizations, smtpSettings }) => {
    await requireOrganization(organizations, organizationId)
    const stored: StoredSmtp = {
      ...settings,
      userName: settings.userName ?? null,
      senderName: settings.senderName ?? null,
      sealedPassword:
        password === undefined
          ? null
          : sealValue(masterKeys, Buffer.from(password), smtpPurpose(organizationId), random),
    }
    await smtpSettings.set(organizationId, stored)
    return { result: shown(stored), details: changedFields({ ...settings, password }) }
  })
}

/** The next messages go by the server of the instance again, within its daily limit; those queued before do not. */
export function deleteSmtp(call: ManagementCall<Stores>, { organizationId }: Target): Promise<void> {
  return call.change(async ({ smtpSettings }) => {
    if (await smtpSettings.delete(organizationId)) return { result: undefined }
    throw unknownSmtp()
  })
}

interface TestResult {
  readonly accepted: boolean
  readonly reason?: string
}

/** Sends a message now and says whether the server took it. */
export async function testSmtp(
  call: ManagementCall<Stores>,
  { organizationId, to }: Target & { readonly to: string },
  services: Reads & { readonly sendTestMail: SendTestMail } & Pick<Tools, 'masterKeys'>,
): Promise<TestResult> {
  const stored = await requireSmtp(services.stores, organizationId)
  return test(call, smtpServer(services.masterKeys, organizationId, stored), to, services)
}

/** The same for the server of the instance. */
export function testInstanceSmtp(
  call: ManagementCall<Stores>,
  { to }: { readonly to: string },
  services: { readonly instanceSmtp: SmtpServer | undefined } & { readonly sendTestMail: SendTestMail },
): Promise<TestResult> {
  const { instanceSmtp } = services
  if (instanceSmtp === undefined)
    throw new ApiError('FAILED_PRECONDITION', 'the instance has no SMTP server; set SIGNET_SMTP_URL', {
      reason: 'smtp_unset',
    })
  return test(call, instanceSmtp, to, services)
}

async function test(
  call: ManagementCall<Stores>,
  server: SmtpServer,
  to: string,
  { sendTestMail }: { readonly sendTestMail: SendTestMail },
): Promise<TestResult> {
  const attempt = await sendTestMail(server, to)
  const result = attempt.accepted ? { accepted: true } : { accepted: false, reason: attempt.reason }
  return call.change(async () => ({ result, details: result }))
}

/** The server that an organization set. Its address goes through the rules for outbound connections. */
export function smtpServer(
  masterKeys: readonly Buffer[],
  organizationId: string,
  { sealedPassword, userName, senderName, ...server }: StoredSmtp,
): SmtpServer {
  const password = sealedPassword && openValue(masterKeys, sealedPassword, smtpPurpose(organizationId))
  if (password === undefined) throw new MasterKeyUnknownError(`the SMTP password of ${organizationId}`)
  return {
    ...server,
    senderName: senderName ?? undefined,
    ...(userName !== null && password && { userName, password: password.toString('utf8') }),
    isGuarded: true,
  }
}

async function requireSmtp(
  { organizations, smtpSettings }: Pick<Stores, 'organizations' | 'smtpSettings'>,
  organizationId: string,
): Promise<StoredSmtp> {
  await requireOrganization(organizations, organizationId)
  const stored = await smtpSettings.find(organizationId)
  if (stored === undefined) throw unknownSmtp()
  return stored
}

function unknownSmtp(): ApiError {
  return new ApiError('NOT_FOUND', 'the organization has no SMTP server of its own', { reason: 'smtp_unset' })
}

function shown({ userName, senderName, host, port, tls, senderAddress }: StoredSmtp): Shown {
  return {
    ...{ host, port, tls, senderAddress },
    ...(userName !== null && { userName }),
    ...(senderName !== null && { senderName }),
  }
}
