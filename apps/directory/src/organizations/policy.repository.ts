import type { Queryable } from '@signet/platform/postgres/pool'
import type { PolicyFloors, PolicyKind } from './policy-rules.ts'

type Document = Readonly<Record<string, unknown>>

export interface PolicyStore {
  find(organizationId: string, kind: PolicyKind): Promise<Document | undefined>
  set(organizationId: string, kind: PolicyKind, document: object): Promise<void>
  delete(organizationId: string, kind: PolicyKind): Promise<void>
  floors(): Promise<PolicyFloors>
}

export class PostgresPolicyStore implements PolicyStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  async find(organizationId: string, kind: PolicyKind) {
    const { rows } = await this.#database.query<{ document: Document }>({
      name: 'organization_policy.find', // primary key
      text: 'SELECT document FROM directory.organization_policy WHERE organization_id = $1 AND kind = $2',
      values: [organizationId, kind],
    })
    return rows[0]?.document
  }

  async set(organizationId: string, kind: PolicyKind, document: object) {
    await this.#database.query({
      name: 'organization_policy.set', // primary key
      text: `INSERT INTO directory.organization_policy (organization_id, kind, document) VALUES ($1, $2, $3)
                 ON CONFLICT (organization_id, kind) DO UPDATE SET document = excluded.document`,
      values: [organizationId, kind, JSON.stringify(document)],
    })
  }

  async delete(organizationId: string, kind: PolicyKind) {
    await this.#database.query({
      name: 'organization_policy.delete', // primary key
      text: 'DELETE FROM directory.organization_policy WHERE organization_id = $1 AND kind = $2',
      values: [organizationId, kind],
    })
  }

  floors() {
    return policyFloors(this.#database)
  }
}

export async function policyFloors(database: Queryable): Promise<PolicyFloors> {
  const { rows } = await database.query<PolicyFloors>({
    name: 'setting.policy_floors', // one row
    text: `SELECT password_min_length AS "passwordMinLength", max_password_attempts AS "maxPasswordAttempts",
                  max_otp_attempts AS "maxOtpAttempts"
             FROM directory.setting`,
  })
  const [floors] = rows
  if (floors === undefined)
    throw new Error('the migrations made the row of settings; is it the right database?')
  return floors
}
