import type { AuditEvent } from '@signet/admin-api/audit/audit-table'
import type { Database, Queryable } from '@signet/platform/postgres/pool'
import { auditTable } from '../audit/audit-table.ts'

/** Roles that another organization gave to an account and that do not count yet. */
export interface OfferedRoles {
  /** The organization that gives the roles. */
  readonly organizationId: string
  readonly organizationName: string
  /** Absent where the roles are for the organization itself. */
  readonly projectId?: string | undefined
  readonly projectName?: string | undefined
  readonly roles: readonly string[]
}

export interface AnswerToOffer {
  readonly userId: string
  /** The organization or the project that the roles are for. */
  readonly objectId: string
  readonly roles: readonly string[]
  readonly accepted: boolean
}

interface OfferedRow {
  readonly organizationId: string
  readonly organizationName: string
  readonly projectId: string | null
  readonly projectName: string | null
  readonly roles: readonly string[]
}

export class OfferedRoleStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  /** Ordered by organization and project. */
  async list(userId: string): Promise<readonly OfferedRoles[]> {
    const { rows } = await this.#database.query<OfferedRow>({
      name: 'offered_role.list', // member_once, then primary keys
      text: `SELECT o.organization_id AS "organizationId", o.name AS "organizationName",
                    p.project_id AS "projectId", p.name AS "projectName", array_agg(m.role ORDER BY m.role) AS roles
               FROM directory.member m
               JOIN directory.account a USING (user_id)
               LEFT JOIN directory.project p ON p.project_id = m.project_id
               JOIN directory.organization o ON o.organization_id = coalesce(m.organization_id, p.organization_id)
              WHERE m.user_id = $1 AND NOT m.accepted AND o.organization_id <> a.organization_id
              GROUP BY o.organization_id, p.project_id
              ORDER BY o.organization_id COLLATE "C", p.project_id COLLATE "C" NULLS FIRST`,
      values: [userId],
    })
    return rows.map(({ projectId, projectName, ...row }) => ({
      ...row,
      ...(projectId !== null && projectName !== null && { projectId, projectName }),
    }))
  }

  /** Records the answer and returns the roles that were still offered, in any order. */
  async answer({ userId, objectId, roles, accepted }: AnswerToOffer): Promise<readonly string[]> {
    const changed = accepted ? 'UPDATE directory.member SET accepted = true' : 'DELETE FROM directory.member'
    const { rows } = await this.#database.query<{ role: string }>({
      name: accepted ? 'offered_role.accept' : 'offered_role.refuse', // member_once
      text: `${changed} WHERE user_id = $1 AND NOT accepted AND coalesce(organization_id, project_id) = $2
                AND role = ANY ($3::text[]) RETURNING role`,
      values: [userId, objectId, roles],
    })
    return rows.map(({ role }) => role)
  }
}

/** The same for a person who answers for himself or herself: with the event, in a transaction of its own. */
export class OwnAnswerStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  list(userId: string): Promise<readonly OfferedRoles[]> {
    return new OfferedRoleStore(this.#database).list(userId)
  }

  answer(answer: AnswerToOffer, event: AuditEvent): Promise<void> {
    const { userId, objectId } = answer
    return this.#database.transaction(async (tx) => {
      const store = new OfferedRoleStore(tx)
      const place = (await store.list(userId)).find(
        ({ organizationId, projectId }) => (projectId ?? organizationId) === objectId,
      )
      const roles = await store.answer(answer)
      if (place === undefined || roles.length === 0) return
      const { organizationId, projectId } = place
      const details = { roles, ...(projectId !== undefined && { project_id: projectId }) }
      await auditTable.record(tx, { ...event, organizationId, details })
    })
  }
}
