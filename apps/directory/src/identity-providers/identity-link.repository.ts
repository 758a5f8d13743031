import type { Queryable, Statement } from '@signet/platform/postgres/pool'
import { insertRow, readPage } from '../database/row-statement.ts'
import type { Page, PageRequest } from '../schema/paging.ts'
import type { IdentityLink } from './identity-provider.ts'
import { hasWayBeside } from './ways-in.ts'

const COLUMNS = `l.link_id AS id, l.user_id AS "userId", l.provider_id AS "providerId", l.issuer, l.subject,
  l.display_name AS "displayName", l.created_at AS "createdAt", l.last_used_at AS "lastUsedAt"`

/** A link with its provider. */
export interface OwnLink extends IdentityLink {
  readonly providerName: string
  /** People may sign in by the provider now. */
  readonly usable: boolean
}

/** The identities by which people sign in at providers. */
export class IdentityLinkStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  list(userId: string, request: PageRequest): Promise<Page<IdentityLink>> {
    return readPage<IdentityLink>(this.#database, {
      name: 'identity_link.list', // identity_link_user
      select: `SELECT ${COLUMNS} FROM directory.identity_link l`,
      key: 'l.link_id',
      keyMember: 'id',
      filters: { 'l.user_id': userId },
      request,
    })
  }

  /** All links of a person, with the names of their providers. */
  async own(userId: string): Promise<readonly OwnLink[]> {
    const { rows } = await this.#database.query<OwnLink>({
      name: 'identity_link.own', // identity_link_user, primary keys
      text: `SELECT ${COLUMNS}, i.name AS "providerName",
                    EXISTS (SELECT FROM directory_read.identity_provider_v1 v WHERE v.provider_id = i.provider_id) AS usable
               FROM directory.identity_link l JOIN directory.identity_provider i USING (provider_id)
              WHERE l.user_id = $1 ORDER BY l.created_at, l.link_id`,
      values: [userId],
    })
    return rows
  }

  async findIdentity(
    identity: Pick<IdentityLink, 'providerId' | 'issuer' | 'subject'>,
  ): Promise<IdentityLink | undefined> {
    const { rows } = await this.#database.query<IdentityLink>({
      name: 'identity_link.find_identity', // identity_link_identity
      text: `SELECT ${COLUMNS} FROM directory.identity_link l
              WHERE l.provider_id = $1 AND l.issuer = $2 AND l.subject = $3`,
      values: [identity.providerId, identity.issuer, identity.subject],
    })
    return rows[0]
  }

  /** The number of links of an account, to which no other transaction adds one or takes one away until this one ends. */
  async lockAndCount(userId: string): Promise<number> {
    await this.#database.query({
      name: 'identity_link.lock_account', // primary key
      text: 'SELECT FROM directory.account WHERE user_id = $1 FOR NO KEY UPDATE',
      values: [userId],
    })
    const { rows } = await this.#database.query<{ n: number }>({
      name: 'identity_link.count', // identity_link_user
      text: 'SELECT count(*)::int AS n FROM directory.identity_link WHERE user_id = $1',
      values: [userId],
    })
    return rows[0]?.n ?? 0
  }

  async add({ id, userId, providerId, issuer, subject, displayName, createdAt, lastUsedAt }: IdentityLink) {
    await this.#database.query(
      insertRow('identity_link', 'identity_link', {
        ...{ link_id: id, user_id: userId, provider_id: providerId, issuer, subject },
        ...{ display_name: displayName, created_at: createdAt, last_used_at: lastUsedAt },
      }),
    )
  }

  /** Whether it was added: no other account, and not this one, has the identity. */
  async addUnlessLinked(link: IdentityLink): Promise<boolean> {
    const { id, userId, providerId, issuer, subject, displayName, createdAt } = link
    const { rowCount } = await this.#database.query({
      name: 'identity_link.add_unless_linked', // identity_link_identity
      text: `INSERT INTO directory.identity_link (link_id, user_id, provider_id, issuer, subject, display_name, created_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT ON CONSTRAINT identity_link_identity DO NOTHING`,
      values: [id, userId, providerId, issuer, subject, displayName, createdAt],
    })
    return rowCount === 1
  }

  /** The statement that notes a sign-in by a link. */
  use(id: string, displayName: string | null, at: Date): Statement {
    return {
      name: 'identity_link.use', // primary key
      text: `UPDATE directory.identity_link SET last_used_at = $2, display_name = coalesce($3, display_name)
              WHERE link_id = $1`,
      values: [id, at, displayName],
    }
  }

  /** Whether the person can sign in without the link. */
  async hasOtherWay(userId: string, id: string, rpId: string | undefined): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      name: 'identity_link.has_other_way', // primary keys, identity_link_user, passkey_of_user
      text: `SELECT WHERE ${hasWayBeside('$1', '$3', 'o.link_id <> $2')}`,
      values: [userId, id, rpId ?? ''],
    })
    return rowCount === 1
  }

  /** Deletes a link of a person, and returns it if there was one. */
  async delete(userId: string, id: string): Promise<IdentityLink | undefined> {
    const { rows } = await this.#database.query<IdentityLink>({
      name: 'identity_link.delete', // primary key
      text: `DELETE FROM directory.identity_link l WHERE l.link_id = $2 AND l.user_id = $1 RETURNING ${COLUMNS}`,
      values: [userId, id],
    })
    return rows[0]
  }
}
