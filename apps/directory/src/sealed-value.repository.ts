import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { Queryable } from '@signet/platform/postgres/pool'
import {
  type Rewrapped,
  type RewrapValue,
  rewrapColumns,
  type SealedColumn,
} from '@signet/platform/sealing/rewrap'
import type { RandomBytes } from '@signet/tokens/identifiers'
import { authenticatorPurposes } from './credentials/totp.ts'
import {
  CHECK_PURPOSE,
  carriedPurpose,
  idempotencyPurpose,
  identityProviderPurpose,
  mailRequestPurpose,
  ownKeysPurpose,
  smtpPurpose,
  undoPurpose,
} from './sealing/purposes.ts'
import type { WrittenObject } from './undo/undo-batch.repository.ts'

/** Above it a transaction holds the rows of many users for more than a moment. */
const MOST = 2_000

export class SealedValueStore {
  readonly #tx: Queryable

  constructor(tx: Queryable) {
    this.#tx = tx
  }

  /** Seals up to 2,000 values under the newest master key. */
  async rewrap(masterKeys: readonly Buffer[], random: RandomBytes): Promise<Rewrapped> {
    const options = { masterKeys, random, most: MOST }
    const values = await rewrapColumns(this.#tx, SEALED_COLUMNS, options)
    if (!values.done || values.unreadable > 0) return values
    const check = await rewrapColumns(this.#tx, [CHECK_COLUMN], options)
    return { ...check, rewrapped: values.rewrapped + check.rewrapped }
  }
}

type Row = Readonly<Record<string, unknown>>

/** Every column of this service with values under the directory master key; a test compares them with the schema. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  {
    table: 'directory.account_totp',
    column: 'sealed_seed',
    reads: ['user_id'],
    purposes: ({ user_id }) => authenticatorPurposes(String(user_id)),
  },
  {
    table: 'directory.carried_record',
    column: 'sealed_record',
    reads: ['organization_id', 'list', 'record_key'],
    purposes: ({ organization_id, list, record_key }) => [
      carriedPurpose(String(organization_id), String(list), String(record_key)),
    ],
  },
  {
    table: 'directory.undo_batch',
    column: 'sealed',
    reads: ['job_id', 'batch', 'organization_id'],
    purposes: ({ job_id, batch }) => [undoPurpose(String(job_id), Number(batch))],
    content: rewrapImages,
  },
  {
    table: 'directory.idempotency_key',
    column: 'sealed_answer',
    reads: ['caller_id', 'key'],
    purposes: ({ caller_id, key }) => [idempotencyPurpose(String(caller_id), String(key))],
  },
  {
    table: 'directory.mail_delivery',
    column: 'sealed_request',
    reads: ['delivery_id'],
    purposes: ({ delivery_id }) => [mailRequestPurpose(String(delivery_id))],
  },
  {
    table: 'directory.organization_smtp',
    column: 'sealed_password',
    reads: ['organization_id'],
    purposes: ({ organization_id }) => [smtpPurpose(String(organization_id))],
  },
  {
    table: 'directory.identity_provider',
    column: 'sealed_secret',
    reads: ['provider_id'],
    purposes: ({ provider_id }) => [identityProviderPurpose(String(provider_id))],
  },
  {
    table: 'directory.identity_provider',
    column: 'sealed_own_keys',
    reads: ['provider_id'],
    purposes: ({ provider_id }) => [ownKeysPurpose(String(provider_id))],
  },
]

/** Rewrapped last: a start under the newest key alone is refused until nothing else needs an older one. */
export const CHECK_COLUMN: SealedColumn = {
  table: 'directory.master_key_check',
  column: 'sealed',
  reads: [],
  purposes: () => [CHECK_PURPOSE],
}

/** The rows before an update hold sealed values of their own, which come back with them. */
function rewrapImages(plain: Buffer, { organization_id }: Row, rewrap: RewrapValue): Buffer {
  const record = JSON.parse(zstdDecompressSync(plain).toString('utf8')) as { objects: WrittenObject[] }
  const hexadecimal = (value: unknown, purposes: readonly string[]) => {
    const sealed = rewrap(Buffer.from(String(value).replace(/^\\x/, ''), 'hex'), purposes)
    return sealed === null ? value : `\\x${sealed.toString('hex')}`
  }
  const totp = (row: Row) => ({
    ...row,
    sealed_seed: hexadecimal(row.sealed_seed, authenticatorPurposes(String(row.user_id))),
  })
  const carried = (row: Row) => ({
    ...row,
    sealed_record: hexadecimal(row.sealed_record, [
      carriedPurpose(String(organization_id), String(row.list), String(row.record_key)),
    ]),
  })
  /** A record of an earlier release lacks columns. */
  const secret = (row: Row, column: string, purpose: string) =>
    row[column] == null ? {} : { [column]: hexadecimal(row[column], [purpose]) }
  const provider = (row: Row) => ({
    ...row,
    ...secret(row, 'sealed_secret', identityProviderPurpose(String(row.provider_id))),
    ...secret(row, 'sealed_own_keys', ownKeysPurpose(String(row.provider_id))),
  })
  const rewrapped = new Map<string, (row: Row) => Row>([
    ['account_totp', totp],
    ['carried_record', carried],
    ['identity_provider', provider],
  ])
  const objects = record.objects.map(({ before, ...object }) => {
    if (before === undefined) return object
    const tables = Object.entries(before).map(([table, rows]) => {
      const rewrapRow = rewrapped.get(table)
      return [table, rewrapRow === undefined ? rows : rows.map(rewrapRow)] as const
    })
    return { ...object, before: Object.fromEntries(tables) }
  })
  return zstdCompressSync(Buffer.from(JSON.stringify({ ...record, objects })))
}
