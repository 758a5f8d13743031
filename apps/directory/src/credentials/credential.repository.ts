import type { Queryable } from '@signet/platform/postgres/pool'
import { LOGIN_NAME_STEPS, type LoginName, type LoginNameCandidate } from './login-name.ts'
import { hasAnyPasskey } from './second-factor.repository.ts'

export interface CredentialCandidate extends LoginNameCandidate {
  readonly userId: string
  /** The account and its organization are active. */
  readonly active: boolean
  /** Null when the account has no password. */
  readonly hash: string | null
  readonly userEpoch: number
  readonly organizationEpoch: number
  /**
   * The account has a TOTP secret, or the login policy demands a second factor and the account has a passkey, also one that
   * does not count.
   */
  readonly secondFactorRequired: boolean
  /** The login policy demands a second factor, and the account has none. */
  readonly secondFactorEnrolmentRequired: boolean
  readonly passwordChangeRequired: boolean
  /** The secret of the trusted browsers of the account; null if there are none. */
  readonly trustSecret: Buffer | null
  /** The login policy lets people sign in with a password. */
  readonly passwordAllowed: boolean
  /** Failed passwords before the next attempt is throttled; 0 is no limit. */
  readonly maxPasswordAttempts: number
}

export interface CredentialStore {
  /**
   * The people that a login name may mean, within one organization when it is given: at most two for each step, and two
   * more of the organization that has verified the domain of the name.
   */
  candidates(
    loginName: LoginName,
    organizationId: string | undefined,
  ): Promise<readonly CredentialCandidate[]>
  /** The limit for a login name without an account: that of the organization that the name could belong to. */
  attemptLimit(loginName: LoginName, organizationId: string | undefined): Promise<number>
  /** Replaces the hash of an unchanged password; does nothing when the password changed meanwhile. */
  replaceHash(userId: string, hash: string, newHash: string): Promise<void>
}

const DEFAULT_LIMIT = 5

export class PostgresCredentialStore implements CredentialStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  async candidates({ whole, user, domain }: LoginName, organizationId: string | undefined) {
    const { rows } = await this.#database.query<CredentialCandidate>({
      name: 'credential.candidates',
      text: CANDIDATES,
      values: [whole, user ?? null, domain ?? null, organizationId ?? null],
    })
    return rows
  }

  async attemptLimit({ domain }: LoginName, organizationId: string | undefined): Promise<number> {
    const { rows } = await this.#database.query<{ limit: number }>({
      name: 'credential.attempt_limit', // primary keys, organization_domain_verified
      text: `SELECT max_password_attempts AS "limit" FROM directory_read.organization_v1
              WHERE organization_id = coalesce(
                $1::text,
                (SELECT organization_id FROM directory.organization_domain WHERE is_verified AND domain = $2),
                (SELECT default_organization_id FROM directory_read.setting_v1))`,
      values: [organizationId ?? null, domain ?? null],
    })
    return rows[0]?.limit ?? DEFAULT_LIMIT
  }

  async replaceHash(userId: string, hash: string, newHash: string): Promise<void> {
    await this.#database.query({
      name: 'credential.replace_hash', // primary key
      text: 'UPDATE directory.account_password SET hash = $3 WHERE user_id = $1 AND hash = $2',
      values: [userId, hash, newHash],
    })
  }
}

const EMAIL_IS_LOGIN_NAME = `NOT EXISTS (SELECT FROM directory.organization_policy p
                         WHERE p.organization_id = a.organization_id AND p.kind = 'login'
                           AND p.document ->> 'disableLoginWithEmail' = 'true')`

// Indexes: organization_domain_verified with account_user_name, account_verified_email, passkey_of_user.
const CANDIDATES = `
  WITH owner AS (
    SELECT organization_id FROM directory.organization_domain WHERE is_verified AND domain = $3
  ), candidate AS (
    (SELECT ${LOGIN_NAME_STEPS.verifiedDomain} AS step, a.user_id
       FROM owner JOIN directory.account a USING (organization_id)
      WHERE a.user_name_key = $2 AND a.kind = 'human' AND ($4::text IS NULL OR a.organization_id = $4) LIMIT 2)
    UNION
    (SELECT ${LOGIN_NAME_STEPS.userName}, a.user_id FROM directory.account a
      WHERE a.user_name_key = $1 AND a.kind = 'human' AND ($4::text IS NULL OR a.organization_id = $4) LIMIT 2)
    UNION
    (SELECT ${LOGIN_NAME_STEPS.userName}, a.user_id FROM owner JOIN directory.account a USING (organization_id)
      WHERE a.user_name_key = $1 AND a.kind = 'human' AND ($4::text IS NULL OR a.organization_id = $4))
    UNION
    (SELECT ${LOGIN_NAME_STEPS.verifiedEmail}, a.user_id FROM directory.account a
      WHERE a.email_verified AND a.email_key = $1 AND a.kind = 'human'
        AND ($4::text IS NULL OR a.organization_id = $4) AND ${EMAIL_IS_LOGIN_NAME} LIMIT 2)
    UNION
    (SELECT ${LOGIN_NAME_STEPS.verifiedEmail}, a.user_id FROM owner JOIN directory.account a USING (organization_id)
      WHERE a.email_verified AND a.email_key = $1 AND a.kind = 'human'
        AND ($4::text IS NULL OR a.organization_id = $4) AND ${EMAIL_IS_LOGIN_NAME} LIMIT 2)
  )
  SELECT c.step, a.user_id AS "userId", a.organization_id AS "organizationId",
         EXISTS (SELECT FROM owner WHERE owner.organization_id = a.organization_id) AS "ownsDomain",
         a.email_verified AND a.email_key = $1 AS "ownsAddress",
         a.state = 'active' AND o.state = 'active' AS active, p.hash,
         a.token_epoch AS "userEpoch", o.token_epoch AS "organizationEpoch",
         t.user_id IS NOT NULL OR (passkeys.force_mfa AND k.has_one) AS "secondFactorRequired",
         t.user_id IS NULL AND passkeys.force_mfa AND NOT k.has_one AS "secondFactorEnrolmentRequired",
         coalesce(p.change_required, false) AS "passwordChangeRequired", r.secret AS "trustSecret",
         coalesce(login.document ->> 'allowUsernamePassword' <> 'false', true) AS "passwordAllowed",
         l.max_password_attempts AS "maxPasswordAttempts"
    FROM candidate c
    JOIN directory.account a USING (user_id)
    JOIN directory.organization o USING (organization_id)
    JOIN directory_read.organization_v1 l USING (organization_id)
    LEFT JOIN directory.account_password p USING (user_id)
    LEFT JOIN directory.account_totp t USING (user_id)
    LEFT JOIN directory.browser_trust r USING (user_id)
    JOIN directory_read.passkey_policy_v1 passkeys USING (organization_id)
    CROSS JOIN LATERAL (SELECT ${hasAnyPasskey('a.user_id')} AS has_one) k
    LEFT JOIN directory.organization_policy login
           ON login.organization_id = a.organization_id AND login.kind = 'login'`
