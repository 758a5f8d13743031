import { ApiError } from '@signet/admin-api/api-error'
import type { AccountStore } from '../accounts/account.repository.ts'
import { requireAccount, requireServiceUser } from '../accounts/require-account.ts'
import type { ManagementCall } from '../api/management-call.ts'
import type { Page } from '../schema/paging.ts'
import type {
  AnswerToOffer,
  OfferedRoleStore,
  OfferedRoles,
  OwnAnswerStore,
} from './offered-role.repository.ts'

/** The stores of the use cases of this file. */
export interface OfferedRoleStores {
  readonly accounts: AccountStore
  readonly offeredRoles: OfferedRoleStore
}

/** The stores for reading; changes get theirs from the call. */
export interface OfferedRoleReads {
  readonly stores: OfferedRoleStores
}

/** Lists the roles in other organizations that an account was given and that nothing has accepted yet. */
export async function listOfferedRoles(
  _call: ManagementCall<OfferedRoleStores>,
  { userId }: { readonly userId: string },
  { stores }: OfferedRoleReads,
): Promise<Page<OfferedRoles>> {
  await requireAccount(stores.accounts, userId)
  return { items: await stores.offeredRoles.list(userId) }
}

/**
 * Accepts or refuses such roles for a service user; a person does it at the next sign-in. Roles that are accepted count
 * from the next call on, roles that are refused are taken away.
 */
export function answerOfferedRoles(
  call: ManagementCall<OfferedRoleStores>,
  { userId, ...answer }: Omit<AnswerToOffer, 'userId'> & { readonly userId: string },
): Promise<void> {
  return call.change(async ({ accounts, offeredRoles }) => {
    await requireServiceUser(accounts, userId, 'role that others accept')
    const roles = await offeredRoles.answer({ ...answer, userId })
    if (roles.length > 0) return { result: undefined, details: { roles } }
    throw new ApiError('NOT_FOUND', 'the service user was offered none of these roles here', {
      reason: 'offered_role_unknown',
    })
  })
}

interface OwnAnswer {
  readonly userId: string
  /** The organization or the project that the roles are for. */
  readonly objectId: string
  /** Roles that the page showed the person. */
  readonly roles: readonly string[]
  readonly accepted: boolean
  readonly clientAddress?: string
}

export interface OwnOfferedRoles {
  /** The roles in other organizations that a person was given and has not answered. */
  list(userId: string): Promise<readonly OfferedRoles[]>
  /** Accepts or refuses those of them that the person was shown. */
  answer(answer: OwnAnswer): Promise<void>
}

export function ownOfferedRoles(store: OwnAnswerStore): OwnOfferedRoles {
  return {
    list: (userId) => store.list(userId),
    answer: ({ clientAddress, ...answer }) =>
      store.answer(answer, {
        actor: { kind: 'human', id: answer.userId },
        action: answer.accepted ? 'offered_role.accept' : 'offered_role.refuse',
        target: { kind: 'user', id: answer.userId },
        clientAddress,
        result: 'success',
      }),
  }
}
