import { createHash } from 'node:crypto'
import type { RecordOf } from '@signet/file-formats/export/lists'
import type { Queryable } from '@signet/platform/postgres/pool'
import { addCarried, type CarriedSealing, writeCarried } from '../carried/carried.repository.ts'
import { carriedKey } from '../carried/carried-key.ts'
import { type Conflict, writeRows } from '../database/import-table.repository.ts'
import { MOST_LINKS } from '../identity-providers/identity-provider.ts'
import { LINK_ID } from '../undo/object-tables.ts'
import type { TypedWriter } from './record-writer.ts'

const LIST = 'userLinks'

type LinkRecord = RecordOf<'userLinks'>

/** The provider of a record, the link of its identity, and its account. */
interface FoundLink {
  /** Counted from 1. */
  readonly place: number
  readonly issuer: string | null
  readonly link_id: string | null
  readonly owner_id: string | null
  /** The link that has the id of the record. */
  readonly same_id: string | null
  readonly kind: 'human' | 'service_user' | null
  readonly is_stored: boolean
}

/** The members of a record that a link has a column for. */
const MEMBERS = new Set([
  ...['userId', 'idpId', 'providedUserId', 'providedUserName', 'issuer'],
  ...['linkId', 'creationDate', 'lastUseDate', 'isUsed'],
])

/** Links people to the identities of providers. A link to no provider of the organization is stored only. */
export function identityLinkWriter(sealing: CarriedSealing): TypedWriter<LinkRecord> {
  const writeWith =
    (statement: typeof ADD, store: typeof addCarried): TypedWriter<LinkRecord>['insert'] =>
    async (tx, records, { organizationIds, acceptedAt }) => {
      const found = await findLinks(tx, records, organizationIds)
      const used = records.map((record, index) => isUsed(record, found[index]))
      const rows = records.flatMap((record, index) =>
        used[index] ? [linkRow(record, found[index], organizationIds[index] ?? '', acceptedAt)] : [],
      )
      await writeRows(tx, statement, rows, acceptedAt)
      const stored = records.map((record, index) => ({
        ...{ organizationId: organizationIds[index] ?? '', list: LIST, key: carriedKey(LIST, record) },
        content: used[index] ? furtherMembers(record) : record,
        userId: record.userId,
      }))
      await store(tx, sealing, stored)
    }
  return {
    /** Gives each link the id under which it is stored, by which an undo finds it. */
    async underRules(tx, records, { organizationIds }) {
      const found = await findLinks(tx, records, organizationIds)
      const named = records.map((record, index) => {
        if (!isUsed(record, found[index])) return record
        const linkId = linkIdOf(record, found[index])
        return { ...record, linkId, [LINK_ID]: linkId }
      })
      return { records: named, leftOut: [], refused: new Map() }
    },
    async findConflicts(tx, records, { organizationIds }) {
      const counts = await lockAndCount(tx, records)
      const found = await findLinks(tx, records, organizationIds)
      const conflicts = records.flatMap((record, index): readonly (readonly [number, Conflict])[] => {
        const conflict = conflictOf(record, found[index], counts)
        return conflict === undefined ? [] : [[index, conflict]]
      })
      return new Map(conflicts)
    },
    insert: writeWith(ADD, addCarried),
    update: writeWith(SET, writeCarried),
    async notes(records, tx, { organizationIds }) {
      const found = await findLinks(tx, records, organizationIds)
      const unused = records.filter((record, index) => !isUsed(record, found[index])).length
      return unused === 0
        ? []
        : [
            `${unused} records of ${LIST} are stored, not used: the organization has no such identity provider`,
          ]
    },
  }
}

function isUsed({ providedUserId }: LinkRecord, found: FoundLink | undefined): boolean {
  return found?.issuer != null && providedUserId !== undefined
}

function conflictOf(
  record: LinkRecord,
  found: FoundLink | undefined,
  counts: Map<string, number>,
): Conflict | undefined {
  const impossible = (reason: string): Conflict => ({ kind: 'impossible', reason })
  if (found?.kind == null) return { kind: 'missing', reason: 'there is no such user' }
  if (!isUsed(record, found)) return found.is_stored ? { kind: 'present' } : undefined
  if (found.kind !== 'human') return impossible('a service user has no links')
  if (found.owner_id !== null && found.owner_id !== record.userId)
    return impossible('another account has this identity')
  if (found.link_id !== null) return { kind: 'present' }
  const count = (counts.get(record.userId) ?? 0) + 1
  counts.set(record.userId, count)
  if (count > MOST_LINKS) return impossible(`the user has ${MOST_LINKS} identity links, which is the most`)
  return found.is_stored ? { kind: 'present' } : undefined
}

/** The id of the stored link, else that of the record if it is free, else one that the identity decides. */
function linkIdOf(record: LinkRecord, found: FoundLink | undefined): string {
  if (found?.link_id != null) return found.link_id
  if (record.linkId !== undefined && found?.same_id === null) return record.linkId
  const identity = [record.idpId, record.issuer ?? found?.issuer, record.providedUserId]
  return `link-${createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 32)}`
}

function linkRow(record: LinkRecord, found: FoundLink | undefined, organizationId: string, acceptedAt: Date) {
  const past = (time: string | undefined) =>
    time === undefined || Date.parse(time) > acceptedAt.getTime() ? undefined : time
  return {
    link_id: linkIdOf(record, found),
    user_id: record.userId,
    provider_id: record.idpId,
    organization_id: organizationId,
    issuer: record.issuer ?? found?.issuer,
    subject: record.providedUserId,
    display_name: record.providedUserName,
    created_at: past(record.creationDate),
    last_used_at: past(record.lastUseDate),
  }
}

const furtherMembers = (record: LinkRecord) => ({
  ...Object.fromEntries(Object.entries(record).filter(([member]) => !MEMBERS.has(member))),
  isUsed: true,
})

/** Finds the rows for records, in the order of the records. */
async function findLinks(
  tx: Queryable,
  records: readonly LinkRecord[],
  organizationIds: readonly string[],
): Promise<readonly FoundLink[]> {
  const { rows } = await tx.query<FoundLink>({
    name: 'transfer.identity_link.find', // primary keys, identity_link_identity
    text: `SELECT r.place, i.issuer, l.link_id, l.user_id AS owner_id, x.link_id AS same_id, a.kind,
                  c.record_key IS NOT NULL AS is_stored
             FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
                    WITH ORDINALITY AS r (user_id, provider_id, subject, issuer, link_id, record_key, organization_id, place)
             LEFT JOIN directory.account a ON a.user_id = r.user_id
             LEFT JOIN directory.identity_provider i
                    ON i.provider_id = r.provider_id AND i.organization_id = r.organization_id
             LEFT JOIN directory.identity_link l
                    ON l.provider_id = i.provider_id AND l.issuer = coalesce(r.issuer, i.issuer) AND l.subject = r.subject
             LEFT JOIN directory.identity_link x ON x.link_id = r.link_id
             LEFT JOIN directory.carried_record c
                    ON c.organization_id = r.organization_id AND c.list = '${LIST}' AND c.record_key = r.record_key
            ORDER BY r.place`,
    values: [
      records.map(({ userId }) => userId),
      records.map(({ idpId }) => idpId),
      records.map(({ providedUserId = null }) => providedUserId),
      records.map(({ issuer = null }) => issuer),
      records.map(({ linkId = null }) => linkId),
      records.map((record) => carriedKey(LIST, record)),
      organizationIds,
    ],
  })
  return rows
}

/** The numbers of links of accounts, which no other transaction changes until this one ends. */
async function lockAndCount(tx: Queryable, records: readonly LinkRecord[]): Promise<Map<string, number>> {
  const values = [[...new Set(records.map(({ userId }) => userId))]]
  await tx.query({
    name: 'transfer.identity_link.lock_accounts', // primary key
    text: 'SELECT FROM directory.account WHERE user_id = ANY ($1::text[]) ORDER BY user_id FOR NO KEY UPDATE',
    values,
  })
  const { rows } = await tx.query<{ id: string; n: number }>({
    name: 'transfer.identity_link.count', // identity_link_user
    text: `SELECT user_id AS id, count(*)::int AS n FROM directory.identity_link
            WHERE user_id = ANY ($1::text[]) GROUP BY user_id`,
    values,
  })
  return new Map(rows.map(({ id, n }) => [id, n]))
}

// An identity that another account got meanwhile violates identity_link_identity.
const ADD = {
  name: 'transfer.identity_link.add', // primary keys
  text: `INSERT INTO directory.identity_link AS t (link_id, user_id, provider_id, issuer, subject, display_name, created_at, last_used_at)
         SELECT r.link_id, r.user_id, i.provider_id, r.issuer, r.subject, r.display_name, coalesce(r.created_at, $2::timestamptz), r.last_used_at
           FROM json_to_recordset($1::json) AS r (link_id text, user_id text, provider_id text, organization_id text, issuer text,
                subject text, display_name text, created_at timestamptz, last_used_at timestamptz)
           JOIN directory.identity_provider i
             ON i.provider_id = r.provider_id AND i.organization_id = r.organization_id`,
}
const SET = {
  name: 'transfer.identity_link.set', // primary keys
  text: `${ADD.text}
             ON CONFLICT (link_id) DO UPDATE SET display_name = coalesce(excluded.display_name, t.display_name)`,
}
