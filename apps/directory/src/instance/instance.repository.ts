import type { Queryable } from '@signet/platform/postgres/pool'
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

/** Setting what is set already changes nothing. */
export interface InstanceStore {
  features(): Promise<InstanceFeatures>
  /** Features that are not named stay as they are. */
  setFeatures(wanted: ReadonlyMap<Feature, boolean>): Promise<Revision>
  resetFeatures(): Promise<Revision>
  securityPolicy(): Promise<SecurityPolicy>
  setSecurityPolicy(policy: NewSecurityPolicy): Promise<Revision>
  /** Stores whether roles of the instance need a second factor, unless that is stored. */
  setIamRequiresMfaOnce(isRequired: boolean): Promise<void>
  settings(): Promise<InstanceSettings>
  /** Adds signing algorithms while there is no organization: no client has the key set of such an instance. */
  nameFirstSigningAlgorithms(algorithms: readonly string[]): Promise<void>
  /** Settings that are not named stay as they are. */
  setSettings(settings: InstanceSettings): Promise<void>
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
    const { rows } = await this.#database.query<Revision & Omit<SecurityPolicy, 'revision'>>({
      name: 'setting.security_policy', // primary keys
      text: `SELECT r.sequence, r.changed_at AS "changedAt", s.enable_impersonation AS "enableImpersonation",
                    s.allow_impersonated_api_calls AS "allowImpersonatedApiCalls",
                    s.iam_sign_in_max_age_seconds AS "iamSignInMaxAgeSeconds",
                    coalesce(s.iam_requires_mfa, false) AS "iamRequiresMfa"
               FROM directory.setting s, directory.instance_revision r WHERE r.kind = 'security_policy'`,
    })
    const { sequence, changedAt, ...policy } = onlyRow(rows)
    return { ...policy, revision: { sequence, changedAt } }
  }

  setSecurityPolicy(policy: NewSecurityPolicy) {
    const { enableImpersonation, allowImpersonatedApiCalls, iamSignInMaxAgeSeconds, iamRequiresMfa } = policy
    return this.#change('security_policy', {
      name: 'setting.set_security_policy', // one row
      text: `UPDATE directory.setting s
                SET enable_impersonation = w.impersonation, allow_impersonated_api_calls = w.calls,
                    iam_sign_in_max_age_seconds = w.max_age, iam_requires_mfa = w.mfa
               FROM (SELECT coalesce($1::boolean, enable_impersonation) AS impersonation,
                            coalesce($2::boolean, allow_impersonated_api_calls) AS calls,
                            CASE WHEN $3 THEN $4::integer ELSE iam_sign_in_max_age_seconds END AS max_age,
                            coalesce($5::boolean, iam_requires_mfa) AS mfa
                       FROM directory.setting) AS w
              WHERE (s.enable_impersonation, s.allow_impersonated_api_calls, s.iam_sign_in_max_age_seconds,
                     s.iam_requires_mfa) IS DISTINCT FROM (w.impersonation, w.calls, w.max_age, w.mfa)`,
      values: [
        enableImpersonation ?? null,
        allowImpersonatedApiCalls ?? null,
        iamSignInMaxAgeSeconds !== undefined,
        iamSignInMaxAgeSeconds ?? null,
        iamRequiresMfa ?? null,
      ],
    })
  }

  async setIamRequiresMfaOnce(isRequired: boolean) {
    await this.#database.query({
      name: 'setting.set_iam_requires_mfa_once', // one row
      text: 'UPDATE directory.setting SET iam_requires_mfa = $1 WHERE iam_requires_mfa IS NULL',
      values: [isRequired],
    })
  }

  async settings() {
    const columns = Object.entries(INSTANCE_SETTINGS).map(([name, column]) => `${column} AS "${name}"`)
    const { rows } = await this.#database.query<InstanceSettings>({
      name: 'setting.all', // one row
      text: `SELECT ${columns.join(', ')} FROM directory.setting`,
    })
    return onlyRow(rows)
  }

  async nameFirstSigningAlgorithms(algorithms: readonly string[]) {
    await this.#database.query({
      name: 'setting.name_first_signing_algorithms', // one row
      text: `UPDATE directory.setting
                SET signing_algorithms = ARRAY(SELECT unnest(signing_algorithms) UNION SELECT unnest($1::text[]))
              WHERE NOT signing_algorithms @> $1 AND NOT EXISTS (SELECT FROM directory.organization)`,
      values: [algorithms],
    })
  }

  async setSettings(settings: InstanceSettings) {
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
