import { ApiError } from '@signet/admin-api/api-error'
import type { ManagementCall, ManagementServices } from '../management-api/management-call.ts'
import { requirePerson } from './require-account.ts'

interface Target {
  readonly userId: string
}

export async function readTotp(
  _call: ManagementCall,
  { userId }: Target,
  { stores }: Pick<ManagementServices, 'stores'>,
): Promise<{ readonly isSet: boolean }> {
  await requirePerson(stores.accounts, userId, 'second factor')
  return { isSet: await stores.totpSecrets.isSet(userId) }
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
