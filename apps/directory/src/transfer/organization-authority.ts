import type { RecordOf } from '@signet/file-formats/export/lists'
import type { OrganizationHeader } from '@signet/file-formats/export/organization-header'
import { mayChangeAccount } from '../permissions/authority.ts'
import type { AuthorityFacts } from './authority-facts.repository.ts'
import { type Crossing, keyCrossing, trustCrossing } from './crossing.ts'
import {
  type AllowedRecords,
  type Check,
  type Decisions,
  type DocumentRecords,
  indexesOf,
} from './document-rules.ts'
import { organizationRow } from './organization-rows.ts'
import { type LeftOut, memberLeftOut } from './record-writer.ts'

// Applications that an IAM_OWNER has marked, and their projects.

export const checkApplicationKeys: Check<RecordOf<'appKeys'>> = (facts, group, decisions) =>
  checkCredentials<RecordOf<'appKeys'>>(facts, group, decisions, {
    noun: 'keys',
    crossing: (index, organizationId, { appId, id: keyId }) =>
      keyCrossing(index, { organizationId, keyId, target: { kind: 'application', id: appId } }),
  })

export const checkApplicationTrusts: Check<RecordOf<'appTrustedIssuers'>> = (facts, group, decisions) =>
  checkCredentials<RecordOf<'appTrustedIssuers'>>(facts, group, decisions, {
    noun: 'trusted issuers',
    crossing: (index, organizationId, trust) =>
      trustCrossing(index, { organizationId, trust, target: { kind: 'application', id: trust.appId } }),
  })

/** Checks records with which an application authenticates. */
async function checkCredentials<R extends { readonly appId: string }>(
  facts: AuthorityFacts,
  group: DocumentRecords,
  decisions: Decisions,
  {
    noun,
    crossing,
  }: { noun: string; crossing: (index: number, organizationId: string, record: R) => Crossing },
): Promise<void> {
  const { organizationIds, ownership } = group
  const records = group.records as readonly R[]
  const indexes = indexesOf(group)
  const marked = await facts.findMarkedApplications(indexes.map((index) => (records[index] as R).appId))
  for (const index of indexes) {
    const record = records[index] as R
    const organizationId = organizationIds[index] ?? ''
    if (marked.has(record.appId)) {
      const rule = `the application has mayCallApi or firstParty: only an IAM_OWNER changes its ${noun}, by the management API`
      decisions.refused.set(index, rule)
    } else if (ownership.get(organizationId) !== 'created') {
      decisions.crossings.push(crossing(index, organizationId, record))
    }
  }
}

export const checkProjects: Check<RecordOf<'projects'>> = async (facts, { records, update }, decisions) => {
  const marked = await facts.findMarkedProjects(
    update.map((index) => (records[index] as RecordOf<'projects'>).projectId),
  )
  for (const index of update) {
    const record = records[index] as RecordOf<'projects'>
    const before = marked.get(record.projectId)
    if (before === undefined) continue
    const { allowedAudiences } = record.project
    decisions.records[index] = {
      ...record,
      project: { ...record.project, allowedAudiences: before.allowedAudiences },
    }
    if (allowedAudiences === undefined || isSameSet(allowedAudiences, before.allowedAudiences)) continue
    const rule = 'an application of the project has mayCallApi or firstParty, so only an IAM_OWNER changes it'
    decisions.leftOut.push(memberLeftOut(index, { field: 'project.allowedAudiences', rule }))
  }
}

const isSameSet = (one: readonly string[], other: readonly string[]) =>
  one.every((value) => other.includes(value)) && other.every((value) => one.includes(value))

/**
 * The headers of organizations that are there already, as far as an owner of each may change it: an owner does not say that a
 * domain is verified.
 */
export async function headersWithinAuthority(
  facts: AuthorityFacts,
  headers: readonly OrganizationHeader[],
): Promise<Pick<AllowedRecords, 'records' | 'leftOut' | 'refused'>> {
  const organizations = await facts.findOrganizationFacts(headers.map(({ orgId }) => orgId))
  const leftOut: LeftOut[] = []
  const refused = new Map<number, string>()
  const records = headers.map((header, index) => {
    const before = organizations.get(header.orgId)
    if (before === undefined) return header
    const authority = [{ role: 'ORG_OWNER', objectId: header.orgId, organizationId: header.orgId }]
    if (
      (stateOf(header) ?? before.state) !== before.state &&
      !mayChangeAccount(authority, before.instanceRoles)
    ) {
      refused.set(
        index,
        `its state does not change while users of it hold roles of the instance: an IAM_OWNER changes it`,
      )
    }
    if (header.domains === undefined) return header
    const isProven = (domain: string) => before.verifiedDomains.includes(domain)
    const claimed = header.domains.filter(({ domainName, isVerified }) => isVerified && !isProven(domainName))
    leftOut.push(
      ...claimed.map(({ domainName }) => ({
        index,
        type: 'domain_isverified',
        id: `${header.orgId}_${domainName}`,
        message:
          'is left out: only an IAM_OWNER says that a domain of an organization that exists is verified',
      })),
    )
    const domains = header.domains.map((domain) =>
      isProven(domain.domainName)
        ? { ...domain, isVerified: true }
        : { ...domain, isVerified: false, isPrimary: false },
    )
    return { ...header, domains }
  })
  return { records, leftOut, refused }
}

/** Undefined where the header says no state. */
const stateOf = (header: OrganizationHeader) => organizationRow(header).state
