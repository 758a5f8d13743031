import type { Queryable } from '@signet/platform/postgres/pool'
import { readPage } from '../database/row-statement.ts'
import type { Page, PageRequest } from '../schema/paging.ts'
import type { RegistrationPolicy } from './registration-policy.ts'

/** An initial access token (RFC 7591 section 3) without its value. */
export interface RegistrationToken extends RegistrationPolicy {
  readonly id: string
  /** Most clients at once. */
  readonly mostClients: number
  /** A client that no person uses for so many days is deleted. */
  readonly unusedDays: number
  readonly createdAt: Date
  readonly expiresAt: Date
  /** Clients that it registered and that were not deleted. */
  readonly clients: number
}

/** A token and where its clients belong. */
export interface UsableToken extends RegistrationToken {
  readonly projectId: string
  readonly organizationId: string
  readonly organizationIsActive: boolean
}

const MEMBERS = `t.token_id AS id, t.redirect_hosts AS "redirectHosts", t.loopback_redirects AS "loopbackRedirects",
                 t.grant_types AS "grantTypes", t.auth_methods AS "authMethods", t.most_clients AS "mostClients",
                 t.unused_days AS "unusedDays", t.created_at AS "createdAt", t.expires_at AS "expiresAt",
                 (SELECT count(*)::integer FROM directory.client_registration r WHERE r.token_id = t.token_id) AS clients`
const USABLE = `SELECT ${MEMBERS}, t.project_id AS "projectId", p.organization_id AS "organizationId",
                       o.state = 'active' AS "organizationIsActive"
                  FROM directory.registration_token t JOIN directory.project p USING (project_id)
                  JOIN directory.organization o USING (organization_id)`

export class RegistrationTokenStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  list(projectId: string, request: PageRequest): Promise<Page<RegistrationToken>> {
    return readPage<RegistrationToken>(this.#database, {
      name: 'registration_token.list', // registration_token_project, client_registration_token
      select: `SELECT ${MEMBERS} FROM directory.registration_token t`,
      key: 'token_id',
      keyMember: 'id',
      filters: { project_id: projectId },
      request,
    })
  }

  async add(projectId: string, token: Omit<RegistrationToken, 'clients'>, hash: Buffer): Promise<void> {
    const { id, redirectHosts, loopbackRedirects, grantTypes, authMethods, mostClients } = token
    await this.#database.query({
      name: 'registration_token.add',
      text: `INSERT INTO directory.registration_token
               (token_id, project_id, token_hash, redirect_hosts, loopback_redirects, grant_types, auth_methods, most_clients,
                unused_days, created_at, expires_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
      values: [
        ...[id, projectId, hash, redirectHosts, loopbackRedirects, grantTypes, authMethods, mostClients],
        ...[token.unusedDays, token.createdAt, token.expiresAt],
      ],
    })
  }

  /** Whether there was one. */
  async delete(projectId: string, tokenId: string): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      name: 'registration_token.delete', // primary key, client_registration_token
      text: 'DELETE FROM directory.registration_token WHERE project_id = $1 AND token_id = $2',
      values: [projectId, tokenId],
    })
    return rowCount === 1
  }

  async findByHash(hash: Buffer): Promise<UsableToken | undefined> {
    const { rows } = await this.#database.query<UsableToken>({
      name: 'registration_token.by_hash', // registration_token_token_hash_key
      text: `${USABLE} WHERE t.token_hash = $1`,
      values: [hash],
    })
    return rows[0]
  }

  /** Returns the token as it is when no other transaction holds it, and keeps it so until this one ends. */
  async hold(tokenId: string): Promise<UsableToken | undefined> {
    await this.#database.query({
      name: 'registration_token.hold', // primary key
      text: 'SELECT FROM directory.registration_token WHERE token_id = $1 FOR UPDATE',
      values: [tokenId],
    })
    // In a second statement, whose snapshot has what the transactions before it registered.
    const { rows } = await this.#database.query<UsableToken>({
      name: 'registration_token.held', // primary key, client_registration_token
      text: `${USABLE} WHERE t.token_id = $1`,
      values: [tokenId],
    })
    return rows[0]
  }
}
