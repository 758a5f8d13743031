import type { Queryable } from '@signet/platform/postgres/pool'
import { SECURITY_SETTINGS } from '@signet/protocol/fields/instance'
import { updateRow } from '../database/row-statement.ts'
import {
  type Feature,
  INSTANCE_SETTINGS,
  type InstanceFeatures,
  type InstanceSettings,
  type NewSecurityPolicy,
  type Revision,
  type SecurityPolicy,
} from './instance-setting.ts'

const SECURITY = Object.values(SECURITY_SETTINGS)
const SHOWN_SECURITY = SECURITY.map(({ kind, column, published }) =>
  // Null in the column of a flag: not decided yet.
  kind === 'flag' ? `coalesce(s.${column}, false) AS "${published}"` : `s.${column} AS "${published}"`,
).join(', ')
const columnsIn = (alias: string) => SECURITY.map(({ column }) => `${alias}.${column}`).join(', ')
/** Statement with two parameters for each setting: whether it is given, and its value. */
const SET_SECURITY = `UPDATE directory.setting s SET ${SECURITY.map(({ column }) => `${column} = w.${column}`).join(', ')}
  FROM (SELECT ${SECURITY.map(
    ({ kind, column }, at) =>
      `CASE WHEN $${2 * at + 1} THEN $${2 * at + 2}::${kind === 'flag' ? 'boolean' : 'integer'} ELSE ${column} END AS ${column}`,
  ).join(', ')} FROM directory.setting) AS w
 WHERE (${columnsIn('s')}) IS DISTINCT FROM (${columnsIn('w')})`

type RevisionKind = 'features' | 'security_policy'

/** Setting what is set already changes nothing. */
export class InstanceStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  async features(): Promise<InstanceFeatures> {
    const { rows } = await this.#database.query<Revision & { features: readonly [Feature, boolean][] }>({
      name: 'feature.all', // a table of a handful of rows, and a primary key
      text: `SELECT r.sequence, r.changed_at AS "changedAt",
                    (SELECT coalesce(jsonb_agg(jsonb_build_array(name, enabled)), '[]') FROM directory.feature) AS features
               FROM directory.instance_revision r WHERE r.kind = 'features'`,
    })
    const { features, ...revision } = onlyRow(rows)
    return { set: new Map(features), revision }
  }

  /** Features that are not named stay as they are. */
  setFeatures(wanted: ReadonlyMap<Feature, boolean>): Promise<Revision> {
    return this.#change('features', {
      name: 'feature.set', // primary key
      text: `INSERT INTO directory.feature AS f (name, enabled)
             SELECT * FROM unnest($1::text[], $2::boolean[]) AS w (name, enabled) ORDER BY name
             ON CONFLICT (name) DO UPDATE SET enabled = excluded.enabled WHERE f.enabled <> excluded.enabled`,
      values: [[...wanted.keys()], [...wanted.values()]],
    })
  }

  resetFeatures(): Promise<Revision> {
    return this.#change('features', { name: 'feature.reset', text: 'DELETE FROM directory.feature' })
  }

  async securityPolicy(): Promise<SecurityPolicy> {
    const { rows } = await this.#database.query<Revision & Omit<SecurityPolicy, 'revision'>>({
      name: 'setting.security_policy', // primary keys
      text: `SELECT r.sequence, r.changed_at AS "changedAt", ${SHOWN_SECURITY}
               FROM directory.setting s, directory.instance_revision r WHERE r.kind = 'security_policy'`,
    })
    const { sequence, changedAt, ...policy } = onlyRow(rows)
    return { ...policy, revision: { sequence, changedAt } }
  }

  setSecurityPolicy(policy: NewSecurityPolicy): Promise<Revision> {
    return this.#change('security_policy', {
      name: 'setting.set_security_policy', // one row
      text: SET_SECURITY,
      values: SECURITY.flatMap(({ published }) => [
        policy[published] !== undefined,
        policy[published] ?? null,
      ]),
    })
  }

  /** Stores whether roles of the instance need a second factor, unless that is stored. */
  async setIamRequiresMfaOnce(isRequired: boolean): Promise<void> {
    await this.#database.query({
      name: 'setting.set_iam_requires_mfa_once', // one row
      text: 'UPDATE directory.setting SET iam_requires_mfa = $1 WHERE iam_requires_mfa IS NULL',
      values: [isRequired],
    })
  }

  async settings(): Promise<InstanceSettings> {
    const columns = Object.entries(INSTANCE_SETTINGS).map(([name, column]) => `${column} AS "${name}"`)
    const { rows } = await this.#database.query<InstanceSettings>({
      name: 'setting.all', // one row
      text: `SELECT ${columns.join(', ')} FROM directory.setting`,
    })
    return onlyRow(rows)
  }

  /** Adds signing algorithms while there is no organization: no client has the key set of such an instance. */
  async nameFirstSigningAlgorithms(algorithms: readonly string[]): Promise<void> {
    await this.#database.query({
      name: 'setting.name_first_signing_algorithms', // one row
      text: `UPDATE directory.setting
                SET signing_algorithms = ARRAY(SELECT unnest(signing_algorithms) UNION SELECT unnest($1::text[]))
              WHERE NOT signing_algorithms @> $1 AND NOT EXISTS (SELECT FROM directory.organization)`,
      values: [algorithms],
    })
  }

  /** Settings that are not named stay as they are. */
  async setSettings(settings: InstanceSettings): Promise<void> {
    const columns = Object.entries(settings).map(([name, value]) => [
      INSTANCE_SETTINGS[name as keyof InstanceSettings],
      value,
    ])
    await this.#database.query(
      updateRow('instance', 'setting', Object.fromEntries(columns), { singleton: true }),
    )
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
