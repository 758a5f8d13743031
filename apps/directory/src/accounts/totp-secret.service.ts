import { ApiError } from '@signet/admin-api/api-error'
import { encodeBase32 } from '@signet/tokens/identifiers'
import { TOTP_SEED_BYTES } from '../credentials/totp.service.ts'
import { sealTotpSeed, totpUri } from '../credentials/totp.ts'
import type { ManagementCall, ManagementServices } from '../management-api/management-call.ts'
import { requirePerson } from './require-account.ts'

interface Target {
  readonly userId: string
}

interface NewTotp {
  /** Base32, for typing. */
  readonly secret: string
  /** For a QR code. */
  readonly uri: string
}

export async function readTotp(
  _call: ManagementCall,
  { userId }: Target,
  { stores }: Pick<ManagementServices, 'stores'>,
): Promise<{ readonly isSet: boolean }> {
  await requirePerson(stores.accounts, userId, 'second factor')
  return { isSet: await stores.totpSecrets.isSet(userId) }
}

/** Gives a person a second factor. The secret is answered here and can be read nowhere again. */
export function createTotp(
  call: ManagementCall,
  { userId }: Target,
  { masterKeys, random, now }: Pick<ManagementServices, 'masterKeys' | 'random' | 'now'>,
): Promise<NewTotp> {
  return call.change(async ({ accounts, organizations, totpSecrets, mail }) => {
    const { organizationId, userName } = await requirePerson(accounts, userId, 'second factor')
    const seed = random(TOTP_SEED_BYTES)
    await totpSecrets.add(userId, sealTotpSeed(masterKeys, userId, seed, random))
    await mail.requestNotice({ kind: 'factor_added', userId, at: now(), byAdministrator: true })
    const secret = encodeBase32(seed)
    const { name = '', primaryDomain = '' } = (await organizations.find(organizationId)) ?? {}
    const uri = totpUri({ organizationName: name, loginName: `${userName}@${primaryDomain}`, secret })
    return { result: { secret, uri } }
  })
}

/** From then on the password alone is enough, unless a policy says otherwise. */
export function deleteTotp(
  call: ManagementCall,
  { userId }: Target,
  { now }: Pick<ManagementServices, 'now'>,
): Promise<void> {
  return call.change(async ({ accounts, totpSecrets, mail }) => {
    await requirePerson(accounts, userId, 'second factor')
    await mail.requestNotice({ kind: 'factor_removed', userId, at: now(), byAdministrator: true })
    if (await totpSecrets.delete(userId)) return { result: undefined }
    throw new ApiError('NOT_FOUND', 'the user has no TOTP secret', { reason: 'totp_unknown' })
  })
}
