import type { Queryable } from '@signet/platform/postgres/pool'
import { auditTable } from '../audit/audit-table.ts'
import { lockObject } from '../database/lock-object.ts'
import type { DocumentedClient } from './consent.repository.ts'

interface Options {
  /** The project that these clients belong to. */
  readonly projectId: string
  readonly newId: () => string
}

interface Putting {
  readonly at: Date
  /** The person whose consent makes the application. */
  readonly actor: { readonly kind: 'human'; readonly id: string }
}

/** More would be the work of a program and not of people. */
const MOST_CLIENTS = 10_000
/** Number of applications that the consents of one person make in a day, so that no person fills the project alone. */
const MOST_OF_PERSON = 50

/** Applications of clients that no organization registered. Their settings are those of a native application, public or with keys. */
export class DocumentedClientStore {
  readonly #projectId: string
  readonly #newId: () => string

  constructor({ projectId, newId }: Options) {
    this.#projectId = projectId
    this.#newId = newId
  }

  /**
   * Adds the application of a client, or gives it the values of the document; concurrent calls make one. An application with the
   * client_id in another project stays as it is. A full project gets no more, and a person adds a bounded number in a day: the
   * consent then finds no application.
   */
  async put(
    tx: Queryable,
    {
      clientId,
      name,
      redirectUris,
      mayRefresh,
      signsAssertions,
    }: DocumentedClient & { readonly clientId: string },
    { at, actor }: Putting,
  ): Promise<void> {
    await lockObject(tx, 'documented-client', clientId)
    const grantTypes = ['authorization_code', ...(mayRefresh ? ['refresh_token'] : [])]
    const authMethod = signsAssertions ? 'private_key_jwt' : 'none'
    const { rowCount: known } = await tx.query({
      name: 'documented_client.find', // application_client_id_key
      text: 'SELECT FROM directory.application WHERE client_id = $1',
      values: [clientId],
    })
    if (known === 1) {
      await tx.query({
        name: 'documented_client.update', // application_client_id_key
        text: `UPDATE directory.application SET name = $3, redirect_uris = $4, grant_types = $5, auth_method = $6
                WHERE client_id = $1 AND project_id = $2
                  AND (name, redirect_uris, grant_types, auth_method) IS DISTINCT FROM ($3, $4::text[], $5::text[], $6)`,
        values: [clientId, this.#projectId, name, redirectUris, grantTypes, authMethod],
      })
      return
    }
    if (await hasAddedMost(tx, actor.id)) return
    const { rows } = await tx.query<{ id: string; organizationId: string }>({
      name: 'documented_client.add', // project primary key; application_project
      text: `INSERT INTO directory.application
               (application_id, client_id, project_id, name, type, auth_method, redirect_uris, response_types, grant_types,
                created_at)
             SELECT $1, $2, p.project_id, $4, 'native', $9, $5, ARRAY['code'], $6, $7
               FROM directory.project p
              WHERE p.project_id = $3
                AND (SELECT count(*) FROM (SELECT FROM directory.application a WHERE a.project_id = $3 LIMIT $8) AS n) < $8
             RETURNING application_id AS id,
                       (SELECT organization_id FROM directory.project WHERE project_id = $3) AS "organizationId"`,
      values: [
        ...[this.#newId(), clientId, this.#projectId, name, redirectUris, grantTypes, at, MOST_CLIENTS],
        authMethod,
      ],
    })
    const [added] = rows
    if (added === undefined) return
    await auditTable.record(tx, {
      actor,
      action: 'application.create',
      target: { kind: 'application', id: added.id },
      organizationId: added.organizationId,
      result: 'success',
      details: { clientId },
    })
  }
}

/** Whether a person has added as many clients as one may; no other transaction adds one for the person until this one ends. */
async function hasAddedMost(tx: Queryable, userId: string): Promise<boolean> {
  await lockObject(tx, 'documented-clients-of', userId)
  const { rows } = await tx.query<{ added: number }>({
    name: 'documented_client.count_of_person', // audit_event_actor
    text: `SELECT count(*)::int AS added FROM directory_audit.audit_event
            WHERE actor_id = $1 AND actor_kind = 'human' AND action = 'application.create' AND details ? 'clientId'
              AND at > now() - interval '1 day'`,
    values: [userId],
  })
  return (rows[0]?.added ?? 0) >= MOST_OF_PERSON
}
