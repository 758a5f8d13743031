// Trials of a sign-in by a provider: the sign-in itself runs in a transaction that is rolled back. So a test says what happens by
// the code that makes it happen, and changes nothing.
import type { Clock } from '@signet/platform/runtime/clock'
import type { Email, Phone, Profile } from '../accounts/account.ts'
import type { StoredProvider } from './identity-provider.ts'
import { findOrCreate, findUpstream, type UpstreamOutcome, type UpstreamRefusal } from './resolve-upstream.ts'
import type { UpstreamAssertion } from './upstream-person.ts'
import type { UpstreamStores, UpstreamTransact } from './upstream-stores.ts'

interface Dependencies {
  readonly transact: UpstreamTransact
  /** Whether a transaction failed since another account got the user name meanwhile. */
  readonly isNameTaken: (error: unknown) => boolean
  readonly newId: () => string
  readonly now: Clock
}

/** The members of a profile that a provider fills. */
const FILLED = ['givenName', 'familyName', 'nickName', 'displayName', 'preferredLanguage'] as const

/** The account of a person after the sign-in. */
interface TriedAccount {
  /** Absent for an account that the sign-in would make. */
  readonly userId?: string
  readonly userName: string
  readonly profile: Pick<Profile, (typeof FILLED)[number]>
  readonly email?: Email | undefined
  readonly phone?: Phone | undefined
  /** The roles of mappings that the person would have. */
  readonly roles: readonly { readonly projectId: string; readonly role: string }[]
  /** The methods that would count for the session. */
  readonly methods: readonly string[]
  /** A second factor would be asked for. */
  readonly asksSecondFactor: boolean
}

/** `asks`: the person would be asked whether to link or to make an account; `account` and `rule` say what making one comes to. */
export interface TriedSignIn {
  readonly outcome: 'signs_in' | 'creates' | 'asks' | 'refused'
  readonly rule?: UpstreamRefusal
  readonly mayLink?: boolean
  readonly mayCreate?: boolean
  readonly account?: TriedAccount
}

/** Ends the transaction of a trial. */
class RolledBack extends Error {
  override readonly name = 'RolledBack'
  readonly tried: TriedSignIn

  constructor(tried: TriedSignIn) {
    super('the trial is over')
    this.tried = tried
  }
}

/** Creates the function that tries a sign-in. It writes nothing, and counts as no attempt. */
export function createTryUpstream(dependencies: Dependencies) {
  return async (assertion: UpstreamAssertion): Promise<TriedSignIn> => {
    try {
      return await dependencies.transact(async (stores): Promise<never> => {
        throw new RolledBack(await trySignIn(stores, assertion, dependencies))
      })
    } catch (error) {
      if (error instanceof RolledBack) return error.tried
      if (dependencies.isNameTaken(error)) return { outcome: 'refused', rule: 'user_name_taken' }
      throw error
    }
  }
}

async function trySignIn(
  stores: UpstreamStores,
  assertion: UpstreamAssertion,
  dependencies: Dependencies,
): Promise<TriedSignIn> {
  if (assertion.issuer === '' || assertion.subject === '')
    return { outcome: 'refused', rule: 'assertion_incomplete' }
  const attempt = { assertion, create: false }
  const step = await findUpstream(stores, attempt, dependencies)
  if ('create' in step) return { outcome: 'creates', ...(await create(stores, assertion, dependencies)) }
  if ('unlinked' in step) {
    const made = step.unlinked.mayCreate ? await create(stores, assertion, dependencies) : {}
    return { ...made, outcome: 'asks', ...step.unlinked }
  }
  if ('refusedRule' in step) return { outcome: 'refused', rule: step.refusedRule }
  return { outcome: 'signs_in', account: await accountOf(stores, assertion, step) }
}

async function create(
  stores: UpstreamStores,
  assertion: UpstreamAssertion,
  dependencies: Dependencies,
): Promise<Partial<TriedSignIn>> {
  const made = await findOrCreate(stores, { assertion, create: true }, dependencies)
  if ('refusedRule' in made) return { outcome: 'refused', rule: made.refusedRule }
  if ('unlinked' in made) return {}
  // The account does not outlive the trial, and neither does its id.
  const { userId: _, ...account } = await accountOf(stores, assertion, made)
  return { account }
}

async function accountOf(
  stores: UpstreamStores,
  assertion: UpstreamAssertion,
  { account, amr }: Extract<UpstreamOutcome, { readonly amr: unknown }>,
): Promise<TriedAccount> {
  const { userId, organizationId } = account
  const found = await stores.accounts.find(userId)
  const provider = await stores.upstream.lockUsable(assertion.providerId)
  if (found?.kind !== 'human' || provider === undefined) throw new Error('the account is not there')
  const { userName, profile, email, phone } = found
  const roles = await rolesOf(stores, { userId, organizationId }, provider)
  const asksSecondFactor = account.secondFactorRequired || account.secondFactorEnrolmentRequired
  const { givenName, familyName, nickName, displayName, preferredLanguage } = profile
  return {
    ...{ userId, userName, profile: { givenName, familyName, nickName, displayName, preferredLanguage } },
    ...{ email, phone, roles, methods: amr, asksSecondFactor },
  }
}

async function rolesOf(
  { upstream }: UpstreamStores,
  person: { readonly userId: string; readonly organizationId: string },
  { groupsClaim, roleMappings }: StoredProvider,
): Promise<TriedAccount['roles']> {
  if (groupsClaim === null) return []
  const mapped = await upstream.mappedRoles(person, roleMappings)
  return mapped.filter(({ isHeld }) => isHeld).map(({ projectId, role }) => ({ projectId, role }))
}
