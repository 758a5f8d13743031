import type { ListName } from '@signet/file-formats/export/lists'
import {
  checkLinks,
  checkMetadata,
  checkPeople,
  checkProviders,
  checkServiceUserKeys,
  checkServiceUsers,
  checkServiceUserTrusts,
} from './account-authority.ts'
import type { AuthorityFacts } from './authority-facts.repository.ts'
import { type AllowedRecords, type Check, Decisions, type DocumentRecords } from './document-rules.ts'
import {
  checkOrganizationMembers,
  checkProjectGrants,
  checkProjectMembers,
  checkUserGrants,
} from './grant-authority.ts'
import { checkApplicationKeys, checkApplicationTrusts, checkProjects } from './organization-authority.ts'

// The authority of a document. An entry writes as an owner of its organization, if the import created that
// organization or its call names it. The decisions are those of the management API, in permissions/authority.ts.

/** Lets the records of a group do what the authority of their document allows. */
export async function withinAuthority(
  facts: AuthorityFacts,
  group: DocumentRecords,
): Promise<AllowedRecords> {
  const decisions = new Decisions(group.records)
  const check = CHECKS[group.list as keyof typeof CHECKS] as Check<unknown> | undefined
  if (group.insert.length + group.update.length > 0) await check?.(facts, group, decisions)
  return decisions
}

/** A list without an entry writes objects of its organization only, which the owner of that may change. */
const CHECKS = {
  humanUsers: checkPeople,
  machineUsers: checkServiceUsers,
  userMetadata: checkMetadata,
  machineKeys: checkServiceUserKeys,
  machineTrustedIssuers: checkServiceUserTrusts,
  oidcIdps: checkProviders,
  userLinks: checkLinks,
  orgMembers: checkOrganizationMembers,
  projectMembers: checkProjectMembers,
  userGrants: checkUserGrants,
  projectGrants: checkProjectGrants,
  appKeys: checkApplicationKeys,
  appTrustedIssuers: checkApplicationTrusts,
  projects: checkProjects,
} satisfies { readonly [L in ListName]?: unknown }
