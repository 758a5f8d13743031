import type { Queryable } from '@signet/postgres/pool'
import type { Feature, InstanceFeatures, Revision, SecurityPolicy } from '../instance/instance-setting.ts'

/** Setting what is set already changes nothing. */
export interface InstanceStore {
  features(): Promise<InstanceFeatures>
  /** Features that are not named stay as they are. */
  setFeatures(wanted: ReadonlyMap<Feature, boolean>): Promise<Revision>
  resetFeatures(): Promise<Revision>
  securityPolicy(): Promise<SecurityPolicy>
  setImpersonation(enabled: boolean): Promise<Revision>
}

type RevisionKind = 'features' | 'security_policy'

export class PostgresInstanceStore implements InstanceStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  async features() {
    const { rows } = await this.#database.query<Revision & { features: readonly [Feature, boolean][] }>({
      name: 'feature.all', // a table of a handful of rows, and a primary key
      text: `SELECT r.sequence, r.changed_at AS "changedAt",
                    (SELECT coalesce(jsonb_agg(jsonb_build_array(name, enabled)), '[]') FROM directory.feature) AS features
               FROM directory.instance_revision r WHERE r.kind = 'features'`,
    })
    const { features, ...revision } = onlyRow(rows)
    return { set: new Map(features), revision }
  }

  setFeatures(wanted: ReadonlyMap<Feature, boolean>) {
    return this.#change('features', {
      name: 'feature.set', // primary key
      text: `INSERT INTO directory.feature AS f (name, enabled)
             SELECT * FROM unnest($1::text[], $2::boolean[]) AS w (name, enabled) ORDER BY name
             ON CONFLICT (name) DO UPDATE SET enabled = excluded.enabled WHERE f.enabled <> excluded.enabled`,
      values: [[...wanted.keys()], [...wanted.values()]],
    })
  }

  resetFeatures() {
    return this.#change('features', { name: 'feature.reset', text: 'DELETE FROM directory.feature' })
  }

  async securityPolicy() {
    const { rows } = await this.#database.query<Revision & { enableImpersonation: boolean }>({
      name: 'setting.security_policy', // primary keys
      text: `SELECT r.sequence, r.changed_at AS "changedAt", s.enable_impersonation AS "enableImpersonation"
               FROM directory.setting s, directory.instance_revision r WHERE r.kind = 'security_policy'`,
    })
    const { enableImpersonation, ...revision } = onlyRow(rows)
    return { enableImpersonation, revision }
  }

  setImpersonation(enabled: boolean) {
    return this.#change('security_policy', {
      name: 'setting.set_impersonation', // one row
      text: 'UPDATE directory.setting SET enable_impersonation = $1 WHERE enable_impersonation <> $1',
      values: [enabled],
    })
  }

  async #change(
    kind: RevisionKind,
    statement: { name: string; text: string; values?: readonly unknown[] },
  ): Promise<Revision> {
    await this.#database.query(statement)
    return revision(this.#database, kind)
  }
}

async function revision(tx: Queryable, kind: RevisionKind): Promise<Revision> {
  const { rows } = await tx.query<Revision>({
    name: 'instance_revision.find', // primary key
    text: 'SELECT sequence, changed_at AS "changedAt" FROM directory.instance_revision WHERE kind = $1',
    values: [kind],
  })
  return onlyRow(rows)
}

function onlyRow<Row>(rows: readonly Row[]): Row {
  const [row] = rows
  if (row === undefined) throw new Error('the migrations made this row; is the database the right one?')
  return row
}
