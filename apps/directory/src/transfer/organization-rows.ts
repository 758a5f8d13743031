import type { OrganizationHeader } from '@signet/export-format/organization-header'
import { membersNotObeyed, type PolicyName } from '../organizations/policy-members.ts'

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

export function organizationRow(header: OrganizationHeader, domainSuffix: string): OrganizationRow {
  return {
    organization_id: header.orgId,
    name: header.org.name,
    state: isInactive(header) ? 'inactive' : 'active',
    primary_domain: primaryDomain(header, domainSuffix),
  }
}

const isInactive = ({ orgState }: OrganizationHeader) =>
  orgState === 'ORG_STATE_INACTIVE' || orgState === 'ORG_STATE_REMOVED'

/** Login names need one, and a document may bring none: then it is made from the name, or from the id. */
function primaryDomain({ orgId, org, domains = [] }: OrganizationHeader, domainSuffix: string): string {
  const chosen =
    domains.find(({ isPrimary }) => isPrimary) ?? domains.find(({ isVerified }) => isVerified) ?? domains[0]
  if (chosen !== undefined) return chosen.domainName
  const label = [org.name, orgId].map(asLabel).find((text) => text !== '') ?? 'organization'
  return `${label}.${domainSuffix}`
}

const asLabel = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 63)

export function domainRows(header: OrganizationHeader, domainSuffix: string): readonly DomainRow[] {
  const given = (header.domains ?? []).map(({ domainName, isVerified }) => ({
    organization_id: header.orgId,
    domain: domainName,
    is_verified: isVerified ?? false,
  }))
  if (given.length > 0) return given
  return [{ organization_id: header.orgId, domain: primaryDomain(header, domainSuffix), is_verified: true }]
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

/** What an administrator has to know of policies that came with an organization: which members have no effect here. */
export function policyNotes(header: OrganizationHeader): readonly string[] {
  const members = policyRows(header).flatMap(({ member, document }) =>
    membersNotObeyed(member, document).map((name) => `${member}.${name}`),
  )
  return members.length === 0 ? [] : [`organization ${header.orgId}: not obeyed here: ${members.join(', ')}`]
}

/** What an organization brings that has no column: how its domains were proven. */
export function organizationExtras({ domains = [] }: OrganizationHeader): Readonly<Record<string, unknown>> {
  const proofs = domains.flatMap(({ domainName, validationType }) =>
    validationType === undefined || validationType === 'DOMAIN_VALIDATION_TYPE_UNSPECIFIED'
      ? []
      : [[domainName, validationType]],
  )
  return { validationTypes: proofs.length === 0 ? undefined : Object.fromEntries(proofs) }
}
