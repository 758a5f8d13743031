import { ApiError } from '@signet/admin-api/api-error'
import type { AccountStore } from '../accounts/account.repository.ts'
import { requireAccount } from '../accounts/require-account.ts'
import type { ManagementCall } from '../api/management-call.ts'
import type { ObjectNameStore } from '../permissions/object-name.repository.ts'
import { seenBy, userNames } from '../permissions/object-names.ts'
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

/** A session with the names of those of its applications that the caller may read. */
interface ShownSession extends Omit<Session, 'clientIds' | 'impersonatedBy'> {
  readonly applications: readonly {
    readonly clientId: string
    readonly id?: string
    readonly name?: string
  }[]
  readonly impersonatedBy?: NonNullable<Session['impersonatedBy']> & ReturnType<typeof userNames>
}

interface ListParts {
  readonly stores: Stores & { readonly objectNames: ObjectNameStore }
  readonly sessions: SessionClient
}

/** The sessions of a user that count now. */
export async function listSessions(
  { caller }: ManagementCall<Stores>,
  { userId, limit, cursor = '' }: Target & PageRequest,
  { stores, sessions }: ListParts,
): Promise<Page<ShownSession>> {
  await requireAccount(stores.accounts, userId)
  const following = (await sessions.list(userId)).filter(({ id }) => id > cursor)
  const shown = following.slice(0, limit)
  const clientIds = [...new Set(shown.flatMap((session) => session.clientIds))]
  const applications = await stores.objectNames.findApplications(clientIds, seenBy(caller).project)
  const user = shown.flatMap(({ impersonatedBy }) => impersonatedBy?.administratorId ?? [])
  const nameOf = user.length > 0 ? await stores.objectNames.find({ user }, seenBy(caller)) : undefined
  const items = shown.map(({ clientIds, impersonatedBy, ...session }) => ({
    ...session,
    ...(impersonatedBy && {
      impersonatedBy: { ...impersonatedBy, ...userNames(nameOf?.('user', impersonatedBy.administratorId)) },
    }),
    applications: clientIds.map((clientId) => ({ clientId, ...applications.get(clientId) })),
  }))
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
