import { ADVISORY_LOCKS } from '@signet/platform/postgres/advisory-locks'
import type { Queryable } from '@signet/platform/postgres/pool'
import type { RoleMapping } from '@signet/protocol/fields/identity-provider'
import type { Email, Profile } from '../accounts/account.ts'
import { hasAnyPasskey } from '../accounts/second-factor.repository.ts'
import { LIVE_SESSION, type OwnSession } from '../own-account/own-account.repository.ts'
import { IdentityProviderStore } from './identity-provider.repository.ts'
import type { IdentityLink, StoredProvider } from './identity-provider.ts'

/** An identity at a provider. */
export type Identity = Pick<IdentityLink, 'providerId' | 'issuer' | 'subject'>

/** An account with the link that found it. */
export interface LinkedAccount {
  readonly linkId: string
  readonly userId: string
  readonly organizationId: string
  /** A person in the organization of the provider, active as the organization is. */
  readonly active: boolean
  readonly userEpoch: number
  readonly organizationEpoch: number
  readonly forceMfaOfProviders: boolean
  readonly totp: boolean
  /** A passkey, also one that does not count. */
  readonly anyPasskey: boolean
  readonly trustSecret: Buffer | null
  readonly rolesOffered: boolean
  readonly profile: Profile
  readonly email: Email | null
}

/** A role of a mapping that exists, and whether the person has it. */
export interface MappedRole {
  readonly projectId: string
  readonly role: string
  readonly isHeld: boolean
}

/** The rows that a sign-in by a provider reads and locks, in one transaction. */
export class UpstreamAccountStore {
  readonly #tx: Queryable

  constructor(tx: Queryable) {
    this.#tx = tx
  }

  /**
   * The provider, if people may sign in by it; it is neither changed nor deleted until the transaction ends. Transactions lock the
   * provider before accounts.
   */
  async lockUsable(providerId: string): Promise<StoredProvider | undefined> {
    const locked = this.#tx.query({
      name: 'upstream.lock_provider', // primary key
      text: 'SELECT FROM directory.identity_provider WHERE provider_id = $1 FOR SHARE',
      values: [providerId],
    })
    // A statement of its own in the same round trip: it reads what was committed while the lock waited.
    const found = new IdentityProviderStore(this.#tx).findWithUse(providerId)
    const [, provider] = await Promise.all([locked, found])
    return provider?.usable === true ? provider : undefined
  }

  /** Waits until no other transaction makes an account for the identity, and keeps others waiting until this one ends. */
  async lockIdentity({ providerId, issuer, subject }: Identity): Promise<void> {
    await this.#tx.query({
      name: 'upstream.lock_identity',
      text: `SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.upstreamIdentity}, hashtext($1))`,
      values: [JSON.stringify([providerId, issuer, subject])],
    })
  }

  /** The account of an identity, which no other transaction changes until this one ends. */
  async lockAccount({ providerId, issuer, subject }: Identity): Promise<LinkedAccount | undefined> {
    const identity = [providerId, issuer, subject]
    const locked = this.#tx.query({
      name: 'upstream.lock_account', // identity_link_identity, primary key
      text: `SELECT FROM directory.account
              WHERE user_id = (SELECT user_id FROM directory.identity_link
                                WHERE provider_id = $1 AND issuer = $2 AND subject = $3) FOR NO KEY UPDATE`,
      values: identity,
    })
    // A statement of its own in the same round trip: the link and the factors may have changed while the lock waited.
    const read = this.#tx.query<LinkedAccount>({
      name: 'upstream.read_account', // identity_link_identity, primary keys, passkey_of_user, member_once
      text: `SELECT l.link_id AS "linkId", a.user_id AS "userId", a.organization_id AS "organizationId",
                    a.kind = 'human' AND a.state = 'active' AND o.state = 'active'
                      AND a.organization_id = i.organization_id AS active,
                    a.token_epoch AS "userEpoch", o.token_epoch AS "organizationEpoch",
                    p.force_mfa_of_providers AS "forceMfaOfProviders", t.user_id IS NOT NULL AS totp,
                    ${hasAnyPasskey('a.user_id')} AS "anyPasskey", r.secret AS "trustSecret",
                    EXISTS (SELECT FROM directory.member m WHERE m.user_id = a.user_id AND NOT m.accepted) AS "rolesOffered",
                    jsonb_strip_nulls(jsonb_build_object('givenName', a.given_name, 'familyName', a.family_name,
                      'nickName', a.nickname, 'displayName', a.display_name,
                      'preferredLanguage', a.preferred_language)) AS profile,
                    CASE WHEN a.email IS NOT NULL
                         THEN jsonb_build_object('address', a.email, 'verified', a.email_verified) END AS email
               FROM directory.identity_link l
               JOIN directory.identity_provider i USING (provider_id)
               JOIN directory.account a USING (user_id)
               JOIN directory.organization o ON o.organization_id = a.organization_id
               JOIN directory.effective_policy_v1 p ON p.organization_id = a.organization_id
               LEFT JOIN directory.account_totp t USING (user_id)
               LEFT JOIN directory.browser_trust r USING (user_id)
              WHERE l.provider_id = $1 AND l.issuer = $2 AND l.subject = $3
                FOR NO KEY UPDATE OF a`,
      values: identity,
    })
    const [, { rows }] = await Promise.all([locked, read])
    return rows[0]
  }

  /** The organization of a person whose session has not ended, with the account locked; undefined: it has. */
  async lockLive({ userId, userEpoch, organizationEpoch }: OwnSession): Promise<string | undefined> {
    const { rows } = await this.#tx.query<{ organizationId: string }>({
      name: 'upstream.lock_live_person', // primary keys
      text: `${LIVE_SESSION} FOR NO KEY UPDATE OF a`,
      values: [userId, userEpoch, organizationEpoch],
    })
    return rows[0]?.organizationId
  }

  /** The roles of mappings that projects of the organization have, and whether the person has them. */
  async mappedRoles(
    { userId, organizationId }: Pick<LinkedAccount, 'userId' | 'organizationId'>,
    mappings: readonly RoleMapping[],
  ): Promise<readonly MappedRole[]> {
    const { rows } = await this.#tx.query<MappedRole>({
      name: 'upstream.mapped_roles', // primary keys
      text: `SELECT DISTINCT k.project_id AS "projectId", k.role_key AS role, r.role_key IS NOT NULL AS "isHeld"
               FROM jsonb_to_recordset($3::jsonb) AS m ("projectId" text, roles jsonb)
               JOIN directory.project p ON p.project_id = m."projectId" AND p.organization_id = $2
               JOIN directory.project_role k ON k.project_id = p.project_id AND m.roles ? k.role_key
               LEFT JOIN directory.user_grant_role r
                      ON r.user_id = $1 AND r.project_id = k.project_id AND r.role_key = k.role_key`,
      values: [userId, organizationId, JSON.stringify(mappings)],
    })
    return rows
  }
}
