import { ApiError } from '@signet/admin-api/api-error'
import type { AccountStore } from '../accounts/account.repository.ts'
import { type DeletedFactors, hasDeleted } from '../accounts/deleted-factors.ts'
import { requirePerson } from '../accounts/require-account.ts'
import type { ManagedFactorStore } from '../accounts/second-factor.repository.ts'
import type { TotpSecretStore } from '../accounts/totp-secret.repository.ts'
import type { ManagementCall, Tools } from '../api/management-call.ts'
import type { MailStore } from '../mail/mail.repository.ts'
import type { Page, PageRequest } from '../schema/paging.ts'
import type { ManagedPasskeyStore } from './passkey.repository.ts'
import type { Passkey } from './passkey.ts'

interface Stores {
  readonly accounts: AccountStore
  readonly factors: ManagedFactorStore
  readonly mail: MailStore
  readonly passkeys: ManagedPasskeyStore
  readonly totpSecrets: TotpSecretStore
}

/** The stores for reading; changes get theirs from the call. */
interface Reads {
  readonly stores: Stores
}

interface Owner {
  readonly userId: string
}

export async function readTotp(
  _call: ManagementCall<Stores>,
  { userId }: Owner,
  { stores }: Reads,
): Promise<{ readonly isSet: boolean }> {
  await requirePerson(stores.accounts, userId, 'second factor')
  return { isSet: await stores.totpSecrets.isSet(userId) }
}

/**
 * Deletes the TOTP secret: the password alone is enough then, unless a policy says otherwise. When it resolves,
 * everything that was made for the account has ended: a thief may be signed in with the factor.
 */
export function deleteTotp(
  call: ManagementCall<Stores>,
  { userId }: Owner,
  { now }: Pick<Tools, 'now'>,
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
  _call: ManagementCall<Stores>,
  { userId, ...request }: Owner & PageRequest,
  { stores }: Reads,
): Promise<Page<Passkey>> {
  await requirePerson(stores.accounts, userId, 'passkey')
  return stores.passkeys.list(userId, request)
}

/** When it resolves, the passkey signs in no more, and everything that was made for the account has ended. */
export function deletePasskey(
  call: ManagementCall<Stores>,
  { userId, passkeyId }: Owner & { readonly passkeyId: string },
  { now }: Pick<Tools, 'now'>,
): Promise<void> {
  return call.change(async ({ accounts, passkeys, mail }) => {
    await requirePerson(accounts, userId, 'passkey')
    await mail.requestNotice({ kind: 'factor_removed', userId, at: now(), byAdministrator: true })
    if (await passkeys.delete(userId, passkeyId))
      return { result: undefined, epochs: await accounts.raiseEpoch(userId) }
    throw new ApiError('NOT_FOUND', 'the user has no passkey with this id', { reason: 'passkey_unknown' })
  })
}

/**
 * Deletes every second factor of a person in one transaction: a sign-in asks for the password alone then, or for a new factor
 * where a policy demands one. When it resolves, everything that was made for the account has ended, also when there was no factor:
 * so a repetition publishes the endings of a call that failed.
 */
export function resetFactors(
  call: ManagementCall<Stores>,
  { userId }: Owner,
  { now }: Pick<Tools, 'now'>,
): Promise<DeletedFactors> {
  return call.change(async ({ accounts, factors, mail }) => {
    await requirePerson(accounts, userId, 'second factor')
    const deleted = await factors.delete(userId)
    if (hasDeleted(deleted))
      await mail.requestNotice({ kind: 'factor_removed', userId, at: now(), byAdministrator: true })
    return { result: deleted, epochs: await accounts.raiseEpoch(userId), details: { ...deleted } }
  })
}
