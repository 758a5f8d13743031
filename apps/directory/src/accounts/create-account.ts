import type { ManagementCall } from '../management/management-call.ts'
import type { ManagementServices } from '../management/management-services.ts'
import { mayChooseIds } from '../permissions/chosen-id.ts'
import type { AccountState, Address, Email, Person, Phone, Profile, ServiceUser } from './account.ts'
import { requireAccount } from './require-account.ts'
import { hashChosenPassword } from './reset-password.ts'
import { requireMayVerify } from './verified-email.ts'

interface NewAccount {
  readonly organizationId: string
  readonly userName: string
  readonly state?: AccountState | undefined
}

interface NewPerson extends NewAccount {
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
  call: ManagementCall,
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
  services: Pick<ManagementServices, 'stores' | 'hasher' | 'frequentPasswords' | 'now'>,
): Promise<Person> {
  const hash =
    password === undefined ? undefined : await hashChosenPassword(organizationId, password, services)
  const displayName =
    profile.displayName ?? `${profile.givenName} ${profile.familyName}`.slice(0, MOST_CHARACTERS)
  const at = services.now()
  return call.change(async ({ accounts, domains }) => {
    await requireMayVerify(call.caller, domains, { organizationId, email })
    const id = call.targetId
    const changes = { profile: { ...profile, displayName }, email, phone, address }
    await accounts.addPerson({ id, organizationId, userName, state, at, changes })
    if (hash !== undefined) await accounts.setPassword(id, { hash, changedAt: at, changeRequired })
    return { result: (await requireAccount(accounts, id)) as Person }
  })
}

interface NewServiceUser extends NewAccount {
  readonly name?: string | undefined
  readonly clientId?: string | undefined
  readonly accessTokenType?: ServiceUser['accessTokenType'] | undefined
  readonly accessTokenSigningAlg?: ServiceUser['accessTokenSigningAlg'] | undefined
}

export function createServiceUser(
  call: ManagementCall,
  { organizationId, userName, state, name = userName, ...rest }: NewServiceUser,
  { now, newId }: Pick<ManagementServices, 'now' | 'newId'>,
): Promise<ServiceUser> {
  return call.change(async ({ accounts }) => {
    const id = call.targetId
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
