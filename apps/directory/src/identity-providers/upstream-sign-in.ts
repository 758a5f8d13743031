// The account of an asserted person, in the transaction of the sign-in.
import type { Clock } from '@signet/platform/runtime/clock'
import { linkFactor, providerDemand } from '@signet/protocol/factor-demand'
import { isInVerifiedDomain } from '../accounts/address-rules.ts'
import {
  demandedFactor,
  NOTHING_DEMANDED,
  signInEvent,
  type VerifiedAccount,
} from '../credentials/verify-password.ts'
import type { StoredProvider } from './identity-provider.ts'
import { syncRoles } from './synced-roles.ts'
import type { LinkedAccount } from './upstream-account.repository.ts'
import {
  assertedEmail,
  assertedMembers,
  assertedPhone,
  countingMethods,
  newProfile,
  newUserName,
  type UpstreamAssertion,
} from './upstream-person.ts'
import type { UpstreamStores } from './upstream-stores.ts'

interface Asserted {
  readonly assertion: UpstreamAssertion
  readonly provider: StoredProvider
  readonly clientAddress: string | undefined
}

interface Tools {
  readonly newId: () => string
  readonly now: Clock
}

export interface UpstreamSignIn {
  readonly account: VerifiedAccount
  /** The authentication methods that count for the session. */
  readonly amr: readonly string[]
  readonly factor: string
  readonly rolesOffered: boolean
}

/** Makes an account with the link in the organization of the provider, or returns why not. */
export async function createUpstreamAccount(
  stores: UpstreamStores,
  { assertion, provider, clientAddress }: Asserted,
  { newId, now }: Tools,
): Promise<'user_name_invalid' | 'user_name_taken' | undefined> {
  const { organizationId } = provider
  const { profile } = assertion
  const { accounts } = stores
  const userId = newId()
  const email = assertedEmail(profile, provider)
  const isVerified =
    email?.verified === true &&
    !(await accounts.isAddressTaken({ organizationId, address: email.address, userId }))
  const userName = await newUserName(
    assertion,
    async (address) =>
      (isVerified && email?.address === address) ||
      (await isInVerifiedDomain(stores.domains, organizationId, address)),
  )
  if (userName === undefined) return 'user_name_invalid'
  // A name that is taken never links: its account may be that of another person.
  if (await stores.isUserNameTaken(organizationId, userName)) return 'user_name_taken'
  const at = now()
  const phone = assertedPhone(profile)
  const changes = {
    profile: newProfile(assertion, userName),
    ...(phone && { phone }),
    ...(email && { email: { address: email.address, verified: isVerified } }),
  }
  await accounts.addPerson({ id: userId, organizationId, userName, state: undefined, at, changes })
  await stores.links.add({
    ...{ id: newId(), userId, providerId: provider.id, createdAt: at, lastUsedAt: null },
    ...{ issuer: assertion.issuer, subject: assertion.subject, displayName: shownName(assertion) },
  })
  await stores.record({
    actor: { kind: 'human', id: userId },
    action: 'registration',
    target: { kind: 'user', id: userId },
    organizationId,
    clientAddress,
    result: 'success',
    details: { provider_id: provider.id },
  })
  return undefined
}

/** Signs an active account in: updates profile and roles as the provider is set up to, and records the event. */
export async function signInUpstream(
  stores: UpstreamStores,
  { assertion, provider, clientAddress }: Asserted,
  found: LinkedAccount,
  { newId, now }: Tools,
): Promise<UpstreamSignIn> {
  const at = now()
  const fields = provider.updatesProfile
    ? await updateProfile(stores, { assertion, provider, found, at })
    : []
  await syncRoles(stores, {
    ...{ person: found, provider, groups: assertion.groups, clientAddress, newId, at },
  })
  const { userId, organizationId } = found
  const account = { userId, organizationId }
  const event = signInEvent({
    ...{ factor: 'identity_provider', account, clientAddress, providerId: provider.id },
  })
  const link = { link_id: found.linkId, ...(fields.length > 0 && { fields }) }
  await stores.finish(
    { ...event, details: { ...event.details, ...link } },
    stores.links.use(found.linkId, shownName(assertion), at),
  )
  const amr = countingMethods(assertion.amr, provider)
  return {
    account: accountOf(found, amr),
    amr,
    factor: linkFactor(found.linkId),
    rolesOffered: found.rolesOffered,
  }
}

interface ProfileUpdate {
  readonly assertion: UpstreamAssertion
  readonly provider: StoredProvider
  readonly found: LinkedAccount
  readonly at: Date
}

/** Updates what differs, and returns its names. An address changes only to one that the provider is trusted to verify. */
async function updateProfile(
  stores: UpstreamStores,
  { assertion, provider, found, at }: ProfileUpdate,
): Promise<readonly string[]> {
  const { accounts } = stores
  const members = Object.entries(assertedMembers(assertion.profile)).filter(
    ([member, value]) => found.profile[member as keyof typeof found.profile] !== value,
  )
  const email = assertedEmail(assertion.profile, provider)
  const isNew =
    email?.verified === true && !(found.email?.verified === true && found.email.address === email.address)
  const { organizationId, userId } = found
  const changesEmail =
    isNew && !(await accounts.isAddressTaken({ organizationId, address: email.address, userId }))
  if (members.length === 0 && !changesEmail) return []
  const changes = { profile: Object.fromEntries(members), ...(changesEmail && { email }) }
  await accounts.update({ id: userId, kind: 'human' }, changes, at)
  return [...members.map(([member]) => member), ...(changesEmail ? ['email'] : [])]
}

/** The password was not used, so it needs no change. */
function accountOf(found: LinkedAccount, amr: readonly string[]): VerifiedAccount {
  const { userId, organizationId, userEpoch, organizationEpoch, trustSecret } = found
  return {
    ...{ userId, organizationId, userEpoch, organizationEpoch },
    ...(trustSecret && { trustSecret }),
    ...NOTHING_DEMANDED,
    ...demandedFactor(providerDemand(found, found, amr)),
  }
}

/** The name of the identity in lists: its address or user name at the provider. */
export function shownName({ profile }: UpstreamAssertion): string | null {
  const name = [profile.email, profile.userName, profile.displayName].find((text) => text !== '')
  return name === undefined ? null : [...name].slice(0, 200).join('')
}
