import type { Queryable } from '@signet/platform/postgres/pool'
import type { ReachingRole } from '@signet/protocol/role-reach'
import type { Page, PageRequest } from '../schema/paging.ts'
import type { Administered, Member } from './member.ts'

interface NewMember extends Pick<Member, 'userId' | 'roles'> {
  /** Whether roles that are new count at once. */
  readonly accepted: boolean
}

interface CountingRow {
  readonly role: string
  readonly objectId: string | null
  readonly organizationId: string | null
}

/** The rows of a scope, whose id is $1. */
const AT = {
  instance: "level = 'instance' AND $1::text IS NULL",
  organization: 'organization_id = $1',
  project: 'project_id = $1',
} as const

const SELECT = `SELECT user_id AS "userId", array_agg(role ORDER BY role) AS roles,
                       coalesce(array_agg(role ORDER BY role) FILTER (WHERE NOT accepted), '{}') AS "pendingRoles"
                  FROM directory.member`

const idOf = (scope: Administered) => (scope.level === 'instance' ? null : scope.id)

export class MemberStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  async find(scope: Administered, userId: string): Promise<Member | undefined> {
    const { rows } = await this.#database.query<Member>({
      name: `member.find.${scope.level}`, // member_once
      text: `${SELECT} WHERE ${AT[scope.level]} AND user_id = $2 GROUP BY user_id`,
      values: [idOf(scope), userId],
    })
    return rows[0]
  }

  /** Ordered by the id of the account. */
  async list(scope: Administered, { cursor, limit }: PageRequest): Promise<Page<Member>> {
    const { rows } = await this.#database.query<Member>({
      name: `member.list.${scope.level}`, // member_instance, member_organization or member_project
      text: `${SELECT} WHERE ${AT[scope.level]} AND user_id > $2 GROUP BY user_id ORDER BY user_id LIMIT $3`,
      // No id is empty.
      values: [idOf(scope), cursor ?? '', limit + 1],
    })
    if (rows.length <= limit) return { items: rows }
    const items = rows.slice(0, limit)
    return { items, nextCursor: items.at(-1)?.userId }
  }

  /** The roles of an account that count, anywhere. */
  async counting(userId: string): Promise<readonly ReachingRole[]> {
    const { rows } = await this.#database.query<CountingRow>({
      name: 'member.counting', // member_once, then primary keys
      text: `SELECT role, object_id AS "objectId", organization_id AS "organizationId"
               FROM directory_read.member_v1 WHERE user_id = $1`,
      values: [userId],
    })
    return rows.map(({ role, objectId, organizationId }) => ({
      role,
      ...(objectId !== null && { objectId }),
      ...(organizationId !== null && { organizationId }),
    }))
  }

  /** The roles of the instance that accounts of an organization hold. */
  async instanceRolesWithin(organizationId: string): Promise<readonly ReachingRole[]> {
    const { rows } = await this.#database.query<ReachingRole>({
      name: 'member.instance_roles_within', // member_instance, then primary key
      text: `SELECT DISTINCT m.role FROM directory.member m JOIN directory.account a USING (user_id)
              WHERE m.level = 'instance' AND a.organization_id = $1`,
      values: [organizationId],
    })
    return rows
  }

  /** Exactly these roles; none: the account is no member any more. */
  async set(scope: Administered, { userId, roles, accepted }: NewMember): Promise<void> {
    await this.#database.query({
      name: `member.remove.${scope.level}`, // member_once
      text: `DELETE FROM directory.member WHERE ${AT[scope.level]} AND user_id = $2 AND role <> ALL ($3::text[])`,
      values: [idOf(scope), userId, roles],
    })
    await this.#database.query({
      name: 'member.add',
      text: `INSERT INTO directory.member (level, organization_id, project_id, user_id, role, accepted)
             SELECT $1, CASE $1 WHEN 'organization' THEN $2::text END, CASE $1 WHEN 'project' THEN $2::text END,
                    $3::text, role, $5
               FROM unnest($4::text[]) AS role ON CONFLICT DO NOTHING`,
      values: [scope.level, idOf(scope), userId, roles, accepted],
    })
  }
}
