import { ApiError } from '@signet/admin-api/api-error'
import type { AccountStore } from '../accounts/account.repository.ts'
import { requireAccount } from '../accounts/require-account.ts'
import type { ManagementCall } from '../api/management-call.ts'
import type { Page, PageRequest } from '../schema/paging.ts'
import type { Session, SessionClient } from './session.ts'

interface Stores {
  readonly accounts: AccountStore
}

/** The stores for reading; changes get theirs from the call. */
interface Reads {
  readonly stores: Stores
}

interface Target {
  readonly userId: string
}

/** The sessions of a user that count now. */
export async function listSessions(
  _call: ManagementCall<Stores>,
  { userId, limit, cursor = '' }: Target & PageRequest,
  { stores, sessions }: Reads & { readonly sessions: SessionClient },
): Promise<Page<Session>> {
  await requireAccount(stores.accounts, userId)
  const following = (await sessions.list(userId)).filter(({ id }) => id > cursor)
  const items = following.slice(0, limit)
  return items.length === following.length ? { items } : { items, nextCursor: items.at(-1)?.id }
}

/** When it resolves, all tokens made under the session are revoked; the user may sign in again. */
export async function endSession(
  call: ManagementCall<Stores>,
  { userId, sessionId }: Target & { readonly sessionId: string },
  { stores, sessions }: Reads & { readonly sessions: SessionClient },
): Promise<void> {
  await requireAccount(stores.accounts, userId)
  const { caller: administrator, clientAddress } = call
  const outcome = await sessions.end({ userId, sessionId, administrator, clientAddress })
  if (outcome === 'not_found') {
    throw new ApiError('NOT_FOUND', 'the user has no session with this id', { reason: 'session_unknown' })
  }
  // Nothing of it is stored here: it is on record once it has happened.
  return call.change(async () => ({ result: undefined }))
}
