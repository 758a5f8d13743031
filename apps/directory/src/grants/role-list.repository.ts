import type { Queryable } from '@signet/platform/postgres/pool'
import { readPage } from '../database/row-statement.ts'
import type { Page, PageRequest } from '../schema/paging.ts'

/** Roles that a user has in one place. */
export interface HeldRoles {
  /** Key of the list. */
  readonly id: string
  readonly source: 'user_grant' | 'instance_member' | 'organization_member' | 'project_member'
  readonly roles: readonly string[]
  /** Roles that wait for the acceptance of the user. */
  readonly pendingRoles: readonly string[]
  readonly organizationId: string | null
  readonly organizationName: string | null
  readonly projectId: string | null
  readonly projectName: string | null
  readonly userGrantId: string | null
}

/** A user with roles in the project of an application. */
export interface RoleHolder {
  readonly userId: string
  readonly organizationId: string
  readonly state: string
  readonly roles: readonly string[]
  readonly userGrantId: string
  readonly userName: string
  readonly displayName: string
}

export class RoleListStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  /**
   * The roles of a user: those in projects, and those as administrator in the instance and all organizations, or only in one and
   * its projects. Administrator roles come first.
   */
  ofUser(
    { userId, administersIn }: { readonly userId: string; readonly administersIn: string | undefined },
    request: PageRequest,
  ): Promise<Page<HeldRoles>> {
    return readPage<HeldRoles>(this.#database, {
      // member_once, user_grant_pkey; primary keys of projects and organizations
      name: 'user.roles',
      select: `SELECT id, source, roles, "pendingRoles", "organizationId", "organizationName", "projectId", "projectName", "userGrantId"
                 FROM (SELECT m.user_id, '0 ' || m.level || ' ' || coalesce(m.organization_id, m.project_id, '') AS id,
                              m.level || '_member' AS source, array_agg(m.role ORDER BY m.role) AS roles,
                              coalesce(array_agg(m.role ORDER BY m.role) FILTER (WHERE NOT m.accepted), '{}') AS "pendingRoles",
                              o.organization_id AS "organizationId", o.name AS "organizationName",
                              p.project_id AS "projectId", p.name AS "projectName", NULL AS "userGrantId"
                         FROM directory.member m
                         LEFT JOIN directory.project p ON p.project_id = m.project_id
                         LEFT JOIN directory.organization o
                                ON o.organization_id = coalesce(m.organization_id, p.organization_id)
                        GROUP BY m.user_id, m.level, m.organization_id, m.project_id, o.organization_id, p.project_id
                        UNION ALL
                       SELECT g.user_id, '1 ' || g.user_grant_id, 'user_grant',
                              ARRAY(SELECT r.role_key FROM directory.user_grant_role r
                                     WHERE r.user_id = g.user_id AND r.project_id = g.project_id ORDER BY r.role_key),
                              '{}', o.organization_id, o.name, p.project_id, p.name, g.user_grant_id
                         FROM directory.user_grant g
                         JOIN directory.project p USING (project_id)
                         JOIN directory.organization o USING (organization_id)) held`,
      key: 'id',
      keyMember: 'id',
      filters: { user_id: userId },
      conditions: {
        administers_in: {
          text: (place) => `(source = 'user_grant' OR "organizationId" = ${place})`,
          values: administersIn === undefined ? undefined : [administersIn],
        },
      },
      request,
    })
  }

  /** The users with roles in the project of an application. */
  ofApplication(applicationId: string, request: PageRequest): Promise<Page<RoleHolder>> {
    return readPage<RoleHolder>(this.#database, {
      // primary key of application, user_grant_project, primary key of account
      name: 'application.access',
      select: `SELECT a.user_id AS "userId", a.organization_id AS "organizationId", a.state, a.user_name AS "userName",
                      a.display_name AS "displayName", g.user_grant_id AS "userGrantId",
                      ARRAY(SELECT r.role_key FROM directory.user_grant_role r
                             WHERE r.user_id = g.user_id AND r.project_id = g.project_id ORDER BY r.role_key) AS roles
                 FROM directory.application ap
                 JOIN directory.user_grant g USING (project_id)
                 JOIN directory.account a USING (user_id)`,
      key: 'a.user_id',
      keyMember: 'userId',
      filters: { 'ap.application_id': applicationId },
      request,
    })
  }
}
