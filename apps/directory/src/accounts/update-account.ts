import { invalidFields } from '@signet/admin-api/json-error-handler'
import { changedFields } from '../management/changed-fields.ts'
import type { ManagementCall } from '../management/management-call.ts'
import type { ManagementServices } from '../management/management-services.ts'
import { requireMayChooseIds } from '../permissions/chosen-id.ts'
import type { Account, AccountChanges } from './account.ts'
import { requireAccount } from './require-account.ts'
import { requireMayVerify } from './verified-email.ts'

const OF_PEOPLE = ['profile', 'email', 'phone', 'address'] as const
const OF_SERVICE_USERS = ['name', 'clientId', 'accessTokenType', 'accessTokenSigningAlg'] as const

/**
 * Changes what is given. When it resolves, nothing is active that was made before the account stopped being so; the
 * state `active` also unlocks it. Repeating it publishes again.
 */
export function updateAccount(
  call: ManagementCall,
  { userId, ...changes }: AccountChanges & { readonly userId: string },
  { now }: Pick<ManagementServices, 'now'>,
): Promise<Account> {
  return call.change(async ({ accounts, domains }) => {
    const account = await requireAccount(accounts, userId)
    requireFieldsOf(account, changes)
    if (account.kind === 'human') {
      const { organizationId, email: before } = account
      await requireMayVerify(call.caller, domains, { organizationId, before, email: changes.email })
    }
    const { clientId } = changes
    const isAnother = account.kind === 'service_user' && clientId !== account.clientId
    if (clientId !== undefined && isAnother) requireMayChooseIds(call.caller, 'clientId')
    const epochs = await accounts.update(account, changes, now())
    return { result: await requireAccount(accounts, userId), epochs, details: changedFields(changes) }
  })
}

function requireFieldsOf({ kind }: Account, changes: AccountChanges): void {
  const foreign = kind === 'human' ? OF_SERVICE_USERS : OF_PEOPLE
  const rule = kind === 'human' ? 'only service users have it' : 'only people have it'
  const given = foreign.filter((field) => changes[field] !== undefined)
  if (given.length > 0) throw invalidFields(given.map((field) => ({ field, rule })))
}
