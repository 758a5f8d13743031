import { POLICY_KINDS } from '../organizations/policy-rules.ts'
import { openCarried } from './carried.repository.ts'
import { timestamp, withoutZeros } from './exported-records.ts'

/** The fields of an organization itself, by the row of `ORGANIZATION`. */
export interface OrganizationRow {
  readonly organization_id: string
  readonly name: string
  readonly state: string
  readonly primary_domain: string
  readonly created_at: Date
  readonly policies: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly domains: readonly { readonly domain: string; readonly is_verified: boolean }[]
  readonly list: string | null
  readonly record_key: string | null
  readonly sealed_record: Buffer | null
}

/** o.id is the organization. */
export const ORGANIZATION = `
  SELECT g.organization_id, g.name, g.state, g.primary_domain, g.created_at,
         coalesce((SELECT jsonb_object_agg(p.kind, p.document) FROM directory.organization_policy p
                    WHERE p.organization_id = g.organization_id), '{}') AS policies,
         (SELECT jsonb_agg(jsonb_build_object('domain', d.domain, 'is_verified', d.is_verified) ORDER BY d.domain)
            FROM directory.organization_domain d WHERE d.organization_id = g.organization_id) AS domains,
         c.list, c.record_key, c.sealed_record
    FROM directory.organization g
    LEFT JOIN directory.carried_record c ON c.organization_id = g.organization_id
                                        AND c.list = 'organization' AND c.record_key = g.organization_id
   WHERE g.organization_id = o.id` // primary keys

/** An organization as the document has it, without its lists. */
export function organizationHeader(row: OrganizationRow, masterKeys: readonly Buffer[]) {
  const { organization_id: orgId, list, record_key, sealed_record } = row
  const carried =
    list === null || record_key === null || sealed_record === null
      ? {}
      : openCarried(masterKeys, orgId, { list, record_key, sealed_record })
  const validationTypes = (carried.validationTypes ?? {}) as Readonly<Record<string, string>>
  const policies = Object.entries(POLICY_KINDS)
    .sort()
    .flatMap(([member, kind]) => {
      const document = row.policies[kind]
      return document === undefined ? [] : [[member, policyMembers(member, document, orgId)] as const]
    })
  return {
    orgId,
    org: { name: row.name },
    ...Object.fromEntries(policies),
    domains: row.domains.map(({ domain, is_verified }) =>
      withoutZeros({
        orgId,
        domainName: domain,
        isVerified: is_verified,
        isPrimary: domain === row.primary_domain,
        validationType: validationTypes[domain],
      }),
    ),
    orgState: row.state === 'inactive' ? 'ORG_STATE_INACTIVE' : 'ORG_STATE_ACTIVE',
    creationDate: timestamp(row.created_at),
  }
}

/** Stored policies leave these out with another default than the format, which leaves out zeros. */
const DEFAULTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  domainPolicy: { userLoginMustBeDomain: true },
  loginPolicy: { allowUsernamePassword: true, passwordlessType: 'PASSWORDLESS_TYPE_ALLOWED' },
  lockoutPolicy: { maxPasswordAttempts: 5, maxOtpAttempts: 5 },
}

/** Zeros are written: a reader cannot take them for a default. protojson writes 64-bit integers as strings. */
function policyMembers(member: string, document: Readonly<Record<string, unknown>>, orgId: string) {
  const { minLength, ...others } = document
  return {
    ...(member === 'domainPolicy' && { orgId }),
    ...(minLength !== undefined && { minLength: String(minLength) }),
    ...DEFAULTS[member],
    ...others,
  }
}
