import { invalidFields } from '@signet/admin-api/json-error-handler'
import { DEFAULT_COLOURS, obeyedColours, readTheme } from '@signet/protocol/label-colours'
import { type Change, changedFields, changedValues, type ManagementCall } from '../api/management-call.ts'
import type { ImpersonationStore } from '../impersonations/impersonation.repository.ts'
import type { InstanceStore } from '../instance/instance.repository.ts'
import type { OrganizationStore } from './organization.repository.ts'
import { requireOrganization } from './organizations.service.ts'
import type { PolicyStore } from './policy.repository.ts'
import {
  brokenFloors,
  brokenTogether,
  type EffectiveMember,
  type EffectivePolicy,
  membersNotObeyed,
  NOT_SHOWN,
  OTP,
  POLICY_MEMBERS,
  POLICY_NAMES,
  type Policy,
  type PolicyFloors,
  type PolicyKind,
  type PolicyName,
  treatmentOf,
  U2F,
} from './policy-rules.ts'

/** The stores of the use cases of this file. */
export interface PolicyStores {
  readonly impersonations: ImpersonationStore
  readonly instance: InstanceStore
  readonly organizations: OrganizationStore
  readonly policies: PolicyStore
}

/** The stores for reading; changes get theirs from the call. */
export interface PolicyReads {
  readonly stores: PolicyStores
}

interface Target {
  readonly organizationId: string
  readonly kind: PolicyKind
}

export function readPolicy(
  _call: ManagementCall<PolicyStores>,
  target: Target,
  { stores }: PolicyReads,
): Promise<Policy> {
  return findPolicy(stores, target)
}

type Document = Readonly<Record<string, unknown>>

/** Puts a policy as a whole; effective everywhere within a second. Refuses what is more lenient than the instance. */
export function setPolicy(
  call: ManagementCall<PolicyStores>,
  { policy, ...target }: Target & { readonly policy: object },
): Promise<Policy> {
  return call.change(async (stores) => {
    const before = await findPolicy(stores, target)
    const floors = await stores.policies.floors()
    requireUnbroken(problemsOf(target, { ...policy }, floors))
    return replacePolicy(stores, target, { before, policy, given: policy })
  })
}

/**
 * Changes the named members; null takes a member out. Every other value that holds stays as it is, also in an organization
 * that had no policy of its own. Refuses what is more lenient than the instance.
 */
export function updatePolicy(
  call: ManagementCall<PolicyStores>,
  { changes, ...target }: Target & { readonly changes: Document },
): Promise<Policy> {
  return call.change(async (stores) => {
    const before = await findPolicy(stores, target)
    const floors = await stores.policies.floors()
    const policy = await keptInEffect(target.kind, { before, changes, floors, policies: stores.policies })
    const earlier = new Set(
      problemsOf(target, before.policy, floors).map(({ member, rule }) => `${member} ${rule}`),
    )
    // Members that an import stored do not keep other members from changing.
    requireUnbroken(
      problemsOf(target, policy, floors).filter(
        ({ member, rule }) => member in changes || !earlier.has(`${member} ${rule}`),
      ),
    )
    return replacePolicy(stores, target, { before, policy, given: changes })
  })
}

/** The policy with the changes, and with the values that would otherwise change by themselves. */
async function keptInEffect(
  kind: PolicyKind,
  {
    before,
    changes,
    ...instance
  }: { before: Policy; changes: Document; floors: PolicyFloors; policies: PolicyStore },
): Promise<Document> {
  const merged = Object.entries({ ...before.policy, ...changes }).filter(([, value]) => value !== null)
  const policy = Object.fromEntries(merged)
  const after = await effectiveMembers(kind, policy, instance)
  const kept = Object.entries(before.effective).filter(
    ([member, { value }]) =>
      !(member in changes) && JSON.stringify(after[member]?.value) !== JSON.stringify(value),
  )
  return { ...policy, ...Object.fromEntries(kept.map(([member, { value }]) => [member, value])) }
}

function problemsOf({ kind }: Target, policy: Document, floors: PolicyFloors) {
  const name = POLICY_NAMES[kind]
  return [...brokenTogether(name, policy), ...brokenFloors(name, policy, floors)]
}

function requireUnbroken(broken: ReturnType<typeof problemsOf>): void {
  if (broken.length > 0) throw invalidFields(broken.map(({ member, rule }) => ({ field: member, rule })))
}

async function replacePolicy(
  stores: PolicyStores,
  target: Target,
  { before, policy, given }: { before: Policy; policy: object; given: object },
): Promise<Change<Policy>> {
  await stores.policies.set(target.organizationId, target.kind, policy)
  const result = await findPolicy(stores, target)
  const details = { ...changedFields(given), changes: changesInEffect(before, result) }
  return { result, details, epochs: await stores.impersonations.endedHere() }
}

function changesInEffect(before: Policy, after: Policy) {
  return changedValues(valuesOf(before.effective), valuesOf(after.effective))
}

function valuesOf(members: Policy['effective']): Document {
  return Object.fromEntries(Object.entries(members).map(([member, { value }]) => [member, value]))
}

/** The values in force of a policy of an organization, for the audit log. */
export async function policyInForce(
  stores: Pick<PolicyStores, 'organizations' | 'policies'>,
  target: Target,
): Promise<Document> {
  return valuesOf((await findPolicy(stores, target)).effective)
}

/** Lets the defaults hold again; where they hold already nothing changes. */
export function resetPolicy(call: ManagementCall<PolicyStores>, target: Target): Promise<void> {
  return call.change(async (stores) => {
    const before = await findPolicy(stores, target)
    await stores.policies.delete(target.organizationId, target.kind)
    const after = await findPolicy(stores, target)
    const epochs = await stores.impersonations.endedHere()
    return { result: undefined, details: { changes: changesInEffect(before, after) }, epochs }
  })
}

async function findPolicy(
  { organizations, policies }: Pick<PolicyStores, 'organizations' | 'policies'>,
  { organizationId, kind }: Target,
): Promise<Policy> {
  await requireOrganization(organizations, organizationId)
  const policy = await policies.find(organizationId, kind)
  const floors = await policies.floors()
  const effective = await effectiveMembers(kind, policy, { policies, floors })
  const defaults = valuesOf(await effectiveMembers(kind, {}, { policies, floors }))
  if (policy === undefined) return { isDefault: true, policy: {}, notObeyed: [], effective, defaults }
  const below = brokenFloors(POLICY_NAMES[kind], policy, floors)
  const notObeyed = [...membersNotObeyed(POLICY_NAMES[kind], policy), ...below.map(({ member }) => member)]
  return { isDefault: false, policy, notObeyed, effective, defaults }
}

const MULTI_FACTOR = 'MULTI_FACTOR_TYPE_U2F_WITH_VERIFICATION'

/** The values in force of members that the policy leaves out, in the words of the policy. A missing one is no rule. */
const IN_FORCE: {
  readonly [P in PolicyName]?: Readonly<Record<string, (policy: EffectivePolicy) => unknown>>
} = {
  loginPolicy: {
    allowUsernamePassword: ({ allowsPassword }) => allowsPassword,
    allowExternalIdp: ({ allowsProviders }) => allowsProviders,
    idps: () => [],
    allowDomainDiscovery: ({ allowsDomainDiscovery }) => allowsDomainDiscovery,
    allowImpersonation: ({ allowsImpersonation }) => allowsImpersonation,
    // Either is enough for sign-ins without a provider, and each shows what it says itself.
    forceMfa: () => false,
    forceMfaLocalOnly: () => false,
    identifierFirst: ({ identifierFirst }) => identifierFirst,
    sessionEndsWithBrowser: ({ sessionEndsWithBrowser }) => sessionEndsWithBrowser,
    disableLoginWithEmail: ({ emailIsLoginName }) => !emailIsLoginName,
    passwordlessType: ({ passkeySignIn }) => `PASSWORDLESS_TYPE_${passkeySignIn ? '' : 'NOT_'}ALLOWED`,
    multiFactors: ({ passkeyMultiFactor }) => (passkeyMultiFactor ? [MULTI_FACTOR] : []),
    mfaInitSkipLifetime: ({ passkeyOfferSeconds }) => `${passkeyOfferSeconds}s`,
  },
  lockoutPolicy: {
    maxPasswordAttempts: ({ maxPasswordAttempts }) => maxPasswordAttempts,
    maxOtpAttempts: ({ maxOtpAttempts }) => maxOtpAttempts,
  },
  passwordComplexityPolicy: {
    minLength: ({ passwordMinLength }) => passwordMinLength,
    hasUppercase: ({ needsUppercase }) => needsUppercase,
    hasLowercase: ({ needsLowercase }) => needsLowercase,
    hasNumber: ({ needsNumber }) => needsNumber,
    hasSymbol: ({ needsSymbol }) => needsSymbol,
  },
  domainPolicy: { userLoginMustBeDomain: ({ userNamesAreGlobal }) => !userNamesAreGlobal },
}

/** The values in force of every member that acts; `document` is undefined for an organization without this policy. */
async function effectiveMembers(
  kind: PolicyKind,
  document: Document | undefined,
  { policies, floors }: { readonly policies: PolicyStore; readonly floors: PolicyFloors },
): Promise<Policy['effective']> {
  const name = POLICY_NAMES[kind]
  if (name === 'labelPolicy') return effectiveLabels(document ?? {})
  const inForce = await policies.effective(kind, document)
  const ignored = [
    ...brokenFloors(name, document ?? {}, floors).map(({ member }) => member),
    ...(NOT_SHOWN[name]?.(document ?? {}) ?? []),
  ]
  const effective = Object.keys(POLICY_MEMBERS[name])
    .filter((member) => treatmentOf(name, member)?.kind !== 'refused')
    .map((member): [string, EffectiveMember] => {
      const value = document?.[member]
      return value !== undefined && value !== null && !ignored.includes(member) && !isNoLink(name, value)
        ? [member, { value, source: 'organization' }]
        : [member, { value: IN_FORCE[name]?.[member]?.(inForce) ?? null, source: 'instance' }]
    })
  return { ...Object.fromEntries(effective), ...(name === 'loginPolicy' && combined(inForce, document)) }
}

/** The members of a login policy whose value in force is not the one that the policy has. */
function combined(inForce: EffectivePolicy, document: Document | undefined): Policy['effective'] {
  const { allowsRegistration, passkeySecondFactor } = inForce
  return {
    allowRegister: {
      value: allowsRegistration,
      source: document === undefined ? 'instance' : 'organization',
    },
    secondFactors: {
      value: passkeySecondFactor ? [OTP, U2F] : [OTP],
      source: Array.isArray(document?.secondFactors) ? 'organization' : 'instance',
    },
  }
}

/** An empty member of the privacy policy is none. */
function isNoLink(policy: PolicyName, value: unknown): boolean {
  return policy === 'privacyPolicy' && value === ''
}

function effectiveLabels(document: Readonly<Record<string, unknown>>): Policy['effective'] {
  const theme = readTheme(document.themeMode)
  const own: Readonly<Record<string, unknown>> = {
    ...obeyedColours(document),
    ...(theme !== 'auto' && { themeMode: document.themeMode }),
    ...(document.disableWatermark === true && { disableWatermark: true }),
  }
  const defaults = { ...DEFAULT_COLOURS, themeMode: 'THEME_MODE_AUTO', disableWatermark: false }
  return Object.fromEntries(
    Object.entries(defaults).map(([member, value]) => [
      member,
      own[member] === undefined
        ? { value, source: 'instance' }
        : { value: own[member], source: 'organization' },
    ]),
  )
}
