import { ApiError } from '@signet/admin-api/api-error'
import { invalidFields } from '@signet/admin-api/json-error-handler'
import { openValue, sealValue } from '@signet/platform/sealing/sealed-value'
import { changedFields, changedValues, type ManagementCall, type Tools } from '../api/management-call.ts'
import type { OrganizationStore } from '../organizations/organization.repository.ts'
import { requireOrganization } from '../organizations/organizations.service.ts'
import { MasterKeyUnknownError, smtpPurpose } from '../sealing/purposes.ts'
import type { SmtpServer } from './smtp.ts'
import type { SmtpSettingsStore, StoredSmtp } from './smtp-settings.repository.ts'
import type { SendTestMail } from './test-mail.ts'
import { type SmtpChanges, type SmtpSettings, USER_NAME_WITH_PASSWORD } from './texts/mail.schema.ts'

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

type Sealing = Pick<Tools, 'masterKeys' | 'random'>

/** Sets the server as a whole; the next messages go by it. */
export function setSmtp(
  call: ManagementCall<Stores>,
  { organizationId, ...given }: Target & SmtpSettings,
  sealing: Sealing,
): Promise<Shown> {
  const { password, ...settings } = given
  return call.change(async (stores) => {
    await requireOrganization(stores.organizations, organizationId)
    const before = await stores.smtpSettings.find(organizationId)
    const stored: StoredSmtp = {
      ...settings,
      userName: settings.userName ?? null,
      senderName: settings.senderName ?? null,
      sealedPassword: sealedPassword(organizationId, password, sealing),
    }
    return replaceSmtp(stores, organizationId, { before, stored, given })
  })
}

/**
 * Changes the named members; null takes one away. A stored password goes to no other server than the one that it was given
 * for.
 */
export function updateSmtp(
  call: ManagementCall<Stores>,
  { organizationId, ...given }: Target & SmtpChanges,
  sealing: Sealing,
): Promise<Shown> {
  const { password } = given
  return call.change(async (stores) => {
    const before = await requireSmtp(stores, organizationId)
    const {
      host = before.host,
      port = before.port,
      tls = before.tls,
      userName = before.userName,
      senderAddress = before.senderAddress,
      senderName = before.senderName,
    } = given
    const stored: StoredSmtp = {
      ...{ host, port, tls, userName, senderAddress, senderName },
      sealedPassword:
        password === undefined ? before.sealedPassword : sealedPassword(organizationId, password, sealing),
    }
    const isOtherServer = (['host', 'port', 'tls'] as const).some((name) => stored[name] !== before[name])
    if (isOtherServer && before.sealedPassword !== null && password === undefined) {
      const rule =
        'must be given again with another host, port or tls: the stored one is for the server of before'
      throw invalidFields([{ field: 'password', rule }])
    }
    if ((stored.userName === null) !== (stored.sealedPassword === null)) {
      throw invalidFields([{ field: 'password', rule: USER_NAME_WITH_PASSWORD }])
    }
    return replaceSmtp(stores, organizationId, { before, stored, given })
  })
}

function sealedPassword(
  organizationId: string,
  password: string | null | undefined,
  { masterKeys, random }: Sealing,
): Buffer | null {
  if (password === undefined || password === null) return null
  return sealValue(masterKeys, Buffer.from(password), smtpPurpose(organizationId), random)
}

async function replaceSmtp(
  { smtpSettings }: Pick<Stores, 'smtpSettings'>,
  organizationId: string,
  { before, stored, given }: { before: StoredSmtp | undefined; stored: StoredSmtp; given: object },
) {
  await smtpSettings.set(organizationId, stored)
  const result = shown(stored)
  const changes = changedValues({ ...(before && shown(before)) }, { ...result })
  return { result, details: { ...changedFields(given), changes } }
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
