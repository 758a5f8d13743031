import type { OrganizationHeader } from '@signet/file-formats/export/organization-header'
import {
  brokenFloors,
  membersNotObeyed,
  type PolicyFloors,
  type PolicyName,
} from '../organizations/policy-rules.ts'
import { primaryOf, turnsPasswordsOff } from './organization-rules.ts'

/** The member of the document and the kind under which a policy is stored. */
export const POLICY_KINDS = {
  domainPolicy: 'domain',
  labelPolicy: 'label',
  lockoutPolicy: 'lockout',
  loginPolicy: 'login',
  passwordComplexityPolicy: 'password_complexity',
  privacyPolicy: 'privacy',
} as const

const POLICY_NAMES = Object.keys(POLICY_KINDS) as readonly PolicyName[]

/** protojson leaves out false and zero, and a policy that is stored without these members means something else. */
const ZEROS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  domain: { userLoginMustBeDomain: false },
  login: { allowUsernamePassword: false },
  lockout: { maxPasswordAttempts: 0, maxOtpAttempts: 0 },
}

export interface DomainRow {
  readonly organization_id: string
  readonly domain: string
  readonly is_verified: boolean
}

export interface OrganizationRow {
  readonly organization_id: string
  readonly name: string
  readonly state: 'active' | 'inactive'
  readonly primary_domain: string
}

export function organizationRow(header: OrganizationHeader): OrganizationRow {
  return {
    organization_id: header.orgId,
    name: header.org.name,
    state: isInactive(header) ? 'inactive' : 'active',
    primary_domain: primaryOf(header.domains ?? []) ?? '',
  }
}

const isInactive = ({ orgState }: OrganizationHeader) =>
  orgState === 'ORG_STATE_INACTIVE' || orgState === 'ORG_STATE_REMOVED'

/** Of a header under the rules, which has a domain. */
export function domainRows({ orgId, domains = [] }: OrganizationHeader): readonly DomainRow[] {
  return domains.map(({ domainName, isVerified }) => ({
    organization_id: orgId,
    domain: domainName,
    is_verified: isVerified ?? false,
  }))
}

export function policyRows(header: OrganizationHeader) {
  return POLICY_NAMES.flatMap((member) => {
    const policy = header[member]
    if (policy === undefined) return []
    const kind = POLICY_KINDS[member]
    const { orgId: _, ...document } = policy as Readonly<Record<string, unknown>>
    return [{ organization_id: header.orgId, member, kind, document: { ...ZEROS[kind], ...document } }]
  })
}

/**
 * Notes for the administrator about the policies of an imported organization: the members without effect, and
 * whether its users cannot sign in with a password.
 */
export function policyNotes(header: OrganizationHeader, floors: PolicyFloors): readonly string[] {
  const policies = policyRows(header)
  const notObeyed = policies.flatMap(({ member, document }) =>
    membersNotObeyed(member, document).map((name) => `${member}.${name}`),
  )
  const below = policies.flatMap(({ member: policy, document }) =>
    brokenFloors(policy, document, floors).map(
      ({ member, rule }) => `${policy}.${member} ${document[member]} ${rule}`,
    ),
  )
  const note = (what: string, members: readonly string[]) =>
    members.length === 0 ? [] : [`organization ${header.orgId}: ${what}: ${members.join(', ')}`]
  const passwords = turnsPasswordsOff(header) ? ['loginPolicy.allowUsernamePassword is not true'] : []
  return [
    ...note('not obeyed here', notObeyed),
    ...note('the setting of the instance holds instead', below),
    ...note('its people cannot sign in with a password', passwords),
  ]
}

/** The members of an organization that have no column: the validation types of its domains. */
export function organizationExtras({ domains = [] }: OrganizationHeader): Readonly<Record<string, unknown>> {
  const proofs = domains.flatMap(({ domainName, validationType }) =>
    validationType === undefined || validationType === 'DOMAIN_VALIDATION_TYPE_UNSPECIFIED'
      ? []
      : [[domainName, validationType]],
  )
  return { validationTypes: proofs.length === 0 ? undefined : Object.fromEntries(proofs) }
}
