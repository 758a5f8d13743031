import { ApiError } from '@signet/admin-api/api-error'
import { invalidFields } from '@signet/admin-api/json-error-handler'
import { BusyError } from '@signet/password-hash/password-hasher'
import { DependencyUnavailableError } from '@signet/platform/runtime/dependency-unavailable'
import { fieldNames } from '@signet/protocol/fields/field'
import { SERVICE_USER_FIELDS } from '@signet/protocol/fields/service-user'
import type { AccountStore } from '../accounts/account.repository.ts'
import type {
  Account,
  AccountChanges,
  AccountState,
  Address,
  Email,
  Person,
  Phone,
  Profile,
  ResetFailures,
  ServiceUser,
  ServiceUserChanges,
} from '../accounts/account.ts'
import type { AccountFilter } from '../accounts/account-filter.repository.ts'
import { requireFreeAddress, requireMayName, requireMayVerify } from '../accounts/address-rules.ts'
import { requireAccount, requirePerson, unknownAccount } from '../accounts/require-account.ts'
import { changedFields, type ManagementCall, type Tools } from '../api/management-call.ts'
import type { CheckPassword } from '../credentials/password-check.ts'
import type { MailStore } from '../mail/mail.repository.ts'
import type { DomainStore } from '../organizations/domain.repository.ts'
import { mayChooseIds, requireMayChooseIds } from '../permissions/permission.ts'
import type { Page, PageRequest } from '../schema/paging.ts'

interface Stores {
  readonly accounts: AccountStore
  readonly domains: DomainStore
  readonly mail: MailStore
}

/** The stores for reading; changes get theirs from the call. */
interface Reads {
  readonly stores: Stores
}

export function listAccounts(
  { seen }: ManagementCall<Stores>,
  { limit, cursor, ...filter }: AccountFilter & PageRequest,
  { stores }: Reads,
): Promise<Page<Account>> {
  return stores.accounts.list(filter, { limit, cursor }, seen)
}

export function readAccount(
  _call: ManagementCall<Stores>,
  { userId }: { readonly userId: string },
  { stores }: Reads,
): Promise<Account> {
  return requireAccount(stores.accounts, userId)
}

interface NewAccount {
  readonly organizationId: string
  readonly userName: string
  readonly state?: AccountState | undefined
}

export interface NewPerson extends NewAccount {
  readonly profile: Omit<Profile, 'displayName'> & { readonly displayName?: string | undefined }
  readonly email?: Email | undefined
  readonly phone?: Phone | undefined
  readonly address?: Address | undefined
  readonly password?: string | undefined
  readonly passwordChangeRequired: boolean
}

/** `name` may have this many characters, and two together may have more. */
const MOST_CHARACTERS = 200

export async function createPerson(
  call: ManagementCall<Stores>,
  {
    organizationId,
    userName,
    state,
    profile,
    email,
    phone,
    address,
    password,
    passwordChangeRequired: changeRequired,
  }: NewPerson,
  services: Reads & { readonly checkPassword: CheckPassword } & Pick<Tools, 'hasher' | 'now'>,
): Promise<Person> {
  const hash =
    password === undefined
      ? undefined
      : await hashChosenPassword(
          { organizationId, words: [userName, ...wordsOf(profile, email)] },
          password,
          services,
        )
  const at = services.now()
  return call.change(async (stores) => {
    const result = await addPerson(
      call,
      stores,
      { organizationId, userName, state, profile, email, phone, address },
      at,
    )
    if (hash !== undefined)
      await stores.accounts.setPasswordAndRaiseEpoch(result.id, { hash, changedAt: at, changeRequired })
    return { result }
  })
}

/** Adds a person without a password, with the id of the target of the call, in the transaction of the caller. */
export async function addPerson(
  { caller, targetId: id }: Pick<ManagementCall, 'caller' | 'targetId'>,
  { accounts, domains }: Pick<Stores, 'accounts' | 'domains'>,
  person: Omit<NewPerson, 'password' | 'passwordChangeRequired'>,
  at: Date,
): Promise<Person> {
  const { organizationId, userName, state, profile, email, phone, address } = person
  await requireMayName(caller, domains, organizationId, { userName })
  await requireMayVerify(caller, domains, { organizationId, email })
  await requireFreeAddress(accounts, { organizationId, userId: id, email })
  const displayName =
    profile.displayName ?? `${profile.givenName} ${profile.familyName}`.slice(0, MOST_CHARACTERS)
  const changes = { profile: { ...profile, displayName }, email, phone, address }
  await accounts.addPerson({ id, organizationId, userName, state, at, changes })
  return (await requireAccount(accounts, id)) as Person
}

export function createServiceUser(
  call: ManagementCall<Stores>,
  { organizationId, userName, state, name = userName, ...rest }: NewAccount & ServiceUserChanges,
  { now, newId }: Pick<Tools, 'now' | 'newId'>,
): Promise<ServiceUser> {
  return call.change(async ({ accounts, domains }) => {
    const id = call.targetId
    await requireMayName(call.caller, domains, organizationId, { userName })
    await accounts.addServiceUser({
      id,
      organizationId,
      userName,
      state,
      at: now(),
      changes: { ...rest, name },
      reuses: mayChooseIds(call.caller),
      generatedClientId: newId(),
    })
    return { result: (await requireAccount(accounts, id)) as ServiceUser }
  })
}

const OF_PEOPLE = ['profile', 'email', 'phone', 'address'] as const
const OF_SERVICE_USERS = ['name', ...fieldNames(SERVICE_USER_FIELDS)] as const

/**
 * Changes what is given. When it resolves, nothing is active that was made before the account stopped being so; the
 * state `active` also unlocks it. Repeating it publishes again.
 */
export function updateAccount(
  call: ManagementCall<Stores>,
  { userId, ...changes }: AccountChanges & { readonly userId: string },
  { now }: Pick<Tools, 'now'>,
): Promise<Account> {
  return call.change(async ({ accounts, domains }) => {
    const account = await requireAccount(accounts, userId)
    requireFieldsOf(account, changes)
    const { userName } = changes
    await requireMayName(call.caller, domains, account.organizationId, { userName, before: account })
    if (account.kind === 'human') {
      const { organizationId, email: before } = account
      const { email } = changes
      await requireMayVerify(call.caller, domains, { organizationId, before, email })
      await requireFreeAddress(accounts, { organizationId, userId, email })
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

interface Target {
  readonly userId: string
}

/**
 * Deletes an account with its rows. When it resolves, all its sessions and tokens are revoked, also for a
 * later account with the same id. A repeated call publishes the endings again while the retired epoch is
 * stored.
 */
export function deleteAccount(call: ManagementCall<Stores>, { userId }: Target): Promise<void> {
  return call.change(async ({ accounts }) => {
    const epochs = await accounts.delete(userId)
    if (epochs.length === 0) throw unknownAccount()
    return { result: undefined, epochs }
  })
}

/** When it resolves, all sessions and tokens of the account are revoked; it may sign in again. */
export function signOutEverywhere(call: ManagementCall<Stores>, { userId }: Target): Promise<void> {
  return call.change(async ({ accounts }) => {
    const epochs = await accounts.raiseEpoch(userId)
    if (epochs.length === 0) throw unknownAccount()
    return { result: undefined, epochs }
  })
}

/**
 * Lets a locked account sign in again at once: earlier failed attempts no longer delay it. An active account
 * stays active.
 */
export async function unlockAccount(
  call: ManagementCall<Stores>,
  { userId }: Target,
  { now, resetFailures }: { readonly resetFailures: ResetFailures } & Pick<Tools, 'now'>,
): Promise<Account> {
  const unlocked = await call.change<Account>(async ({ accounts }) => {
    const account = await requireAccount(accounts, userId)
    if (account.state === 'active') return { result: account }
    if (account.state === 'inactive') {
      throw new ApiError(
        'FAILED_PRECONDITION',
        'the user is not locked but inactive; set the state to active',
        { reason: 'user_inactive' },
      )
    }
    const epochs = await accounts.update(account, { state: 'active' }, now())
    return { result: await requireAccount(accounts, userId), epochs }
  })
  await resetFailures(userId)
  return unlocked
}

type Services = Reads & { readonly checkPassword: CheckPassword } & Pick<Tools, 'hasher'>

/**
 * Gives a person another password. When it resolves, every session and token that they had is dead. Rejects with
 * ApiError INVALID_ARGUMENT for a password that the organization's policy forbids.
 */
export async function resetPassword(
  call: ManagementCall<Stores>,
  {
    userId,
    password,
    changeRequired,
  }: { readonly userId: string; readonly password: string; readonly changeRequired: boolean },
  services: Services & Pick<Tools, 'now'>,
): Promise<void> {
  const { organizationId } = await requirePerson(services.stores.accounts, userId, 'password')
  const hash = await hashChosenPassword({ organizationId, userId }, password, services)
  return call.change(async ({ accounts, mail }) => {
    await mail.requestNotice({ kind: 'password_changed', userId, at: services.now(), byAdministrator: true })
    const stored = { hash, changedAt: services.now(), changeRequired }
    const epochs = await accounts.setPasswordAndRaiseEpoch(userId, stored)
    if (epochs.length === 0) throw unknownAccount()
    return { result: undefined, epochs, details: { change_required: changeRequired } }
  })
}

/** A person with an account, or the words of one who gets it now. */
interface PasswordOwner {
  readonly organizationId: string
  readonly userId?: string
  readonly words?: readonly string[]
}

const wordsOf = (
  { givenName, familyName, nickName, displayName }: NewPerson['profile'],
  email: Email | null | undefined,
): readonly string[] =>
  [givenName, familyName, nickName, displayName, email?.address].filter((word) => word != null)

/** The hash of a password that the organization's policy allows. An administrator's choice has to be as good as anyone's. */
async function hashChosenPassword(
  { organizationId, userId, words = [] }: PasswordOwner,
  password: string,
  { stores, hasher, checkPassword }: Services,
): Promise<string> {
  const context = await stores.accounts.passwordContext(organizationId, userId)
  const problems = await checkPassword(password, { ...context, words: [...words, ...context.words] })
  if (problems.length > 0) throw invalidFields(problems.map(({ rule }) => ({ field: 'password', rule })))
  try {
    return await hasher.hashPassword(password)
  } catch (error) {
    if (error instanceof BusyError) throw new DependencyUnavailableError('password_hashing', error)
    throw error
  }
}
