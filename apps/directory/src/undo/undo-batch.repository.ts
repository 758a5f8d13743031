import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { Queryable } from '@signet/platform/postgres/pool'
import { openValue, sealValue } from '@signet/platform/sealing/sealed-value'
import type { CarriedSealing } from '../carried/carried.repository.ts'
import { type EpochRow, toEpoch } from '../epochs/epoch.repository.ts'
import type { Epoch } from '../epochs/epoch.ts'
import { undoPurpose } from '../sealing/purposes.ts'
import type { ObjectImage } from './changed-fields.ts'

/** An object that a batch wrote. */
export interface WrittenObject {
  /** Index of the record in its batch. */
  readonly index: number
  readonly key: readonly [string, string?]
  /** Rows before an update; absent when the batch created the object. */
  readonly before?: ObjectImage
  /** Fingerprint of the rows after the import. */
  readonly fingerprint: string
}

/** The objects of a batch that can still be taken back. */
export interface UndoBatch {
  readonly jobId: string
  readonly batch: number
  readonly list: string
  readonly organizationId: string
  /** Seed of the fingerprints. */
  readonly seed: string
  readonly objects: readonly WrittenObject[]
}

/** The record is sealed under a master key that is not configured any more, or for another batch. */
export class UnopenedUndoBatch extends Error {
  constructor(jobId: string, batch: number) {
    super(`no master key opens the undo record of ${jobId} ${batch}`)
  }
}

export interface UndoBatchRepository {
  /** Adds batches in the transaction of the rows. */
  add(tx: Queryable, batches: readonly UndoBatch[], keptDays: number): Promise<void>
  /**
   * Locks those of the batches that have a record, and returns them by their number; their objects may be taken back already.
   * Rejects with UnopenedUndoBatch.
   */
  take(tx: Queryable, jobId: string, batches: readonly number[]): Promise<ReadonlyMap<number, UndoBatch>>
  /** Keeps only these objects. A batch without any stays, so that it is known to be taken back. */
  replace(tx: Queryable, batches: readonly UndoBatch[]): Promise<void>
  /** The endings that this transaction has recorded so far. */
  endings(tx: Queryable): Promise<readonly Epoch[]>
  /** The endings that the transactions of batches of an undo recorded. */
  endingsOf(tx: Queryable, jobId: string, batches: readonly number[]): Promise<readonly Epoch[]>
}

export function createUndoBatchRepository(dependencies: CarriedSealing): UndoBatchRepository {
  const { masterKeys } = dependencies
  return {
    async add(tx, batches, keptDays) {
      await tx.query({
        name: 'undo_batch.add',
        text: `INSERT INTO directory.undo_batch (job_id, batch, list, organization_id, sealed, expires_at)
               SELECT r.job_id, r.batch, r.list, r.organization_id, decode(r.sealed, 'base64'), now() + make_interval(days => $6)
                 FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[])
                        AS r (job_id, batch, list, organization_id, sealed)`,
        values: [
          batches.map(({ jobId }) => jobId),
          batches.map(({ batch }) => batch),
          batches.map(({ list }) => list),
          batches.map(({ organizationId }) => organizationId),
          batches.map((batch) => sealed(dependencies, batch).toString('base64')),
          keptDays,
        ],
      })
    },

    async take(tx, jobId, batches) {
      const { rows } = await tx.query<{
        batch: number
        list: string
        organizationId: string
        sealed: Buffer
      }>({
        name: 'undo_batch.take', // primary key
        text: `SELECT batch::int, list, organization_id AS "organizationId", sealed FROM directory.undo_batch
                WHERE job_id = $1 AND batch = ANY ($2::bigint[]) ORDER BY batch FOR UPDATE`,
        values: [jobId, batches],
      })
      return new Map(
        rows.map(({ batch, list, organizationId, sealed: value }) => {
          const plain = openValue(masterKeys, value, undoPurpose(jobId, batch))
          if (plain === undefined) throw new UnopenedUndoBatch(jobId, batch)
          const { seed, objects } = JSON.parse(zstdDecompressSync(plain).toString('utf8'))
          return [batch, { jobId, batch, list, organizationId, seed, objects }] as const
        }),
      )
    },

    async replace(tx, batches) {
      await tx.query({
        name: 'undo_batch.replace', // primary key
        text: `UPDATE directory.undo_batch u SET sealed = decode(r.sealed, 'base64')
                 FROM unnest($1::text[], $2::bigint[], $3::text[]) AS r (job_id, batch, sealed)
                WHERE u.job_id = r.job_id AND u.batch = r.batch`,
        values: [
          batches.map(({ jobId }) => jobId),
          batches.map(({ batch }) => batch),
          batches.map((batch) => sealed(dependencies, batch).toString('base64')),
        ],
      })
    },

    async endings(tx) {
      const { rows } = await tx.query<EpochRow>({
        name: 'undo_batch.endings', // ending_change_xid
        text: `SELECT kind, id, max(value) AS epoch FROM directory.ending_change
                WHERE xid = pg_current_xact_id() GROUP BY kind, id`,
      })
      return rows.map(toEpoch)
    },

    async endingsOf(tx, jobId, batches) {
      const { rows } = await tx.query<EpochRow>({
        name: 'undo_batch.endings_of', // primary key, ending_change_xid
        text: `SELECT c.kind, c.id, max(c.value) AS epoch
                 FROM directory.applied_batch b JOIN directory.ending_change c ON c.xid = b.xid
                WHERE b.job_id = $1 AND b.batch = ANY ($2::bigint[]) GROUP BY c.kind, c.id`,
        values: [jobId, batches],
      })
      return rows.map(toEpoch)
    },
  }
}

const sealed = ({ masterKeys, random }: CarriedSealing, { jobId, batch, seed, objects }: UndoBatch): Buffer =>
  sealValue(
    masterKeys,
    zstdCompressSync(Buffer.from(JSON.stringify({ seed, objects }))),
    undoPurpose(jobId, batch),
    random,
  )
