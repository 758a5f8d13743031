import { type ChangesOf, membersOf } from '@signet/protocol/fields/field'
import { ADDRESS_FIELDS, PROFILE_FIELDS } from '@signet/protocol/fields/person'
import { SERVICE_USER_FIELDS } from '@signet/protocol/fields/service-user'
import { decodeBase32 } from '@signet/tokens/identifiers'
import type { Account, AccountState, Address, Email, Phone, Profile } from '../accounts/account.ts'
import { setServiceUserSecret, storedSecret } from '../credentials/client-secret.ts'
import { passwordProblems } from '../credentials/password-policy.ts'
import { sealTotpSeed } from '../credentials/totp.ts'
import { keyWriter, tokenWriter, trustWriter } from './credential-writers.ts'
import {
  type BootstrapStores,
  ObjectConflict,
  type ObjectWriter,
  type ObjectWriting,
  ownerId,
  type ResolvedResource,
} from './object-writer.ts'

type UserFields = Profile &
  Address & {
    readonly userName: string
    readonly email?: Email
    readonly phone?: Phone
    readonly state?: AccountState
    readonly roles?: readonly string[]
    readonly password?: string
    readonly passwordHash?: string
    readonly passwordChangeRequired?: boolean
    readonly totpSecret?: string
  }

type ServiceUserFields = ChangesOf<typeof SERVICE_USER_FIELDS> & {
  readonly userName: string
  readonly displayName: string
  readonly roles?: readonly string[]
  readonly clientSecret?: string
}

interface Dependencies {
  readonly stores: BootstrapStores
  readonly writing: ObjectWriting
}

/** Writes people and service users with what proves who they are. */
export function accountWriters(stores: BootstrapStores, writing: ObjectWriting) {
  return {
    user: personWriter({ stores, writing }),
    metadata: metadataWriter(stores),
    service_user: serviceUserWriter({ stores, writing }),
    personal_access_token: tokenWriter(stores, writing),
    machine_key: keyWriter(stores.machineKeys, writing),
    issuer_trust: trustWriter(stores.issuerTrusts, writing),
  }
}

function personWriter(dependencies: Dependencies): ObjectWriter<UserFields> {
  const { stores, writing } = dependencies
  const { accounts } = stores
  const { now } = writing
  return {
    async find(object, changed) {
      const account = await findAccount(stores, object, 'human', changed)
      if (account === undefined || account === 'elsewhere') return account
      const { profile, address, ...others } = account
      return { ...others, ...profile, ...address }
    },
    async create(object, values) {
      const { userName, state } = values
      const identity = { id: object.id, organizationId: ownerId(object) }
      await accounts.addPerson({ ...identity, userName, state, at: now(), changes: personChanges(values) })
      await setRoles(stores, object, values)
      await setPassword(dependencies, object, values, false)
      await setTotpSecret(dependencies, object, values)
    },
    async update(object, values, stored) {
      const { userName, state } = values
      const changes = { userName, state, ...personChanges(values) }
      await accounts.update({ id: object.id, kind: 'human' }, changes, now())
      await setRoles(stores, object, values)
      await setPassword(dependencies, object, values, stored.passwordChangeRequired ?? false)
      await setTotpSecret(dependencies, object, values)
    },
  }
}

function serviceUserWriter(dependencies: Dependencies): ObjectWriter<ServiceUserFields> {
  const { stores, writing } = dependencies
  const { accounts } = stores
  const { now, newId } = writing
  return {
    async find(object, changed) {
      const account = await findAccount(stores, object, 'service_user', changed)
      if (account === undefined || account === 'elsewhere') return account
      return { ...account, displayName: account.name }
    },
    async create(object, values) {
      const { userName } = values
      const identity = {
        id: object.id,
        organizationId: ownerId(object),
        userName,
        state: undefined,
        at: now(),
      }
      const changes = { ...serviceUserChanges(values), name: values.displayName }
      await accounts.addServiceUser({ ...identity, changes, reuses: true, generatedClientId: newId() })
      await setRoles(stores, object, values)
      await setClientSecret(dependencies, object, values)
    },
    async update(object, values) {
      const changes = { userName: values.userName, ...serviceUserChanges(values) }
      await accounts.update({ id: object.id, kind: 'service_user' }, changes, now())
      await setRoles(stores, object, values)
      await setClientSecret(dependencies, object, values)
    },
  }
}

function metadataWriter({ userMetadata }: BootstrapStores): ObjectWriter<{ readonly value: string }> {
  const setMetadata = (object: ResolvedResource, { value = '' }: { readonly value?: string }) =>
    userMetadata.set(ownerId(object), object.id, Buffer.from(value))
  return {
    async find(object) {
      const value = await userMetadata.find(ownerId(object), object.id)
      return value && { value: value.toString('utf8') }
    },
    create: setMetadata,
    update: setMetadata,
  }
}

async function findAccount<Kind extends Account['kind']>(
  { accounts, members }: BootstrapStores,
  object: ResolvedResource,
  kind: Kind,
  changed: readonly string[],
) {
  const account = await accounts.find(object.id)
  if (account === undefined) return undefined
  const organizationId = ownerId(object)
  if (account.kind !== kind || account.organizationId !== organizationId) return 'elsewhere'
  const roles = changed.includes('roles') && (await heldRoles(members, object))
  return { ...(account as Extract<Account, { kind: Kind }>), ...(roles && { roles }) }
}

const scopesOf = (object: ResolvedResource) =>
  [{ level: 'instance' }, { level: 'organization', id: ownerId(object) }] as const

/** The roles of a user in the instance and in the user's own organization, sorted. */
async function heldRoles(
  members: BootstrapStores['members'],
  object: ResolvedResource,
): Promise<readonly string[]> {
  const held = []
  for (const scope of scopesOf(object)) held.push(...((await members.find(scope, object.id))?.roles ?? []))
  return held.sort()
}

/** Replaces the roles that a user holds there by those of the file. They count at once. */
async function setRoles(
  { members }: BootstrapStores,
  object: ResolvedResource,
  { roles }: { readonly roles?: readonly string[] },
) {
  if (roles === undefined) return
  for (const scope of scopesOf(object)) {
    const ofScope = roles.filter((role) => role.startsWith('ORG') === (scope.level === 'organization'))
    await members.set(scope, { userId: object.id, roles: ofScope, accepted: true })
  }
}

async function setPassword(
  dependencies: Dependencies,
  object: ResolvedResource,
  values: Partial<UserFields>,
  wasRequired: boolean,
) {
  const { accounts } = dependencies.stores
  const { password, passwordHash, passwordChangeRequired: changeRequired = wasRequired } = values
  const hash = password === undefined ? passwordHash : await hashPassword(dependencies, object, password)
  if (hash !== undefined) {
    await accounts.writePassword(object.id, { hash, changedAt: dependencies.writing.now(), changeRequired })
  } else if (values.passwordChangeRequired !== undefined) {
    const isThere = await accounts.requirePasswordChange(object.id, changeRequired)
    if (changeRequired && !isThere)
      throw new ObjectConflict('needs a password or a passwordHash', { member: 'passwordChangeRequired' })
  }
}

/**
 * Hashes a password by the organization's policy as it is stored now. A file may set one that is easy to guess: its
 * author owns the instance.
 */
async function hashPassword(
  { stores, writing }: Dependencies,
  object: ResolvedResource,
  password: string,
): Promise<string> {
  const { complexity } = await stores.accounts.passwordContext(ownerId(object))
  const problems = passwordProblems(password, complexity)
  if (problems.length > 0)
    throw new ObjectConflict(problems.map(({ rule }) => rule).join(', '), { member: 'password' })
  return writing.hasher.hashPassword(password)
}

async function setTotpSecret(
  { stores, writing }: Dependencies,
  { id }: ResolvedResource,
  { totpSecret }: Partial<UserFields>,
) {
  if (totpSecret === undefined) return
  const seed = decodeBase32(totpSecret)
  if (seed === undefined) throw new ObjectConflict('must be base32', { member: 'totpSecret' })
  await stores.totpSecrets.set(id, sealTotpSeed(writing.masterKeys, id, seed, writing.random))
}

async function setClientSecret(
  { stores, writing }: Dependencies,
  { id }: ResolvedResource,
  { clientSecret }: Partial<ServiceUserFields>,
) {
  if (clientSecret === undefined) return
  await setServiceUserSecret(stores, id, await storedSecret(clientSecret, 0, writing))
}

function personChanges(values: Partial<UserFields>) {
  const { email, phone } = values
  return {
    profile: membersOf(PROFILE_FIELDS, values),
    address: membersOf(ADDRESS_FIELDS, values),
    email,
    phone,
  }
}

function serviceUserChanges(values: Partial<ServiceUserFields>) {
  return { ...membersOf(SERVICE_USER_FIELDS, values), name: values.displayName }
}
