import { ApiError } from '@signet/admin-api/api-error'
import { requireAccount } from '../accounts/require-account.ts'
import type { ManagementCall, ManagementServices } from '../management-api/management-call.ts'
import type { Page, PageRequest } from '../management-api/paging.ts'
import type { Session } from './session.ts'

interface Target {
  readonly userId: string
}

/** The sessions of a user that count now. */
export async function listSessions(
  _call: ManagementCall,
  { userId, limit, cursor = '' }: Target & PageRequest,
  { stores, sessions }: Pick<ManagementServices, 'stores' | 'sessions'>,
): Promise<Page<Session>> {
  await requireAccount(stores.accounts, userId)
  const following = (await sessions.list(userId)).filter(({ id }) => id > cursor)
  const items = following.slice(0, limit)
  return items.length === following.length ? { items } : { items, nextCursor: items.at(-1)?.id }
}

/** When it resolves, all tokens made under the session are revoked; the user may sign in again. */
export async function endSession(
  call: ManagementCall,
  { userId, sessionId }: Target & { readonly sessionId: string },
  { stores, sessions }: Pick<ManagementServices, 'stores' | 'sessions'>,
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
