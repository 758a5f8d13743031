import type { Queryable } from '@signet/platform/postgres/pool'

export interface HeldRole {
  readonly role: string
  /** Absent for roles of the instance; else the organization or project it holds in. */
  readonly objectId?: string
  /** Id of that organization, or of the one that owns the project. */
  readonly organizationId?: string
}

/** A personal access token that may be used now. */
interface LivePersonalToken {
  readonly userId: string
  readonly tokenId: string
  readonly expiresAt: Date | null
  /** Present for a token that is narrowed to some roles of its owner. */
  readonly onlyRoles?: readonly string[]
}

interface RoleRow {
  readonly role: string
  readonly objectId: string | null
  readonly organizationId: string | null
}

/** Reads the views of the directory about bearers of its APIs; nothing is cached between calls. */
export class BearerStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  /** The owner of a personal access token, by its SHA-256, while it may be used. */
  async personalAccessToken(hash: Buffer, now: Date): Promise<LivePersonalToken | undefined> {
    const { rows } = await this.#database.query<LivePersonalToken & { roles: readonly string[] | null }>({
      // unique index on the hash
      name: 'personal_access_token.find',
      text: `SELECT user_id AS "userId", token_id AS "tokenId", expires_at AS "expiresAt", roles
               FROM directory_read.personal_access_token_v1
              WHERE token_hash = $1 AND active AND (expires_at IS NULL OR expires_at > $2)`,
      values: [hash, now],
    })
    const [row] = rows
    if (row === undefined) return undefined
    const { roles, ...token } = row
    return { ...token, ...(roles !== null && { onlyRoles: roles }) }
  }

  async rolesOf(userId: string): Promise<readonly HeldRole[]> {
    const { rows } = await this.#database.query<RoleRow>({
      name: 'member.roles_of', // primary key, by user
      text: `SELECT role, object_id AS "objectId", organization_id AS "organizationId"
               FROM directory_read.member_v1 WHERE user_id = $1 ORDER BY role, object_id`,
      values: [userId],
    })
    return rows.map(({ role, objectId, organizationId }) => ({
      role,
      ...(objectId !== null && { objectId }),
      ...(organizationId !== null && { organizationId }),
    }))
  }
}
