import type { Database, Queryable } from '@signet/platform/postgres/pool'
import { auditTable } from '../audit/audit-table.ts'
import type { EpochRow } from '../epochs/epoch.repository.ts'

/** The accounts or grants of an organization that one transaction deletes: 0.3 s on an idle machine. */
export const MOST_ROWS_AT_ONCE = 500
/** A project takes its roles, applications and their keys with it. */
const MOST_PROJECTS_AT_ONCE = 10

/** Deletes the rows of organizations with the state `deleting`. Any number of replicas may call it at once. */
export interface OrganizationDeletionStore {
  findDeleting(): Promise<readonly string[]>
  /**
   * Deletes one batch of rows; the row of the organization is the last, deleted with its audit event. Returns whether it deleted
   * something and rows may be left: false as well while another replica deletes rows of the organization.
   */
  deleteBatch(organizationId: string): Promise<boolean>
}

/**
 * Begins to delete an organization that has more rows than one request may delete: everything of it has ended under the epoch
 * that is returned. Returns the same for one that is being deleted already, and undefined for all others.
 */
export async function beginLargeDeletion(
  tx: Queryable,
  organizationId: string,
  mostRows: number,
): Promise<EpochRow | undefined> {
  const { rows } = await tx.query<EpochRow & { readonly isDeleting: boolean; readonly isLarge: boolean }>({
    name: 'organization.find_size', // primary key, account_organization, project_organization, user_grant_project
    text: `SELECT 'o' AS kind, organization_id AS id, token_epoch AS epoch, state = 'deleting' AS "isDeleting",
                  (SELECT count(*) FROM (SELECT FROM directory.account WHERE organization_id = $1 LIMIT $2 + 1) a)
                  + (SELECT count(*) FROM (SELECT FROM directory.project p JOIN directory.user_grant g USING (project_id)
                                            WHERE p.organization_id = $1 LIMIT $2 + 1) g) > $2 AS "isLarge"
             FROM directory.organization WHERE organization_id = $1`,
    values: [organizationId, mostRows],
  })
  const [found] = rows
  // Without a lock, which a batch of the deletion may hold for long.
  if (found?.isDeleting) return found
  if (!found?.isLarge) return undefined
  const { rows: begun } = await tx.query<EpochRow>({
    name: 'organization.begin_deletion', // primary key
    text: `UPDATE directory.organization SET token_epoch = token_epoch + 1, state = 'deleting' WHERE organization_id = $1
       RETURNING 'o' AS kind, organization_id AS id, token_epoch AS epoch`,
    values: [organizationId],
  })
  return begun[0]
}

export function createOrganizationDeletionStore(
  database: Database,
  mostRows: number = MOST_ROWS_AT_ONCE,
): OrganizationDeletionStore {
  return {
    async findDeleting() {
      const { rows } = await database.query<{ id: string }>({
        name: 'organization.find_deleting', // organization_deleting
        text: `SELECT organization_id AS id FROM directory.organization WHERE state = 'deleting' ORDER BY organization_id`,
      })
      return rows.map(({ id }) => id)
    },

    deleteBatch: (organizationId) =>
      database.transaction(
        async (tx) => {
          // The lock lets writers check that the organization exists, and other replicas take another one.
          const { rowCount } = await tx.query({
            name: 'organization.lock_deleting', // primary key
            text: `SELECT FROM directory.organization WHERE organization_id = $1 AND state = 'deleting'
                      FOR NO KEY UPDATE SKIP LOCKED`,
            values: [organizationId],
          })
          if (rowCount === 0) return false
          for (const { name, text, most } of PARTS) {
            const deleted = await tx.query({ name, text, values: [organizationId, most ?? mostRows] })
            if (deleted.rowCount > 0) return true
          }
          await tx.query({
            name: 'organization.delete', // primary key
            text: 'DELETE FROM directory.organization WHERE organization_id = $1',
            values: [organizationId],
          })
          await auditTable.record(tx, {
            actor: { kind: 'service' },
            action: 'organization.deleted',
            target: { kind: 'organization', id: organizationId },
            organizationId,
            result: 'success',
          })
          return false
        },
        { kind: 'background' },
      ),
  }
}

interface Part {
  readonly name: string
  readonly text: string
  /** The rows of one batch, when they are fewer than those of the others. */
  readonly most?: number
}

const PARTS: readonly Part[] = [
  {
    name: 'organization.delete_accounts', // account_organization, primary key
    text: `DELETE FROM directory.account WHERE user_id IN (
             SELECT user_id FROM directory.account WHERE organization_id = $1 ORDER BY user_id LIMIT $2)`,
  },
  {
    name: 'organization.delete_user_grants', // project_organization, user_grant_project
    text: `DELETE FROM directory.user_grant WHERE user_grant_id IN (
             SELECT g.user_grant_id FROM directory.project p JOIN directory.user_grant g USING (project_id)
              WHERE p.organization_id = $1 LIMIT $2)`,
  },
  {
    name: 'organization.delete_projects', // project_organization, primary key
    text: `DELETE FROM directory.project WHERE project_id IN (
             SELECT project_id FROM directory.project WHERE organization_id = $1 ORDER BY project_id LIMIT $2)`,
    most: MOST_PROJECTS_AT_ONCE,
  },
]
