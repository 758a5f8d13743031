import type { Queryable } from '@signet/platform/postgres/pool'
import type { MailSecret, PresentedSecret } from './mail-secret.ts'
import type { AskedBy, Recipient } from './queued-message.ts'

/** The purposes of links. */
export type MailPurpose = 'password_reset' | 'email_verification' | 'invitation' | 'email_change'

interface NewToken {
  readonly delivery: { readonly day: number; readonly id: string }
  readonly purpose: MailPurpose
  readonly recipient: Pick<Recipient, 'userId' | 'emailKey' | 'userEpoch'>
  /** The address that the token proves, of a change of the address. */
  readonly newEmail?: { readonly address: string; readonly key: string }
  readonly secret: MailSecret
  readonly expiresAt: Date
  /** Absent: the message has no code. */
  readonly codeExpiresAt?: Date | undefined
}

/** The account that a valid token belongs to. */
export interface TokenHolder {
  readonly day: number
  readonly deliveryId: string
  readonly userId: string
  readonly organizationId: string
  readonly email: string | null
  readonly emailKey: string | null
  readonly emailVerified: boolean
  /** The address that a change would set; null for other purposes. */
  readonly newEmail: string | null
  readonly loginName: string
  readonly organizationName: string
  /** Requester as in NewMessage; null: the person. */
  readonly askedBy: AskedBy | null
  readonly application: string | null
  /** The client id of that application. */
  readonly clientId: string | null
  /** The name of the account whose call asked for the message. */
  readonly inviter: string | null
  /** The login policy lets people sign in with a password. */
  readonly allowsPassword: boolean
}

/** A stored token. `refusal` says why it is not valid, for the audit log; null: it is. */
export interface FoundToken extends TokenHolder {
  readonly refusal:
    | 'other_purpose'
    | 'spent'
    | 'expired'
    | 'account_not_active'
    | 'account_changed'
    | 'password_sign_in_not_allowed'
    | null
}

export class MailTokenStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  /** Stores the token of a delivery. A later try of the same delivery renews its expiry unless it is spent. */
  async issue({
    delivery,
    purpose,
    recipient,
    newEmail,
    secret,
    expiresAt,
    codeExpiresAt,
  }: NewToken): Promise<void> {
    await this.#database.query({
      name: 'mail_token.issue', // primary key
      text: `INSERT INTO directory.mail_token (day, delivery_id, purpose, user_id, token_hash, code_hash, email_key,
                                               user_epoch, expires_at, code_expires_at, new_email, new_email_key)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
                 ON CONFLICT (day, delivery_id) DO UPDATE
                SET token_hash = excluded.token_hash, code_hash = excluded.code_hash,
                    expires_at = excluded.expires_at, code_expires_at = excluded.code_expires_at
              WHERE mail_token.spent_at IS NULL`,
      values: [
        delivery.day,
        delivery.id,
        purpose,
        recipient.userId,
        secret.tokenHash,
        codeExpiresAt === undefined ? null : secret.codeHash,
        recipient.emailKey,
        recipient.userEpoch,
        expiresAt,
        codeExpiresAt ?? null,
        newEmail?.address ?? null,
        newEmail?.key ?? null,
      ],
    })
  }

  /**
   * The token, valid when it has this purpose, or proves an address where a password is reset, is neither spent nor expired, and the account is active and has the same
   * e-mail address and epoch (so the same password) as when the message was sent; one that sets a password also needs a
   * login policy that allows passwords. In a transaction, with `lock`, of parallel calls for one token each waits for the
   * one before.
   */
  async find(
    { isCode, hashes }: PresentedSecret,
    purpose: MailPurpose,
    at: Date,
    lock?: 'lock',
  ): Promise<FoundToken | undefined> {
    const { rows } = await this.#database.query<FoundToken>({
      name: `mail_token.find_${isCode ? 'code' : 'token'}${lock === undefined ? '' : '_locked'}`, // unique keys
      text: `SELECT t.day, t.delivery_id AS "deliveryId", t.user_id AS "userId",
                    a.organization_id AS "organizationId", a.email_verified AS "emailVerified",
                    a.email, a.email_key AS "emailKey", t.new_email AS "newEmail",
                    a.user_name || '@' || o.primary_domain AS "loginName", o.name AS "organizationName",
                    d.asked_by AS "askedBy", d.application, d.client_id AS "clientId",
                    (SELECT i.display_name FROM directory.account i WHERE i.user_id = d.asked_by_user) AS inviter, r.allows_password AS "allowsPassword",
                    CASE WHEN t.purpose <> $2 AND NOT (t.purpose = 'email_verification' AND $2 = 'password_reset') THEN 'other_purpose'
                         WHEN t.spent_at IS NOT NULL THEN 'spent'
                         WHEN ${isCode ? 't.code_expires_at' : 't.expires_at'} <= $3 THEN 'expired'
                         WHEN a.state <> 'active' OR o.state <> 'active' THEN 'account_not_active'
                         WHEN coalesce(a.email_key, '') <> t.email_key OR a.token_epoch <> t.user_epoch THEN 'account_changed'
                         WHEN t.purpose IN ('password_reset', 'invitation') AND NOT r.allows_password THEN 'password_sign_in_not_allowed'
                     END AS refusal
               FROM directory.mail_token t
               JOIN directory.account a USING (user_id)
               JOIN directory.organization o USING (organization_id)
               JOIN directory_read.password_reset_v1 r USING (organization_id)
               LEFT JOIN directory.mail_delivery d ON d.day = t.day AND d.delivery_id = t.delivery_id
              WHERE ${isCode ? 't.code_hash' : 't.token_hash'} = ANY ($1)
              ${lock === undefined ? '' : 'FOR UPDATE OF t, a'}`,
      values: [hashes, purpose, at],
    })
    return rows[0]
  }

  async spend({ day, deliveryId }: TokenHolder, at: Date): Promise<void> {
    await this.#database.query({
      name: 'mail_token.spend', // primary key
      text: 'UPDATE directory.mail_token SET spent_at = $3 WHERE day = $1 AND delivery_id = $2',
      values: [day, deliveryId, at],
    })
  }

  /** Gives the account the address that the token proves, verified. */
  async setNewEmail({ day, deliveryId, userId }: TokenHolder, at: Date): Promise<void> {
    await this.#database.query({
      name: 'account.set_proven_email', // primary keys
      text: `UPDATE directory.account a SET email = t.new_email, email_key = t.new_email_key, email_verified = true, updated_at = $4
               FROM directory.mail_token t
              WHERE t.day = $1 AND t.delivery_id = $2 AND t.purpose = 'email_change' AND a.user_id = t.user_id AND a.user_id = $3`,
      values: [day, deliveryId, userId, at],
    })
  }

  /** The person has proved the address that the token was sent to. */
  async setEmailVerified(userId: string, at: Date): Promise<void> {
    await this.#database.query({
      name: 'account.email_verified', // primary key
      text: `UPDATE directory.account SET email_verified = true, updated_at = $2
              WHERE user_id = $1 AND NOT email_verified`,
      values: [userId, at],
    })
  }
}
