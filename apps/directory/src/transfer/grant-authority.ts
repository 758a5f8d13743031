import type { RecordOf } from '@signet/file-formats/export/lists'
import {
  acceptsProjectGrant,
  actsAsOwner,
  isForeign,
  mayGiveRole,
  mayNameUser,
} from '../permissions/authority.ts'
import type { AccountFacts, Ownership, RelationFacts } from './authority-facts.repository.ts'
import { projectGrantCrossing, roleCrossing, userGrantCrossing } from './crossing.ts'
import { authorityOver, type Check, type Decisions, indexesOf, reachRule } from './document-rules.ts'

interface MemberRecord {
  readonly userId: string
  readonly roles?: readonly string[] | undefined
}

interface MemberPlace {
  readonly level: 'organization' | 'project'
  readonly objectId: string
  readonly owner: string
  readonly ownerOwnership: Ownership
}

/** The roles of members, in an organization or a project. */
function decideMember(
  index: number,
  record: MemberRecord,
  { account, place }: { readonly account: AccountFacts; readonly place: MemberPlace },
  decisions: Decisions,
): void {
  const { objectId, owner, ownerOwnership } = place
  const authority = authorityOver([{ id: owner, ownership: ownerOwnership }])
  // As in the API: an organization decides about its members, whichever roles they have elsewhere.
  const here = account.roles.filter((role) => role.objectId === undefined || role.organizationId === owner)
  const rule = reachRule({ ...account, roles: here }, authority)
  if (rule !== undefined) return void decisions.refused.set(index, rule)
  const held = new Set(account.roles.flatMap((role) => (role.objectId === objectId ? [role.role] : [])))
  const roles = record.roles ?? []
  const given = roles.filter(
    (role) => held.has(role) || mayGiveRole(authority, { objectId, organizationId: owner }, role),
  )
  const kept = roles.filter((role) => !given.includes(role))
  if (kept.length > 0) {
    const message = `${kept.join(', ')} ${kept.length === 1 ? 'is' : 'are'} left out: only an IAM_OWNER gives it`
    if (given.length === 0) return void decisions.refused.set(index, message)
    decisions.records[index] = { ...record, roles: given }
    decisions.leftOut.push({ index, message })
  }
  const crosses = isForeign({ home: account.home, owner })
  // A person of an organization that was there before is asked, as for a role that an IAM_OWNER gives.
  const counts =
    !crosses ||
    account.homeOwnership === 'created' ||
    (account.homeOwnership === 'named' && account.kind === 'service_user')
  if (!counts) decisions.pending.add(index)
  if (account.homeOwnership === 'created' && ownerOwnership === 'created') return
  const isPending = !counts && given.some((role) => !held.has(role))
  decisions.crossings.push(roleCrossing(index, { account, place, roles: given, isPending }))
}

export const checkOrganizationMembers: Check<RecordOf<'orgMembers'>> = async (facts, group, decisions) => {
  const { records, organizationIds, ownership } = group
  const indexes = indexesOf(group)
  const accounts = await facts.findAccountFacts(indexes.map((index) => records[index]?.userId ?? ''))
  for (const index of indexes) {
    const record = records[index] as RecordOf<'orgMembers'>
    const owner = organizationIds[index] ?? ''
    const account = accounts.get(record.userId)
    const place = {
      level: 'organization' as const,
      objectId: owner,
      owner,
      ownerOwnership: ownership.get(owner) ?? 'other',
    }
    if (account !== undefined) decideMember(index, record, { account, place }, decisions)
  }
}

export const checkProjectMembers: Check<RecordOf<'projectMembers'>> = async (facts, group, decisions) => {
  const indexes = indexesOf(group)
  const chosen = indexes.map((index) => group.records[index] as RecordOf<'projectMembers'>)
  const accounts = await facts.findAccountFacts(chosen.map(({ userId }) => userId))
  const relations = await facts.findCrossingRelations(chosen)
  for (const [at, index] of indexes.entries()) {
    const record = chosen[at] as RecordOf<'projectMembers'>
    const account = accounts.get(record.userId)
    if (account === undefined) continue
    const relation = relations.get(at)
    const rule = relation && foreignProjectRule(relation)
    if (rule !== undefined) {
      decisions.missing.set(index, rule)
      continue
    }
    // Within one organization of the document that is the home of the user.
    const { owner, ownerOwnership } = relation ?? {
      owner: account.home,
      ownerOwnership: account.homeOwnership,
    }
    const place = { level: 'project' as const, objectId: record.projectId, owner, ownerOwnership }
    decideMember(index, record, { account, place }, decisions)
  }
}

function foreignProjectRule({ owner, ownerOwnership }: RelationFacts): string | undefined {
  return ownerOwnership === 'other'
    ? `the project belongs to organization ${owner}, which this document does not write into`
    : undefined
}

export const checkUserGrants: Check<RecordOf<'userGrants'>> = async (facts, group, decisions) => {
  const indexes = indexesOf(group)
  const chosen = indexes.map((index) => group.records[index] as RecordOf<'userGrants'>)
  for (const [at, relation] of await facts.findCrossingRelations(chosen)) {
    const [index, record] = [indexes[at], chosen[at]]
    if (index === undefined || record === undefined) continue
    const { home, homeOwnership, owner, ownerOwnership, isGranted } = relation
    const authority = authorityOver([
      { id: home, ownership: homeOwnership },
      { id: owner, ownership: ownerOwnership },
    ])
    const mayName = mayNameUser(authority, { home, owner, isGranted }) || actsAsOwner(authority, home)
    const rule =
      foreignProjectRule(relation) ??
      (mayName
        ? undefined
        : `the user belongs to organization ${home}, which has accepted no grant of the project and which this document does not write into`)
    if (rule !== undefined) decisions.missing.set(index, rule)
    else if (homeOwnership !== 'created' || ownerOwnership !== 'created')
      decisions.crossings.push(userGrantCrossing(index, { record, relation }))
  }
}

export const checkProjectGrants: Check<RecordOf<'projectGrants'>> = async (facts, group, decisions) => {
  const { records, organizationIds, ownership } = group
  const indexes = indexesOf(group)
  const receivers = new Set(
    indexes.map((index) => (records[index] as RecordOf<'projectGrants'>).projectGrant.grantedOrgId),
  )
  const owned = await facts.findOwnership([...receivers].sort())
  for (const index of indexes) {
    const { projectGrant } = records[index] as RecordOf<'projectGrants'>
    const owner = organizationIds[index] ?? ''
    const receiver = projectGrant.grantedOrgId
    const receiverOwnership = owned.get(receiver) ?? 'other'
    const ownerOwnership = ownership.get(owner) ?? 'other'
    const authority = authorityOver([
      { id: owner, ownership: ownerOwnership },
      { id: receiver, ownership: receiverOwnership },
    ])
    const counts = acceptsProjectGrant(authority, { owner, receiver })
    if (!counts) decisions.pending.add(index)
    if (ownerOwnership === 'created' && receiverOwnership === 'created') continue
    decisions.crossings.push(
      projectGrantCrossing(index, {
        ...{ projectId: projectGrant.projectId, owner, ownerOwnership, receiver, receiverOwnership },
        isPending: !counts,
      }),
    )
  }
}
