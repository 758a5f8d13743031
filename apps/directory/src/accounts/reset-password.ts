import { invalidFields } from '@signet/admin-api/json-error-handler'
import { BusyError } from '@signet/password-hash/password-hasher'
import { DependencyUnavailableError } from '@signet/platform/runtime/dependency-unavailable'
import { chosenPasswordProblems } from '../credentials/password-policy.ts'
import type { ManagementCall } from '../management/management-call.ts'
import type { ManagementServices } from '../management/management-services.ts'
import { requirePerson, unknownAccount } from './require-account.ts'

type Services = Pick<ManagementServices, 'stores' | 'hasher' | 'frequentPasswords'>

/**
 * Gives a person another password. When it resolves, every session and token that they had is dead. Rejects with
 * ApiError INVALID_ARGUMENT for a password that the organization's policy forbids.
 */
export async function resetPassword(
  call: ManagementCall,
  {
    userId,
    password,
    changeRequired,
  }: { readonly userId: string; readonly password: string; readonly changeRequired: boolean },
  services: Services & Pick<ManagementServices, 'now'>,
): Promise<void> {
  const { organizationId } = await requirePerson(services.stores.accounts, userId, 'password')
  const hash = await hashChosenPassword(organizationId, password, services)
  return call.change(async ({ accounts }) => {
    const epochs = await accounts.setPassword(userId, { hash, changedAt: services.now(), changeRequired })
    if (epochs.length === 0) throw unknownAccount()
    return { result: undefined, epochs, details: { change_required: changeRequired } }
  })
}

/** The hash of a password that the organization's policy allows. */
export async function hashChosenPassword(
  organizationId: string,
  password: string,
  { stores, hasher, frequentPasswords }: Services,
): Promise<string> {
  const complexity = await stores.accounts.passwordComplexity(organizationId)
  const problems = chosenPasswordProblems(password, complexity, frequentPasswords)
  if (problems.length > 0) throw invalidFields(problems.map(({ rule }) => ({ field: 'password', rule })))
  try {
    return await hasher.hashPassword(password)
  } catch (error) {
    if (error instanceof BusyError) throw new DependencyUnavailableError('password_hashing', error)
    throw error
  }
}
