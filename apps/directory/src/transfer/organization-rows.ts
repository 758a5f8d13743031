import { createHash } from 'node:crypto'
import type { OrganizationHeader } from '@signet/file-formats/export/organization-header'
import {
  brokenFloors,
  brokenTogether,
  membersNotObeyed,
  POLICY_KINDS,
  type PolicyFloors,
  type PolicyName,
} from '../organizations/policy-rules.ts'
import type { LeftOut, RuledRecords } from './record-writer.ts'

const POLICY_NAMES = Object.keys(POLICY_KINDS).sort() as readonly PolicyName[]

/** protojson leaves out false and zero, and a policy that is stored without these members means something else. */
const ZEROS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  domain: { userLoginMustBeDomain: false },
  login: { allowUsernamePassword: false, passwordlessType: 'PASSWORDLESS_TYPE_NOT_ALLOWED' },
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
  readonly created_at: string | undefined
}

export function organizationRow(header: OrganizationHeader): OrganizationRow {
  return {
    organization_id: header.orgId,
    name: header.org.name,
    state: isInactive(header) ? 'inactive' : 'active',
    primary_domain: primaryOf(header.domains ?? []) ?? '',
    created_at: header.creationDate,
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
  const notObeyed = policies.flatMap(({ member, document }) => {
    const broken = brokenTogether(member, document)
    return membersNotObeyed(member, document).map((name) => {
      const rules = broken.filter((one) => one.member === name).map(({ rule }) => rule)
      return `${member}.${name}${rules.length === 0 ? '' : ` (${rules.join(' and ')})`}`
    })
  })
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

interface Stored {
  /** The organizations that have proven these domains to be their own, by domain. */
  readonly findOwners: (domains: readonly string[]) => Promise<ReadonlyMap<string, string>>
  /** The rule that turning sign-in with a password off breaks in this organization. */
  readonly passwordsRule: (organizationId: string) => Promise<string | undefined>
}

/**
 * Organizations without domains of others, and without a login policy that would take the last IAM_OWNER who can sign in
 * away. The primary domain of each is one that it has: login names need one, so a new one is made where it brings none, or
 * where that belongs to another.
 */
export async function organizationsUnderRules(
  headers: readonly OrganizationHeader[],
  domainSuffix: string,
  { findOwners, passwordsRule }: Stored,
): Promise<RuledRecords<OrganizationHeader>> {
  const records: OrganizationHeader[] = []
  const leftOut: LeftOut[] = []
  const named = headers.map((header) => {
    const generated = generatedDomains(header, domainSuffix)
    return { generated, all: [...(header.domains ?? []).map(({ domainName }) => domainName), ...generated] }
  })
  const owners = await findOwners(named.flatMap(({ all }) => all))
  for (const [index, header] of headers.entries()) {
    const { orgId, domains = [] } = header
    const { generated = [], all = [] } = named[index] ?? {}
    const taken = new Set(all.filter((domain) => (owners.get(domain) ?? orgId) !== orgId))
    const own = domains.filter(({ domainName }) => !taken.has(domainName))
    const primary = primaryOf(domains)
    const isKept = primary !== undefined && !taken.has(primary)
    const replacement = generated.find((domain) => !taken.has(domain)) ?? ''
    const made = { domainName: replacement, isVerified: true, isPrimary: true }
    const others = isKept ? own : own.map((domain) => ({ ...domain, isPrimary: false }))
    const rule = turnsPasswordsOff(header) ? await passwordsRule(orgId) : undefined
    const { loginPolicy, ...withoutLoginPolicy } = header
    records.push({
      ...(rule === undefined ? header : withoutLoginPolicy),
      domains: isKept ? others : [...others.filter(({ domainName }) => domainName !== replacement), made],
    })
    leftOut.push(
      ...domains
        .filter(({ domainName }) => taken.has(domainName))
        .map(({ domainName }) => ({
          index,
          type: 'domain',
          id: `${orgId}_${domainName}`,
          message: `is left out: it is a verified domain of another organization${
            domainName === primary ? `; the primary domain is ${replacement} instead` : ''
          }`,
        })),
      ...(rule === undefined
        ? []
        : [{ index, type: 'login_policy', id: orgId, message: `loginPolicy is left out: ${rule}` }]),
    )
  }
  return { records, leftOut, refused: new Map() }
}

/** The format leaves out what is false. */
function turnsPasswordsOff({ loginPolicy }: OrganizationHeader): boolean {
  return loginPolicy !== undefined && loginPolicy.allowUsernamePassword !== true
}

/** The one that the document names, else the first that is proven, else the first. */
function primaryOf(domains: NonNullable<OrganizationHeader['domains']>): string | undefined {
  const chosen =
    domains.find(({ isPrimary }) => isPrimary) ?? domains.find(({ isVerified }) => isVerified) ?? domains[0]
  return chosen?.domainName
}

/** Made of the name, of the id, and of its digest, which no other organization has. */
function generatedDomains({ orgId, org }: OrganizationHeader, domainSuffix: string): readonly string[] {
  const digest = createHash('sha256').update(orgId).digest('hex').slice(0, 20)
  const labels = [asLabel(org.name), asLabel(orgId), `organization-${digest}`]
  return labels.filter((label) => label !== '').map((label) => `${label}.${domainSuffix}`)
}

const asLabel = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 63)
