import type { Queryable } from '@signet/platform/postgres/pool'
import type { EffectivePolicy, PolicyFloors, PolicyKind } from './policy-rules.ts'

type Document = Readonly<Record<string, unknown>>

export class PolicyStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  async find(organizationId: string, kind: PolicyKind): Promise<Document | undefined> {
    const { rows } = await this.#database.query<{ document: Document }>({
      name: 'organization_policy.find', // primary key
      text: 'SELECT document FROM directory.organization_policy WHERE organization_id = $1 AND kind = $2',
      values: [organizationId, kind],
    })
    return rows[0]?.document
  }

  async set(organizationId: string, kind: PolicyKind, document: object): Promise<void> {
    await this.#database.query({
      name: 'organization_policy.set', // primary key
      text: `INSERT INTO directory.organization_policy (organization_id, kind, document) VALUES ($1, $2, $3)
                 ON CONFLICT (organization_id, kind) DO UPDATE SET document = excluded.document`,
      values: [organizationId, kind, JSON.stringify(document)],
    })
  }

  async delete(organizationId: string, kind: PolicyKind): Promise<void> {
    await this.#database.query({
      name: 'organization_policy.delete', // primary key
      text: 'DELETE FROM directory.organization_policy WHERE organization_id = $1 AND kind = $2',
      values: [organizationId, kind],
    })
  }

  /** The policy in force where the organization has this document of this kind; undefined: it has none. Reads no stored policy. */
  async effective(kind: PolicyKind, document: Document | undefined): Promise<EffectivePolicy> {
    const { rows } = await this.#database.query<EffectivePolicy>({
      name: 'organization_policy.effective', // one row
      text: `SELECT ${EFFECTIVE_COLUMNS} FROM directory.setting s
              CROSS JOIN LATERAL directory.effective_policy(
                CASE WHEN $1 = 'login' THEN $2::jsonb END, CASE WHEN $1 = 'lockout' THEN $2::jsonb END,
                CASE WHEN $1 = 'password_complexity' THEN $2::jsonb END, CASE WHEN $1 = 'domain' THEN $2::jsonb END, s) p`,
      values: [kind, document === undefined ? null : JSON.stringify(document)],
    })
    return onlyRow(rows)
  }

  floors(): Promise<PolicyFloors> {
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
  return onlyRow(rows)
}

function onlyRow<R>([row]: readonly R[]): R {
  if (row === undefined) throw new Error('the migrations made the row of settings; is it the right database?')
  return row
}

/** The columns of `directory.effective_policy` that the API and the rehearsal read. */
const EFFECTIVE_COLUMNS = `p.allows_password AS "allowsPassword", p.allows_registration AS "allowsRegistration",
  p.force_mfa AS "forceMfa", p.allows_providers AS "allowsProviders",
  p.allows_domain_discovery AS "allowsDomainDiscovery", p.allows_impersonation AS "allowsImpersonation", p.passkey_sign_in AS "passkeySignIn", p.passkey_second_factor AS "passkeySecondFactor",
  p.passkey_multi_factor AS "passkeyMultiFactor", p.passkey_offer_seconds AS "passkeyOfferSeconds",
  p.identifier_first AS "identifierFirst", p.session_ends_with_browser AS "sessionEndsWithBrowser",
  p.email_is_login_name AS "emailIsLoginName", p.max_password_attempts AS "maxPasswordAttempts",
  p.max_otp_attempts AS "maxOtpAttempts", p.password_min_length AS "passwordMinLength",
  p.password_needs_uppercase AS "needsUppercase", p.password_needs_lowercase AS "needsLowercase",
  p.password_needs_number AS "needsNumber", p.password_needs_symbol AS "needsSymbol",
  p.user_names_are_global AS "userNamesAreGlobal"`
