import { ADVISORY_LOCKS } from '@signet/platform/postgres/advisory-locks'
import type { Queryable } from '@signet/platform/postgres/pool'
import { fileConflictOf } from '../database/constraint-conflict.ts'
import { type EpochRow, toEpoch } from '../epochs/epoch.repository.ts'
import type { Epoch } from '../epochs/epoch.ts'
import type { ObjectKind } from './declared-resources.ts'

/** The fingerprints of one object of the last applied file. */
export interface AppliedObject {
  readonly objectId: string
  readonly fields: ReadonlyMap<string, Buffer>
}

/** The row of this field stands for the object itself. */
const OBJECT_FIELD = ''

interface FingerprintRow {
  readonly object_kind: string
  readonly object_key: string
  readonly field: string
  readonly fingerprint: Buffer
  readonly object_id: string | null
}

/** Runs the statements for applying a file, except those for its objects. Expects a `Queryable` inside a transaction. */
export class BootstrapStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  /** Waits until no other transaction applies a file. */
  lock(): Promise<void> {
    return this.#run('lock', 'SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.bootstrap])
  }

  /** Defers the check for an IAM_OWNER, so that a file may move the role from one user to another in any order. */
  ownersAtTheEnd(): Promise<void> {
    return this.#run('owners_later', 'SET CONSTRAINTS directory.keep_instance_owner DEFERRED')
  }

  /** Rejects when no user with IAM_OWNER is left. */
  requireOwner(): Promise<void> {
    return this.#run('owners_now', 'SET CONSTRAINTS directory.keep_instance_owner IMMEDIATE')
  }

  /** Runs `work` and rolls its writes back. */
  async runAndRollBack<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#run('begin_trial', 'SAVEPOINT trial')
    const result = await work()
    await this.#run('end_trial', 'ROLLBACK TO SAVEPOINT trial')
    return result
  }

  /** The reason why a constraint refused an object, with the member that violates it; undefined for other errors. */
  conflictOf(error: unknown): { readonly member?: string; readonly message: string } | undefined {
    return fileConflictOf(error)
  }

  async #run(name: string, text: string, values: readonly unknown[] = []): Promise<void> {
    await this.#database.query({ name: `bootstrap.${name}`, text, values })
  }

  /** The last applied file, by kind and then by key. */
  async applied(): Promise<ReadonlyMap<string, ReadonlyMap<string, AppliedObject>>> {
    const { rows } = await this.#database.query<FingerprintRow>({
      name: 'bootstrap_fingerprint.load',
      text: 'SELECT object_kind, object_key, field, fingerprint, object_id FROM directory.bootstrap_fingerprint',
    })
    const kinds = new Map<string, Map<string, { objectId: string; fields: Map<string, Buffer> }>>()
    for (const row of rows) {
      const objects = kinds.get(row.object_kind) ?? new Map()
      kinds.set(row.object_kind, objects)
      const object = objects.get(row.object_key) ?? { objectId: '', fields: new Map() }
      objects.set(row.object_key, object)
      if (row.field === OBJECT_FIELD) object.objectId = row.object_id ?? ''
      else object.fields.set(row.field, row.fingerprint)
    }
    return kinds
  }

  /** Stores the fingerprints of the file as it is now; writes only differences to `before`. */
  async saveApplied(
    { kind, key }: { readonly kind: ObjectKind; readonly key: string },
    { objectId, fields }: AppliedObject,
    before: AppliedObject | undefined,
  ): Promise<void> {
    const forgotten = [...(before?.fields.keys() ?? [])].filter((field) => !fields.has(field))
    const changed = [...fields].filter(([field, value]) => !before?.fields.get(field)?.equals(value))
    if (before === undefined) changed.unshift([OBJECT_FIELD, Buffer.alloc(0)])
    if (forgotten.length > 0) {
      await this.#database.query({
        name: 'bootstrap_fingerprint.forget', // primary key
        text: `DELETE FROM directory.bootstrap_fingerprint
                WHERE object_kind = $1 AND object_key = $2 AND field = ANY ($3)`,
        values: [kind, key, forgotten],
      })
    }
    if (changed.length === 0) return
    await this.#database.query({
      name: 'bootstrap_fingerprint.save', // primary key
      text: `INSERT INTO directory.bootstrap_fingerprint (object_kind, object_key, field, fingerprint, object_id)
             SELECT $1, $2, field, fingerprint, CASE field WHEN '' THEN $5 END
               FROM unnest($3::text[], $4::bytea[]) AS t (field, fingerprint)
                 ON CONFLICT (object_kind, object_key, field) DO UPDATE SET fingerprint = excluded.fingerprint`,
      values: [kind, key, changed.map(([field]) => field), changed.map(([, value]) => value), objectId],
    })
  }

  /**
   * The endings of this transaction, and the current epochs of these objects. The current epochs let a repeated application of a
   * file publish the endings that an earlier one could not publish.
   */
  async epochs(
    objects: readonly { readonly kind: ObjectKind; readonly id: string }[],
  ): Promise<readonly Epoch[]> {
    const ids = (...kinds: readonly ObjectKind[]) =>
      objects.filter(({ kind }) => kinds.includes(kind)).map(({ id }) => id)
    const { rows } = await this.#database.query<EpochRow>({
      name: 'bootstrap.epochs', // a scan of the rows of a day, primary keys
      text: `SELECT kind, id, max(epoch) AS epoch FROM (
               SELECT kind, id, value AS epoch FROM directory.ending_change
                WHERE xid = pg_current_xact_id() OR (kind = 'p' AND split_part(id, ' ', 1) = ANY ($2))
                UNION ALL
               SELECT 'o', organization_id, token_epoch FROM directory.organization WHERE organization_id = ANY ($1)
                UNION ALL
               SELECT 'u', user_id, token_epoch FROM directory.account WHERE user_id = ANY ($2)
                UNION ALL
               SELECT 'c', s.client_id, a.token_epoch
                 FROM directory.service_user s JOIN directory.account a USING (user_id)
                WHERE s.user_id = ANY ($2) AND s.client_id IS NOT NULL
                UNION ALL
               SELECT 'c', client_id, token_epoch FROM directory.application WHERE application_id = ANY ($3)
             ) AS current GROUP BY kind, id HAVING max(epoch) > 0`,
      values: [ids('organization'), ids('user', 'service_user'), ids('application')],
    })
    return rows.map(toEpoch)
  }
}
