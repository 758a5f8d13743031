import { invalidFields } from '@signet/admin-api/json-error-handler'
import { DEFAULT_COLOURS, obeyedColours, readTheme } from '@signet/protocol/label-colours'
import {
  changedFields,
  type ManagementCall,
  type ManagementServices,
  type ManagementStores,
} from '../management-api/management-call.ts'
import { requireOrganization } from './organizations.service.ts'
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

interface Target {
  readonly organizationId: string
  readonly kind: PolicyKind
}

export function readPolicy(
  _call: ManagementCall,
  target: Target,
  { stores }: Pick<ManagementServices, 'stores'>,
): Promise<Policy> {
  return findPolicy(stores, target)
}

/** Puts a policy as a whole; effective everywhere within a second. Refuses what is more lenient than the instance. */
export function setPolicy(
  call: ManagementCall,
  { organizationId, kind, policy }: Target & { readonly policy: object },
): Promise<Policy> {
  return call.change(async (stores) => {
    await requireOrganization(stores.organizations, organizationId)
    const name = POLICY_NAMES[kind]
    const floors = await stores.policies.floors()
    const broken = [...brokenTogether(name, { ...policy }), ...brokenFloors(name, { ...policy }, floors)]
    if (broken.length > 0) throw invalidFields(broken.map(({ member, rule }) => ({ field: member, rule })))
    await stores.policies.set(organizationId, kind, policy)
    return { result: await findPolicy(stores, { organizationId, kind }), details: changedFields(policy) }
  })
}

/** Lets the defaults hold again; where they hold already nothing changes. */
export function resetPolicy(call: ManagementCall, { organizationId, kind }: Target): Promise<void> {
  return call.change(async ({ organizations, policies }) => {
    await requireOrganization(organizations, organizationId)
    await policies.delete(organizationId, kind)
    return { result: undefined }
  })
}

async function findPolicy(
  { organizations, policies }: Pick<ManagementStores, 'organizations' | 'policies'>,
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
