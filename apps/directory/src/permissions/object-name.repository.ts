import type { Queryable } from '@signet/platform/postgres/pool'
import type { IdsOfKinds, NamedKind, SeenOfKinds, ShownName } from './object-name.ts'
import type { SeenObjects } from './seen-objects.ts'

interface NameRow extends Pick<ShownName, 'name'> {
  readonly kind: NamedKind
  readonly id: string
  readonly displayName: string | null
}

const NAMES = `
  SELECT 'user' AS kind, user_id AS id, user_name AS name, display_name AS "displayName"
    FROM directory.account
   WHERE user_id = ANY ($1::text[]) AND ($5::text[] IS NULL OR organization_id = ANY ($5))
   UNION ALL
  SELECT 'organization', organization_id, name, NULL
    FROM directory.organization
   WHERE organization_id = ANY ($2::text[]) AND ($6::text[] IS NULL OR organization_id = ANY ($6))
   UNION ALL
  SELECT 'project', project_id, name, NULL
    FROM directory.project
   WHERE project_id = ANY ($3::text[])
     AND ($7::text[] IS NULL OR organization_id = ANY ($7) OR project_id = ANY ($8::text[]))
   UNION ALL
  SELECT 'application', a.application_id, a.name, NULL
    FROM directory.application a JOIN directory.project p USING (project_id)
   WHERE a.application_id = ANY ($4::text[])
     AND ($7::text[] IS NULL OR p.organization_id = ANY ($7) OR a.project_id = ANY ($8::text[]))`

/** Finds the names of objects by their ids. */
export class ObjectNameStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  /** The names of those of the objects that are seen. */
  async find(
    ids: IdsOfKinds,
    seen: SeenOfKinds,
  ): Promise<(kind: string, id: string) => ShownName | undefined> {
    const { user = [], organization = [], project = [], application = [] } = ids
    if (user.length + organization.length + project.length + application.length === 0) return () => undefined
    const { rows } = await this.#database.query<NameRow>({
      name: 'object_name.find', // primary keys
      text: NAMES,
      values: [
        ...[user, organization, project, application],
        seen.user?.organizationIds ?? null,
        seen.organization?.organizationIds ?? null,
        seen.project?.organizationIds ?? null,
        seen.project?.projectIds ?? null,
      ],
    })
    const found = new Map(
      rows.map(({ kind, id, name, displayName }) => [
        `${kind} ${id}`,
        { name, ...(displayName !== null && { displayName }) },
      ]),
    )
    return (kind, id) => found.get(`${kind} ${id}`)
  }

  /** The applications that are seen, by their `client_id`. */
  async findApplications(
    clientIds: readonly string[],
    seen: SeenObjects | undefined,
  ): Promise<ReadonlyMap<string, { readonly id: string; readonly name: string }>> {
    if (clientIds.length === 0) return new Map()
    const { rows } = await this.#database.query<{ clientId: string; id: string; name: string }>({
      name: 'object_name.applications', // application_client_id, primary key
      text: `SELECT a.client_id AS "clientId", a.application_id AS id, a.name
               FROM directory.application a JOIN directory.project p USING (project_id)
              WHERE a.client_id = ANY ($1::text[])
                AND ($2::text[] IS NULL OR p.organization_id = ANY ($2) OR a.project_id = ANY ($3::text[]))`,
      values: [clientIds, seen?.organizationIds ?? null, seen?.projectIds ?? null],
    })
    return new Map(rows.map(({ clientId, ...application }) => [clientId, application]))
  }
}
