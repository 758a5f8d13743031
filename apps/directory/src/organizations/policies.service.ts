import { invalidFields } from '@signet/admin-api/json-error-handler'
import { DEFAULT_COLOURS, obeyedColours, readTheme } from '@signet/protocol/label-colours'
import { type Change, changedFields, changedValues, type ManagementCall } from '../api/management-call.ts'
import type { InstanceStore } from '../instance/instance.repository.ts'
import type { OrganizationStore } from './organization.repository.ts'
import { requireOrganization } from './organizations.service.ts'
import type { PolicyStore } from './policy.repository.ts'
import {
  brokenFloors,
  brokenTogether,
  type EffectiveMember,
  FLOORS,
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
    const policy = keptInEffect(target.kind, { before, changes, floors })
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
function keptInEffect(
  kind: PolicyKind,
  { before, changes, floors }: { before: Policy; changes: Document; floors: PolicyFloors },
): Document {
  const merged = Object.entries({ ...before.policy, ...changes }).filter(([, value]) => value !== null)
  const policy = Object.fromEntries(merged)
  const after = effectiveMembers(POLICY_NAMES[kind], policy, floors)
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
  return { result, details: { ...changedFields(given), changes: changesInEffect(before, result) } }
}

function changesInEffect(before: Policy, after: Policy) {
  const values = ({ effective }: Policy) =>
    Object.fromEntries(Object.entries(effective).map(([member, { value }]) => [member, value]))
  return changedValues(values(before), values(after))
}

/** Lets the defaults hold again; where they hold already nothing changes. */
export function resetPolicy(call: ManagementCall<PolicyStores>, target: Target): Promise<void> {
  return call.change(async (stores) => {
    const before = await findPolicy(stores, target)
    await stores.policies.delete(target.organizationId, target.kind)
    const after = await findPolicy(stores, target)
    return { result: undefined, details: { changes: changesInEffect(before, after) } }
  })
}

async function findPolicy(
  { organizations, policies }: Pick<PolicyStores, 'organizations' | 'policies'>,
  { organizationId, kind }: Target,
): Promise<Policy> {
  await requireOrganization(organizations, organizationId)
  const policy = await policies.find(organizationId, kind)
  const floors = await policies.floors()
  const effective = effectiveMembers(POLICY_NAMES[kind], policy, floors)
  if (policy === undefined) return { isDefault: true, policy: {}, notObeyed: [], effective }
  const below = brokenFloors(POLICY_NAMES[kind], policy, floors)
  const notObeyed = [...membersNotObeyed(POLICY_NAMES[kind], policy), ...below.map(({ member }) => member)]
  return { isDefault: false, policy, notObeyed, effective }
}

// The values of policies that hold: those of the organization, of the instance, or the defaults.

/** The values for members that a policy leaves out; a floor is a setting of the instance. A missing one is no rule. */
const DEFAULTS: { readonly [P in PolicyName]?: Readonly<Record<string, unknown>> } = {
  loginPolicy: {
    allowUsernamePassword: true,
    forceMfa: false,
    forceMfaLocalOnly: false,
    identifierFirst: false,
    sessionEndsWithBrowser: false,
    disableLoginWithEmail: false,
    passwordlessType: 'PASSWORDLESS_TYPE_ALLOWED',
    secondFactors: [OTP, U2F],
    multiFactors: ['MULTI_FACTOR_TYPE_U2F_WITH_VERIFICATION'],
    mfaInitSkipLifetime: '2592000s',
  },
  passwordComplexityPolicy: {
    hasUppercase: false,
    hasLowercase: false,
    hasNumber: false,
    hasSymbol: false,
  },
  domainPolicy: { userLoginMustBeDomain: true },
}

/** The values in force of every member that acts; `document` is undefined for an organization without this policy. */
function effectiveMembers(
  policy: PolicyName,
  document: Readonly<Record<string, unknown>> | undefined,
  floors: PolicyFloors,
): Policy['effective'] {
  if (policy === 'labelPolicy') return effectiveLabels(document ?? {})
  const ignored = [
    ...brokenFloors(policy, document ?? {}, floors).map(({ member }) => member),
    ...(NOT_SHOWN[policy]?.(document ?? {}) ?? []),
  ]
  const effective = Object.keys(POLICY_MEMBERS[policy])
    .filter((member) => treatmentOf(policy, member)?.kind !== 'refused')
    .map((member): [string, EffectiveMember] => {
      const value = document?.[member]
      if (value !== undefined && value !== null && !ignored.includes(member) && !isNoLink(policy, value)) {
        return [member, { value, source: 'organization' }]
      }
      const setting = FLOORS[policy]?.[member]?.setting
      const fallback = setting === undefined ? DEFAULTS[policy]?.[member] : floors[setting]
      return [member, { value: fallback ?? null, source: 'instance' }]
    })
  const ofLogin = policy === 'loginPolicy' && {
    allowRegister: registration(document),
    secondFactors: secondFactors(document),
  }
  return { ...Object.fromEntries(effective), ...ofLogin }
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

/** As in the view organization_v1: a policy that leaves it out closes it, and people register with a password. */
function registration(document: Readonly<Record<string, unknown>> | undefined): EffectiveMember {
  if (document === undefined) return { value: true, source: 'instance' }
  const { allowRegister, allowUsernamePassword } = document
  return { value: allowRegister === true && allowUsernamePassword !== false, source: 'organization' }
}

/** TOTP codes always, and passkeys unless the policy lists other factors only, as in the view passkey_policy_v1. */
function secondFactors(document: Readonly<Record<string, unknown>> | undefined): EffectiveMember {
  const listed = document?.secondFactors
  if (!Array.isArray(listed)) return { value: [OTP, U2F], source: 'instance' }
  return { value: listed.includes(U2F) ? [OTP, U2F] : [OTP], source: 'organization' }
}
