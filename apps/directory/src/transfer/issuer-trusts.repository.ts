import type { RecordOf } from '@signet/file-formats/export/lists'
import type { Queryable } from '@signet/platform/postgres/pool'
import { issuerTrustProblems, MOST_TRUSTS } from '../schema/issuer-trust.ts'
import { APPLICATION, detailWriter, SERVICE_USER } from './details.repository.ts'
import type { TypedWriter } from './record-writer.ts'

// Writers of the issuers that service users and applications trust.

type TrustRecord = RecordOf<'machineTrustedIssuers'> | RecordOf<'appTrustedIssuers'>

const TRUST = {
  key: 'trust_id',
  values: { issuer: 'text', subject: 'text', claims: 'jsonb', key_set: 'jsonb' },
  keyOf: ({ id }: TrustRecord) => id,
  // All of them: a new issuer must not keep claims or keys of the one before.
  valuesOf: ({ issuer, subject, claims = {}, keySet }: TrustRecord) => ({
    ...{ issuer, subject, claims, key_set: keySet ?? null },
  }),
  createdAtOf: ({ creationDate }: TrustRecord) => creationDate,
  problemOf({ issuer, subject, claims, keySet }: TrustRecord) {
    const [problem] = issuerTrustProblems({ issuer, subject, claims, keySet })
    return problem && `${problem.field}: ${problem.rule}`
  },
} as const

export const machineTrustWriter = withLimit<RecordOf<'machineTrustedIssuers'>>(
  detailWriter<RecordOf<'machineTrustedIssuers'>>({
    ...TRUST,
    table: 'issuer_trust',
    owner: 'user_id',
    ownerOf: ({ userId }) => userId,
    ownerJoins: SERVICE_USER,
    found: 's.user_id',
    missing: 'the organization has no such service user',
  }),
  { table: 'issuer_trust', owners: 'service_user', owner: 'user_id', ownerOf: ({ userId }) => userId },
)

export const applicationTrustWriter = withLimit<RecordOf<'appTrustedIssuers'>>(
  detailWriter<RecordOf<'appTrustedIssuers'>>({
    ...TRUST,
    table: 'application_issuer_trust',
    owner: 'application_id',
    ownerOf: ({ appId }) => appId,
    ownerJoins: APPLICATION,
    found: 'p.project_id',
    missing: 'the organization has no such application',
  }),
  {
    ...{ table: 'application_issuer_trust', owners: 'application', owner: 'application_id' },
    ownerOf: ({ appId }) => appId,
  },
)

interface Limited<R> {
  readonly table: string
  /** The table of the owners, whose rows are locked. */
  readonly owners: string
  readonly owner: string
  readonly ownerOf: (record: R) => string
}

/** Refuses records beyond the number of issuers that an owner may trust. */
function withLimit<R>(writer: TypedWriter<R>, limited: Limited<R>): TypedWriter<R> {
  return {
    ...writer,
    async findConflicts(tx, records, context) {
      const counts = await lockAndCount(tx, limited, records)
      const conflicts = new Map(await writer.findConflicts(tx, records, context))
      for (const [index, record] of records.entries()) {
        if (conflicts.has(index)) continue
        const owner = limited.ownerOf(record)
        const count = (counts.get(owner) ?? 0) + 1
        counts.set(owner, count)
        if (count > MOST_TRUSTS) {
          const reason = `it trusts ${MOST_TRUSTS} issuers, which is the most`
          conflicts.set(index, { kind: 'impossible', reason })
        }
      }
      return conflicts
    },
  }
}

/** The numbers of trusts of the owners, which no other transaction changes until this one ends. */
async function lockAndCount<R>(
  tx: Queryable,
  { table, owners, owner, ownerOf }: Limited<R>,
  records: readonly R[],
): Promise<Map<string, number>> {
  const values = [[...new Set(records.map(ownerOf))]]
  await tx.query({
    name: `transfer.${table}.lock_owners`, // primary key
    text: `SELECT FROM directory.${owners} WHERE ${owner} = ANY ($1::text[]) ORDER BY ${owner} FOR NO KEY UPDATE`,
    values,
  })
  const { rows } = await tx.query<{ id: string; n: number }>({
    name: `transfer.${table}.count`, // primary key
    text: `SELECT ${owner} AS id, count(*)::int AS n FROM directory.${table}
            WHERE ${owner} = ANY ($1::text[]) GROUP BY ${owner}`,
    values,
  })
  return new Map(rows.map(({ id, n }) => [id, n]))
}
