import { ApiError } from '@signet/admin-api/api-error'
import { requirePerson } from '../accounts/require-account.ts'
import type { ManagementCall, ManagementServices } from '../management-api/management-call.ts'
import type { Page, PageRequest } from '../management-api/paging.ts'
import type { Passkey } from './passkeys/passkey.ts'

interface Owner {
  readonly userId: string
}

export async function readTotp(
  _call: ManagementCall,
  { userId }: Owner,
  { stores }: Pick<ManagementServices, 'stores'>,
): Promise<{ readonly isSet: boolean }> {
  await requirePerson(stores.accounts, userId, 'second factor')
  return { isSet: await stores.totpSecrets.isSet(userId) }
}

/**
 * From then on the password alone is enough, unless a policy says otherwise. When it resolves, everything that was made for
 * the account has ended: a thief may be signed in with the factor.
 */
export function deleteTotp(
  call: ManagementCall,
  { userId }: Owner,
  { now }: Pick<ManagementServices, 'now'>,
): Promise<void> {
  return call.change(async ({ accounts, totpSecrets, mail }) => {
    await requirePerson(accounts, userId, 'second factor')
    await mail.requestNotice({ kind: 'factor_removed', userId, at: now(), byAdministrator: true })
    if (await totpSecrets.delete(userId))
      return { result: undefined, epochs: await accounts.raiseEpoch(userId) }
    throw new ApiError('NOT_FOUND', 'the user has no TOTP secret', { reason: 'totp_unknown' })
  })
}

export async function listPasskeys(
  _call: ManagementCall,
  { userId, ...request }: Owner & PageRequest,
  { stores }: Pick<ManagementServices, 'stores'>,
): Promise<Page<Passkey>> {
  await requirePerson(stores.accounts, userId, 'passkey')
  return stores.passkeys.list(userId, request)
}

/** When it resolves, the passkey signs in no more, and everything that was made for the account has ended. */
export function deletePasskey(
  call: ManagementCall,
  { userId, passkeyId }: Owner & { readonly passkeyId: string },
  { now }: Pick<ManagementServices, 'now'>,
): Promise<void> {
  return call.change(async ({ accounts, passkeys, mail }) => {
    await requirePerson(accounts, userId, 'passkey')
    await mail.requestNotice({ kind: 'factor_removed', userId, at: now(), byAdministrator: true })
    if (await passkeys.delete(userId, passkeyId))
      return { result: undefined, epochs: await accounts.raiseEpoch(userId) }
    throw new ApiError('NOT_FOUND', 'the user has no passkey with this id', { reason: 'passkey_unknown' })
  })
}
