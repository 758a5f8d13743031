import type { Queryable } from '@signet/platform/postgres/pool'
import {
  contextClient,
  LOGIN_NAME_RINGS,
  LOGIN_NAME_STEPS,
  type LoginName,
  type LoginNameCandidate,
  type SignInContext,
} from '../accounts/login-name.ts'
import { hasAnyPasskey } from '../accounts/second-factor.repository.ts'

export interface CredentialCandidate extends LoginNameCandidate {
  readonly organizationId: string
  /** The account and its organization are active. */
  readonly active: boolean
  /** Null when the account has no password. */
  readonly hash: string | null
  readonly userEpoch: number
  readonly organizationEpoch: number
  /** The login policy demands a second factor. */
  readonly forceMfa: boolean
  readonly totp: boolean
  /** A passkey, also one that does not count. */
  readonly anyPasskey: boolean
  readonly passwordChangeRequired: boolean
  /** The secret of the trusted browsers of the account; null if there are none. */
  readonly trustSecret: Buffer | null
  /** The login policy lets people sign in with a password. */
  readonly passwordAllowed: boolean
  /** Failed passwords before the next attempt is throttled; 0 is no limit. */
  readonly maxPasswordAttempts: number
  /** Roles may wait for an answer of the person. */
  readonly rolesOffered: boolean
}

const DEFAULT_LIMIT = 5

export class CredentialStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  /** The people that a login name may mean in this context: at most ten for each ring and step. */
  async candidates(
    { userNames, userParts, domains, addresses }: LoginName,
    context: SignInContext,
  ): Promise<readonly CredentialCandidate[]> {
    const { rows } = await this.#database.query<CredentialCandidate>({
      name: 'credential.candidates',
      text: CANDIDATES,
      values: [
        userNames,
        userParts,
        domains,
        context.organizationId ?? null,
        addresses,
        contextClient(context),
      ],
    })
    return rows
  }

  /** The limit for a login name without an account: that of the organization that the name could belong to. */
  async attemptLimit({ domains }: LoginName, context: SignInContext): Promise<number> {
    const { rows } = await this.#database.query<{ limit: number }>({
      name: 'credential.attempt_limit', // primary keys, application_client_id_key, organization_domain_verified
      text: `SELECT max_password_attempts AS "limit" FROM directory.effective_policy_v1
              WHERE organization_id = coalesce(
                $1::text,
                (SELECT organization_id FROM directory.organization_domain
                  WHERE is_verified AND domain = ANY ($2::text[]) LIMIT 1),
                (SELECT p.organization_id FROM directory.application a JOIN directory.project p USING (project_id)
                  WHERE a.client_id = $3),
                (SELECT default_organization_id FROM directory_read.setting_v1))`,
      values: [context.organizationId ?? null, domains, contextClient(context)],
    })
    return rows[0]?.limit ?? DEFAULT_LIMIT
  }

  /** Replaces the hash of an unchanged password; does nothing when the password changed meanwhile. */
  async replaceHash(userId: string, hash: string, newHash: string): Promise<void> {
    await this.#database.query({
      name: 'credential.replace_hash', // primary key
      text: 'UPDATE directory.account_password SET hash = $3 WHERE user_id = $1 AND hash = $2',
      values: [userId, hash, newHash],
    })
  }
}

const EMAIL_IS_LOGIN_NAME = `(SELECT p.email_is_login_name FROM directory.effective_policy_v1 p
                         WHERE p.organization_id = a.organization_id)`

/** The step of a claim by a user name; the typed spelling, the last of the keys, goes before the folded one. */
const named = (step: number, keys: string) =>
  `${step} + (a.user_name_key <> (${keys})[cardinality(${keys})])::integer`

const { named: NAMED, application: APPLICATION, granted: GRANTED, instance: INSTANCE } = LOGIN_NAME_RINGS
const { verifiedDomain, verifiedEmail, userName } = LOGIN_NAME_STEPS

const HAS_NAME = "a.user_name_key = ANY ($1) AND a.kind = 'human'"
const HAS_ADDRESS = `a.email_verified AND a.email_key = ANY ($5) AND a.kind = 'human' AND ${EMAIL_IS_LOGIN_NAME}`
const IS_GRANTED = `$4::text IS NULL AND EXISTS (
        SELECT FROM application JOIN directory.project_grant g USING (project_id)
         WHERE g.accepted AND g.granted_organization_id = a.organization_id)`

// Indexes: organization_domain_verified, account_user_name, account_global_user_name, account_email, application_client_id_key,
// primary key of project_grant, passkey_of_user, member_once. Named and application are one organization each, so their names are unique.
const CANDIDATES = `
  WITH owner AS (
    SELECT organization_id FROM directory.organization_domain WHERE is_verified AND domain = ANY ($3::text[])
  ), application AS (
    SELECT a.project_id, p.organization_id FROM directory.application a JOIN directory.project p USING (project_id)
     WHERE a.client_id = $6
  ), near AS (
    SELECT ${NAMED} AS ring, $4::text AS organization_id WHERE $4 IS NOT NULL
    UNION ALL
    SELECT ${NAMED}, organization_id FROM owner WHERE $4 IS NULL
    UNION ALL
    SELECT ${APPLICATION}, organization_id FROM application WHERE $4 IS NULL
    UNION ALL
    SELECT ${APPLICATION}, default_organization_id FROM directory_read.setting_v1
     WHERE $4 IS NULL AND NOT EXISTS (SELECT FROM application)
  ), claim AS (
    (SELECT near.ring, ${named(verifiedDomain, '$2::text[]')} AS step, a.user_id
       FROM near JOIN owner USING (organization_id) JOIN directory.account a USING (organization_id)
      WHERE a.user_name_key = ANY ($2) AND a.kind = 'human')
    UNION ALL
    (SELECT near.ring, ${verifiedEmail}, a.user_id FROM near JOIN directory.account a USING (organization_id)
      WHERE ${HAS_ADDRESS} ORDER BY near.ring LIMIT 10)
    UNION ALL
    (SELECT near.ring, ${named(userName, '$1::text[]')}, a.user_id
       FROM near JOIN directory.account a USING (organization_id) WHERE ${HAS_NAME})
    UNION ALL
    (SELECT ${GRANTED}, ${verifiedEmail}, a.user_id FROM directory.account a
      WHERE ${HAS_ADDRESS} AND ${IS_GRANTED} LIMIT 10)
    UNION ALL
    (SELECT ${GRANTED}, ${named(userName, '$1::text[]')} AS step, a.user_id FROM directory.account a
      WHERE ${HAS_NAME} AND ${IS_GRANTED} ORDER BY step LIMIT 10)
    UNION ALL
    (SELECT ${INSTANCE}, ${verifiedEmail}, a.user_id FROM directory.account a
      WHERE ${HAS_ADDRESS} AND $4::text IS NULL LIMIT 10)
    UNION ALL
    (SELECT ${INSTANCE}, ${named(userName, '$1::text[]')}, a.user_id FROM directory.account a
      WHERE ${HAS_NAME} AND a.user_name_is_global AND $4::text IS NULL)
  ), candidate AS (
    SELECT user_id, min(ring * 10 + step) AS rank FROM claim GROUP BY user_id
  )
  SELECT c.rank, a.user_id AS "userId", a.organization_id AS "organizationId",
         a.state = 'active' AND o.state = 'active' AS active, p.hash,
         a.token_epoch AS "userEpoch", o.token_epoch AS "organizationEpoch",
         policy.force_mfa AS "forceMfa", t.user_id IS NOT NULL AS totp, ${hasAnyPasskey('a.user_id')} AS "anyPasskey",
         coalesce(p.change_required, false) AS "passwordChangeRequired", r.secret AS "trustSecret",
         policy.allows_password AS "passwordAllowed", policy.max_password_attempts AS "maxPasswordAttempts",
         EXISTS (SELECT FROM directory.member m WHERE m.user_id = a.user_id AND NOT m.accepted) AS "rolesOffered"
    FROM candidate c
    JOIN directory.account a USING (user_id)
    JOIN directory.organization o USING (organization_id)
    JOIN directory.effective_policy_v1 policy USING (organization_id)
    LEFT JOIN directory.account_password p USING (user_id)
    LEFT JOIN directory.account_totp t USING (user_id)
    LEFT JOIN directory.browser_trust r USING (user_id)`
