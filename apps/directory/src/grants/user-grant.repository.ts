import type { Queryable } from '@signet/platform/postgres/pool'
import { readPage } from '../database/row-statement.ts'
import type { Page, PageRequest } from '../schema/paging.ts'

/** The roles of a user in a project. */
export interface UserGrant {
  readonly id: string
  readonly projectId: string
  readonly userId: string
  readonly roles: readonly string[]
  readonly createdAt: Date
}

type GrantOfUser = Pick<UserGrant, 'userId' | 'projectId'>

const SELECT = `SELECT g.user_grant_id AS id, g.project_id AS "projectId", g.user_id AS "userId",
                       g.created_at AS "createdAt",
                       ARRAY(SELECT r.role_key FROM directory.user_grant_role r
                              WHERE r.user_id = g.user_id AND r.project_id = g.project_id
                              ORDER BY r.role_key) AS roles
                  FROM directory.user_grant g`

export class UserGrantStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  async find(projectId: string, id: string): Promise<UserGrant | undefined> {
    const { rows } = await this.#database.query<UserGrant>({
      name: 'user_grant.find', // user_grant_user_grant_id_key
      text: `${SELECT} WHERE g.project_id = $1 AND g.user_grant_id = $2`,
      values: [projectId, id],
    })
    return rows[0]
  }

  async findOfUser({ projectId, userId }: GrantOfUser): Promise<UserGrant | undefined> {
    const { rows } = await this.#database.query<UserGrant>({
      name: 'user_grant.find_of_user', // primary key
      text: `${SELECT} WHERE g.user_id = $1 AND g.project_id = $2`,
      values: [userId, projectId],
    })
    return rows[0]
  }

  list(
    { projectId, userId }: { readonly projectId?: string | undefined; readonly userId?: string | undefined },
    request: PageRequest,
  ): Promise<Page<UserGrant>> {
    return readPage<UserGrant>(this.#database, {
      name: 'user_grant.list', // user_grant_project; the primary key
      select: SELECT,
      key: 'g.user_grant_id',
      keyMember: 'id',
      filters: { 'g.project_id': projectId, 'g.user_id': userId },
      request,
    })
  }

  /** Adds a grant without roles. */
  async add({ id, projectId, userId, createdAt }: Omit<UserGrant, 'roles'>): Promise<void> {
    await this.#database.query({
      name: 'user_grant.add',
      text: `INSERT INTO directory.user_grant (user_grant_id, project_id, user_id, created_at)
             VALUES ($1, $2, $3, $4)`,
      values: [id, projectId, userId, createdAt],
    })
  }

  /** Exactly these. */
  async setRoles({ userId, projectId }: GrantOfUser, roles: readonly string[]): Promise<void> {
    await this.#database.query({
      name: 'user_grant_role.remove_others', // primary key
      text: `DELETE FROM directory.user_grant_role
              WHERE user_id = $1 AND project_id = $2 AND role_key <> ALL ($3::text[])`,
      values: [userId, projectId, roles],
    })
    await this.addRoles({ userId, projectId }, roles)
  }

  /** Adds roles to a grant that exists. */
  async addRoles({ userId, projectId }: GrantOfUser, roles: readonly string[]): Promise<void> {
    await this.#database.query({
      name: 'user_grant_role.add',
      text: `INSERT INTO directory.user_grant_role (user_id, project_id, role_key)
             SELECT $1::text, $2::text, role_key FROM unnest($3::text[]) AS role_key ON CONFLICT DO NOTHING`,
      values: [userId, projectId, roles],
    })
  }

  async removeRoles({ userId, projectId }: GrantOfUser, roles: readonly string[]): Promise<void> {
    await this.#database.query({
      name: 'user_grant_role.remove', // primary key
      text: `DELETE FROM directory.user_grant_role
              WHERE user_id = $1 AND project_id = $2 AND role_key = ANY ($3::text[])`,
      values: [userId, projectId, roles],
    })
  }

  async delete(projectId: string, id: string): Promise<void> {
    await this.#database.query({
      name: 'user_grant.delete', // user_grant_user_grant_id_key
      text: 'DELETE FROM directory.user_grant WHERE project_id = $1 AND user_grant_id = $2',
      values: [projectId, id],
    })
  }
}
