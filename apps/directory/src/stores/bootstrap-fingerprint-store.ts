import type { Queryable } from '@signet/platform/postgres/pool'
import type { DesiredObject } from '../bootstrap/desired-object.ts'
import type { Fingerprints } from '../bootstrap/fingerprint.ts'

/** The fingerprints of one object of the file as applied last. */
export interface StoredObject {
  readonly objectId: string
  readonly fields: ReadonlyMap<string, Buffer>
}

export interface FingerprintStore {
  /** By kind, then by key. */
  load(): Promise<ReadonlyMap<string, ReadonlyMap<string, StoredObject>>>
  /** Stores the fingerprints of the file as it is now; writes only differences to `before`. */
  save(
    desired: DesiredObject,
    objectId: string,
    before: StoredObject | undefined,
    fingerprints: Fingerprints,
  ): Promise<void>
}

/** The row of this field stands for the object itself. */
const OBJECT_FIELD = ''

interface Row {
  readonly object_kind: string
  readonly object_key: string
  readonly field: string
  readonly fingerprint: Buffer
  readonly object_id: string | null
}

export class PostgresFingerprintStore implements FingerprintStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  async load() {
    const { rows } = await this.#database.query<Row>({
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

  async save(
    { kind, key, fields }: DesiredObject,
    objectId: string,
    before: StoredObject | undefined,
    fingerprints: Fingerprints,
  ): Promise<void> {
    const now = new Map(fields.map((field) => [field.name, fingerprints.of(field)]))
    const forgotten = [...(before?.fields.keys() ?? [])].filter((field) => !now.has(field))
    const changed = [...now].filter(([field, value]) => !before?.fields.get(field)?.equals(value))
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
}
