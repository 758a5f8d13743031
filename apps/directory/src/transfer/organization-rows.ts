import { createHash } from 'node:crypto'
import { organizationNameOf } from '@signet/file-formats/export/given-names'
import type { OrganizationHeader } from '@signet/file-formats/export/organization-header'
import { ORG_MEMBERS } from '@signet/protocol/fields/organization'
import { importedColumns } from '../database/field-columns.ts'
import {
  brokenFloors,
  brokenTogether,
  membersNotObeyed,
  POLICY_KINDS,
  type PolicyFloors,
  type PolicyKind,
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
  readonly is_verified: boolean | undefined
}

/** Row with the columns of `ORG_MEMBERS`. */
export interface OrganizationRow {
  readonly organization_id: string
  readonly state: 'active' | 'inactive' | undefined
  readonly primary_domain: string | undefined
  readonly created_at: string | undefined
}

/** The columns of an organization that its header gives. */
export function organizationRow({
  orgId,
  org,
  orgState,
  domains,
  creationDate,
}: OrganizationHeader): OrganizationRow {
  return {
    organization_id: orgId,
    ...importedColumns(ORG_MEMBERS, org ?? {}),
    state: orgState === undefined ? undefined : STATES[orgState],
    primary_domain: domains?.find(({ isPrimary }) => isPrimary)?.domainName,
    created_at: creationDate,
  }
}

/** A header of an organization that is new, with everything that it leaves out. */
export function completed(header: OrganizationHeader): OrganizationHeader {
  const { org, orgState, domains = [], initial } = header
  const primary = primaryOf(domains)
  const policies = POLICY_NAMES.flatMap((member) => {
    const policy = header[member]
    if (policy === undefined) return []
    const zeros = ZEROS[POLICY_KINDS[member]]
    const { name: _, ...more } = member === 'loginPolicy' ? { ...initial } : { name: undefined }
    return [[member, { ...zeros, ...more, ...policy }] as const]
  })
  return {
    ...header,
    ...(Object.fromEntries(policies) as Partial<OrganizationHeader>),
    org: { ...org, name: organizationNameOf(header) },
    orgState: STATES[orgState ?? ''] === undefined ? 'ORG_STATE_ACTIVE' : orgState,
    domains: domains.map((domain) => ({
      ...domain,
      isVerified: domain.isVerified ?? false,
      isPrimary: domain.domainName === primary,
    })),
  }
}

const STATES: Readonly<Record<string, OrganizationRow['state']>> = {
  ORG_STATE_ACTIVE: 'active',
  ORG_STATE_INACTIVE: 'inactive',
  ORG_STATE_REMOVED: 'inactive',
}

export function domainRows({ orgId, domains = [] }: OrganizationHeader): readonly DomainRow[] {
  return domains.map(({ domainName, isVerified }) => ({
    organization_id: orgId,
    domain: domainName,
    is_verified: isVerified,
  }))
}

export interface PolicyRow {
  readonly organization_id: string
  readonly member: PolicyName
  readonly kind: PolicyKind
  readonly document: Readonly<Record<string, unknown>>
  /** The members in force without such a policy. */
  readonly initial?: Readonly<Record<string, unknown>>
}

/** The policies that a header brings, each with its members. */
export function policyRows(header: OrganizationHeader): readonly PolicyRow[] {
  return POLICY_NAMES.flatMap((member) => {
    const policy = header[member]
    if (policy === undefined) return []
    const kind = POLICY_KINDS[member]
    const { orgId: _, ...document } = policy as Readonly<Record<string, unknown>>
    return [{ organization_id: header.orgId, member, kind, document }]
  })
}

/** A login policy that leaves `allowRegister` out closes registration, which is open where there is none. */
export const changedPolicyRows = (header: OrganizationHeader): readonly PolicyRow[] =>
  policyRows(header)
    .filter(({ document }) => Object.keys(document).length > 0)
    .map((row) => (row.kind === 'login' ? { ...row, initial: { allowRegister: true } } : row))

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
  /** Finds the organizations that exist. */
  readonly findExisting: (organizationIds: readonly string[]) => Promise<ReadonlySet<string>>
  /** The organizations that have proven these domains to be their own, by domain. */
  readonly findOwners: (domains: readonly string[]) => Promise<ReadonlyMap<string, string>>
  /** The rule that turning sign-in with a password off breaks in this organization. */
  readonly passwordsRule: (organizationId: string) => Promise<string | undefined>
}

/**
 * Organizations without domains of others, and without a login policy that would take the last IAM_OWNER who can sign in
 * away. Those that are new are complete. Their primary domain is one that they have: login names need one, so a new one is
 * made where a header brings none, or where that belongs to another.
 */
export async function organizationsUnderRules(
  headers: readonly OrganizationHeader[],
  domainSuffix: string,
  { findExisting, findOwners, passwordsRule }: Stored,
): Promise<RuledRecords<OrganizationHeader>> {
  const records: OrganizationHeader[] = []
  const leftOut: LeftOut[] = []
  const existing = await findExisting(headers.map(({ orgId }) => orgId))
  const named = headers.map((header) => {
    const generated = existing.has(header.orgId) ? [] : generatedDomains(header, domainSuffix)
    return { generated, all: [...(header.domains ?? []).map(({ domainName }) => domainName), ...generated] }
  })
  const owners = await findOwners(named.flatMap(({ all }) => all))
  for (const [index, given] of headers.entries()) {
    const { orgId } = given
    const { generated = [], all = [] } = named[index] ?? {}
    const header = existing.has(orgId) ? given : completed(given)
    const { domains, ...withoutDomains } = header
    const taken = new Set(all.filter((domain) => (owners.get(domain) ?? orgId) !== orgId))
    const own = domains?.filter(({ domainName }) => !taken.has(domainName))
    const made = own?.some(({ isPrimary }) => isPrimary)
      ? undefined
      : generated.find((domain) => !taken.has(domain))
    const rule = turnsPasswordsOff(header) ? await passwordsRule(orgId) : undefined
    const { loginPolicy, ...withoutLoginPolicy } = withoutDomains
    records.push({
      ...(rule === undefined ? withoutDomains : withoutLoginPolicy),
      domains: made === undefined ? own : withPrimary(own ?? [], made),
    })
    leftOut.push(
      ...(domains ?? [])
        .filter(({ domainName }) => taken.has(domainName))
        .map(({ domainName, isPrimary }) => ({
          index,
          type: 'domain',
          id: `${orgId}_${domainName}`,
          message: `is left out: it is a verified domain of another organization${
            isPrimary && made !== undefined ? `; the primary domain is ${made} instead` : ''
          }`,
        })),
      ...(rule === undefined
        ? []
        : [{ index, type: 'login_policy', id: orgId, message: `loginPolicy is left out: ${rule}` }]),
    )
  }
  return { records, leftOut, refused: new Map() }
}

type Domains = NonNullable<OrganizationHeader['domains']>

const withPrimary = (domains: Domains, made: string): Domains => [
  ...domains
    .filter(({ domainName }) => domainName !== made)
    .map((domain) => ({ ...domain, isPrimary: false })),
  { domainName: made, isVerified: true, isPrimary: true },
]

const turnsPasswordsOff = ({ loginPolicy }: OrganizationHeader): boolean =>
  loginPolicy?.allowUsernamePassword === false

/** The one that the document names, else the first that is proven, else the first. */
function primaryOf(domains: Domains): string | undefined {
  const chosen =
    domains.find(({ isPrimary }) => isPrimary) ?? domains.find(({ isVerified }) => isVerified) ?? domains[0]
  return chosen?.domainName
}

/** Made of the name, of the id, and of its digest, which no other organization has. */
function generatedDomains(header: OrganizationHeader, domainSuffix: string): readonly string[] {
  const { orgId } = header
  const digest = createHash('sha256').update(orgId).digest('hex').slice(0, 20)
  const labels = [asLabel(organizationNameOf(header)), asLabel(orgId), `organization-${digest}`]
  return labels.filter((label) => label !== '').map((label) => `${label}.${domainSuffix}`)
}

const asLabel = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 63)
