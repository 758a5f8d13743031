import type { RecordOf } from '@signet/file-formats/export/lists'
import { emailAddressKey } from '@signet/protocol/email-address'
import { parseLoginName } from '../accounts/login-name.ts'
import { LINK_ID } from '../undo/object-tables.ts'
import type { AccountFacts, AuthorityFacts } from './authority-facts.repository.ts'
import { type Crossing, keyCrossing, linkCrossing, trustCrossing } from './crossing.ts'
import {
  authorityTowards,
  type Check,
  type Decisions,
  type DocumentRecords,
  indexesOf,
  reachRule,
} from './document-rules.ts'
import { memberLeftOut } from './record-writer.ts'

const NO_SUCH_USER = 'the organization has no such user'

// Accounts and what belongs to them.

export const checkPeople: Check<RecordOf<'humanUsers'>> = async (facts, group, decisions) => {
  const { records, organizationIds, update } = group
  const accounts = await refuseBeyond(facts, group, update, ({ userId }) => userId, decisions)
  noteCredentials(group, ({ user }) => [user.hashedPassword, user.otpCode, user.totpDevices], decisions)
  const addressOf = (index: number) => {
    const { email } = (records[index] as RecordOf<'humanUsers'>).user
    return email?.isEmailVerified === true ? email.email : undefined
  }
  const domainsOf = (index: number) => parseLoginName(addressOf(index) ?? '').domains
  const domains = new Set(indexesOf(group).flatMap(domainsOf))
  const owners = await facts.findForeignDomains([...domains])
  if (owners.size === 0) return
  for (const index of indexesOf(group)) {
    const record = records[index] as RecordOf<'humanUsers'>
    const domain = domainsOf(index).find((form) => owners.has(form)) ?? ''
    const owner = owners.get(domain)
    if (owner === undefined || owner === organizationIds[index]) continue
    const before = accounts.get(record.userId)
    if (before?.emailVerified && before.emailKey === emailAddressKey(addressOf(index) ?? '')) continue
    const email = { ...record.user.email, isEmailVerified: false }
    decisions.records[index] = { ...record, user: { ...record.user, email } }
    decisions.leftOut.push(
      memberLeftOut(index, {
        field: 'user.email.isEmailVerified',
        rule: `organization ${owner} has verified the domain ${domain}`,
      }),
    )
  }
}

export const checkServiceUsers: Check<RecordOf<'machineUsers'>> = async (facts, group, decisions) => {
  await refuseBeyond(facts, group, group.update, ({ userId }) => userId, decisions)
  noteCredentials(
    group,
    ({ clientSecretHash, clientSecretHashes }) => [clientSecretHash, clientSecretHashes],
    decisions,
  )
}

export const checkMetadata: Check<RecordOf<'userMetadata'>> = async (facts, group, decisions) => {
  await refuseBeyond(facts, group, indexesOf(group), ({ id }) => id, decisions)
}

export const checkServiceUserKeys: Check<RecordOf<'machineKeys'>> = (facts, group, decisions) =>
  checkCredentials<RecordOf<'machineKeys'>>(facts, group, decisions, (index, organizationId, record) =>
    keyCrossing(index, {
      ...{ organizationId, keyId: record.keyId },
      target: { kind: 'service_user', id: record.userId },
    }),
  )

export const checkServiceUserTrusts: Check<RecordOf<'machineTrustedIssuers'>> = (facts, group, decisions) =>
  checkCredentials<RecordOf<'machineTrustedIssuers'>>(
    facts,
    group,
    decisions,
    (index, organizationId, trust) =>
      trustCrossing(index, { organizationId, trust, target: { kind: 'service_user', id: trust.userId } }),
  )

/** Checks records with which a service user authenticates. */
async function checkCredentials<R extends { readonly userId: string }>(
  facts: AuthorityFacts,
  group: DocumentRecords,
  decisions: Decisions,
  crossing: (index: number, organizationId: string, record: R) => Crossing,
): Promise<void> {
  const { records, organizationIds, ownership } = group
  await refuseBeyond(
    facts,
    { ...group, records: records as readonly R[] },
    indexesOf(group),
    ({ userId }) => userId,
    decisions,
  )
  for (const index of indexesOf(group)) {
    const organizationId = organizationIds[index] ?? ''
    if (decisions.refused.has(index) || ownership.get(organizationId) === 'created') continue
    decisions.crossings.push(crossing(index, organizationId, records[index] as R))
  }
}

export const checkLinks: Check<RecordOf<'userLinks'> & { readonly [LINK_ID]?: string }> = async (
  facts,
  group,
  decisions,
) => {
  const accounts = await refuseBeyond(facts, group, indexesOf(group), ({ userId }) => userId, decisions)
  for (const index of indexesOf(group)) {
    const home = accounts.get(group.records[index]?.userId ?? '')?.home
    if (home !== group.organizationIds[index]) decisions.missing.set(index, NO_SUCH_USER)
  }
  const counts = new Map<string, number>()
  const inserted = new Set(group.insert)
  for (const index of indexesOf(group)) {
    const organizationId = group.organizationIds[index] ?? ''
    const isRefused = decisions.refused.has(index) || decisions.missing.has(index)
    if (isRefused || group.ownership.get(organizationId) === 'created') continue
    const record = group.records[index]
    const linkId = record?.[LINK_ID]
    if (record !== undefined && linkId !== undefined)
      decisions.crossings.push(linkCrossing(index, { organizationId, linkId, record }))
    if (inserted.has(index)) counts.set(organizationId, (counts.get(organizationId) ?? 0) + 1)
  }
  for (const [id, count] of counts)
    decisions.notes.push(`organization ${id}: the document gives its people ${count} identity links`)
}

/** Refuses to change a provider by which people sign in whose roles reach further than the document. */
export const checkProviders: Check<RecordOf<'oidcIdps'>> = async (facts, group, decisions) => {
  const { records, update } = group
  const linked = await facts.findLinkedAccounts(update.map((index) => records[index]?.idpId ?? ''))
  const beyond = await findAccountsBeyond(facts, [...linked.values()].flat())
  for (const index of update) {
    const users = linked.get(records[index]?.idpId ?? '') ?? []
    const rule = users.map((userId) => beyond.get(userId)).find((found) => found !== undefined)
    if (rule !== undefined) decisions.refused.set(index, rule)
  }
}

/** Returns the users whose roles reach further than the document, each with the rule. */
export async function findAccountsBeyond(
  facts: AuthorityFacts,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const accounts = await facts.findAccountFacts(userIds)
  return new Map(
    [...accounts].flatMap(([userId, account]) => {
      const rule = reachRule(account, authorityTowards(account))
      return rule === undefined ? [] : [[userId, rule] as const]
    }),
  )
}

/** Notes for each organization the number of its accounts whose credentials the document replaces. */
function noteCredentials<R>(
  { records, organizationIds, update }: Parameters<Check<R>>[1],
  credentialsOf: (record: R) => readonly unknown[],
  { refused, notes }: Decisions,
): void {
  const counts = new Map<string, number>()
  for (const index of update) {
    if (refused.has(index) || credentialsOf(records[index] as R).every((one) => one === undefined)) continue
    const organizationId = organizationIds[index] ?? ''
    counts.set(organizationId, (counts.get(organizationId) ?? 0) + 1)
  }
  for (const [id, count] of counts)
    notes.push(
      `${count} accounts of organization ${id} that were there before get the credentials of the document`,
    )
}

/** Refuses the records at these indexes whose accounts hold roles that reach further than the document. */
async function refuseBeyond<R>(
  facts: AuthorityFacts,
  { records }: { readonly records: readonly R[] },
  indexes: readonly number[],
  userOf: (record: R) => string,
  { refused }: Decisions,
): Promise<ReadonlyMap<string, AccountFacts>> {
  const accounts = await facts.findAccountFacts(indexes.map((index) => userOf(records[index] as R)))
  for (const index of indexes) {
    const account = accounts.get(userOf(records[index] as R))
    const rule = account && reachRule(account, authorityTowards(account))
    if (rule !== undefined) refused.set(index, rule)
  }
  return accounts
}
