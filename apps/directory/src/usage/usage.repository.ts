import type { Queryable } from '@signet/platform/postgres/pool'
import { MOST_COUNTED } from './usage.ts'

/** A count above this did not reach the end. */
const LIMIT = MOST_COUNTED + 1

/** The objects that an organization or a project has; a number above `MOST_COUNTED` means at least so many. */
interface ContainedRow {
  readonly people: number
  readonly projects: number
  readonly applications: number
}

/** Counts the objects that would end with another one. */
export class UsageStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  async ofOrganization(organizationId: string): Promise<ContainedRow> {
    const { rows } = await this.#database.query<ContainedRow>({
      name: 'usage.organization', // account_organization, project_organization, application_project
      text: `SELECT (SELECT count(*)::integer FROM (
                       SELECT FROM directory.account WHERE organization_id = $1 LIMIT ${LIMIT}) a) AS people,
                    (SELECT count(*)::integer FROM (
                       SELECT FROM directory.project WHERE organization_id = $1 LIMIT ${LIMIT}) p) AS projects,
                    (SELECT count(*)::integer FROM (
                       SELECT FROM directory.application JOIN directory.project USING (project_id)
                        WHERE organization_id = $1 LIMIT ${LIMIT}) c) AS applications`,
      values: [organizationId],
    })
    return rows[0] ?? { people: 0, projects: 0, applications: 0 }
  }

  /** The `client_id`s of the applications of a project, and how many people have a role in it. */
  async ofProject(
    projectId: string,
  ): Promise<{ readonly clientIds: readonly string[]; readonly people: number }> {
    const { rows } = await this.#database.query<{ clientIds: string[]; people: number }>({
      name: 'usage.project', // application_project, user_grant_project
      text: `SELECT ARRAY (SELECT client_id::text FROM directory.application WHERE project_id = $1 LIMIT ${LIMIT}) AS "clientIds",
                    (SELECT count(*)::integer FROM (
                       SELECT FROM directory.user_grant WHERE project_id = $1 LIMIT ${LIMIT}) g) AS people`,
      values: [projectId],
    })
    return rows[0] ?? { clientIds: [], people: 0 }
  }
}
