import { createHash } from 'node:crypto'
import type { RecordOf } from '@signet/file-formats/export/lists'
import type { Queryable } from '@signet/platform/postgres/pool'
import { type CarriedSealing, writeCarried } from '../carried/carried.repository.ts'
import {
  type ConflictRow,
  toConflicts,
  unnested,
  writeColumns,
  writeRows,
} from '../database/import-table.repository.ts'
import type { BatchContext, TypedWriter } from './record-writer.ts'

type UserGrant = RecordOf<'userGrants'>

/** Users may belong to another organization than the project: that is what project grants are for. */
export function userGrantWriter(sealing: CarriedSealing): TypedWriter<UserGrant> {
  const writeExtras = (tx: Queryable, grants: readonly UserGrant[], { organizationIds }: BatchContext) =>
    writeCarried(
      tx,
      sealing,
      grants.map(({ userId, projectId, projectGrantId }, index) => ({
        organizationId: organizationIds[index] ?? '',
        list: 'userGrants',
        key: `${userId} ${projectId}`,
        userId,
        projectId,
        content: { projectGrantId: projectGrantId || undefined },
      })),
    )
  return {
    async findConflicts(tx, grants) {
      const { rows } = await tx.query<ConflictRow>({
        name: 'transfer.user_grant.find_conflicts', // primary keys, user_grant_user_grant_id_key
        text: `SELECT r.place,
                      CASE WHEN a.user_id IS NULL THEN 'there is no such user'
                           WHEN p.project_id IS NULL THEN 'there is no such project' END AS missing,
                      CASE WHEN other.user_id IS NOT NULL AND g.user_id IS NULL
                           THEN 'the id belongs to another user grant' END AS reason
                 FROM unnest($1::text[], $2::text[], $3::text[])
                        WITH ORDINALITY AS r (user_id, project_id, user_grant_id, place)
                 LEFT JOIN directory.account a ON a.user_id = r.user_id
                 LEFT JOIN directory.project p ON p.project_id = r.project_id
                 LEFT JOIN directory.user_grant g ON g.user_id = r.user_id AND g.project_id = r.project_id
                 LEFT JOIN directory.user_grant other ON other.user_grant_id = r.user_grant_id
                WHERE a.user_id IS NULL OR p.project_id IS NULL OR g.user_id IS NOT NULL OR other.user_id IS NOT NULL`,
        values: [
          grants.map(({ userId }) => userId),
          grants.map(({ projectId }) => projectId),
          grants.map(({ userGrantId }) => userGrantId ?? null),
        ],
      })
      return toConflicts([...rows, ...(await unknownRoles(tx, grants))])
    },
    async insert(tx, grants, context) {
      const rows = grants.map(({ userId, projectId, userGrantId, creationDate }) => ({
        user_id: userId,
        project_id: projectId,
        user_grant_id: userGrantId ?? derivedId(userId, projectId),
        created_at: creationDate,
      }))
      await writeColumns(tx, ADD_USER_GRANTS, rows, context.acceptedAt)
      await writeColumns(tx, ADD_GRANT_ROLES, rolesOf(grants))
      await writeExtras(tx, grants, context)
    },
    async update(tx, grants, context) {
      // A record without roles says nothing about those that the grant has.
      const rows = grants.flatMap(({ userId, projectId, roleKeys }) =>
        roleKeys === undefined ? [] : [{ user_id: userId, project_id: projectId, role_keys: roleKeys }],
      )
      await writeRows(tx, TAKE_GRANT_ROLES, rows)
      await writeColumns(tx, GIVE_GRANT_ROLES, rolesOf(grants))
      await writeExtras(tx, grants, context)
    },
  }
}

/** Each role of a grant once. */
const rolesOf = (grants: readonly UserGrant[]) =>
  grants.flatMap(({ userId, projectId, roleKeys = [] }) =>
    [...new Set(roleKeys)].map((roleKey) => ({ user_id: userId, project_id: projectId, role_key: roleKey })),
  )

async function unknownRoles(tx: Queryable, grants: readonly UserGrant[]): Promise<readonly ConflictRow[]> {
  const asked = grants.flatMap(({ projectId, roleKeys = [] }, index) =>
    roleKeys.map((roleKey) => ({ place: index + 1, projectId, roleKey })),
  )
  if (asked.length === 0) return []
  const { rows } = await tx.query<ConflictRow>({
    name: 'transfer.user_grant.unknown_roles', // primary key
    text: `SELECT r.place, 'the project has no role ' || r.role_key AS missing
             FROM unnest($1::integer[], $2::text[], $3::text[]) AS r (place, project_id, role_key)
             LEFT JOIN directory.project_role x ON x.project_id = r.project_id AND x.role_key = r.role_key
            WHERE x.project_id IS NULL`,
    values: [
      asked.map(({ place }) => place),
      asked.map(({ projectId }) => projectId),
      asked.map(({ roleKey }) => roleKey),
    ],
  })
  return rows
}

/** Derives the id of a grant for a document without one: the same at every import. */
function derivedId(userId: string, projectId: string): string {
  return createHash('sha256').update(`user grant ${userId} ${projectId}`).digest('hex').slice(0, 26)
}

const GRANT_COLUMNS = {
  user_id: 'text',
  project_id: 'text',
  user_grant_id: 'text',
  created_at: 'timestamptz',
} as const
const ROLE_COLUMNS = { user_id: 'text', project_id: 'text', role_key: 'text' } as const

const ADD_USER_GRANTS = {
  name: 'transfer.user_grant.add',
  columns: GRANT_COLUMNS,
  text: `INSERT INTO directory.user_grant (user_id, project_id, user_grant_id, created_at)
         SELECT user_id, project_id, user_grant_id, coalesce(created_at, $5) FROM ${unnested(GRANT_COLUMNS)}`,
}
/** The roles of each grant in its row: as rows of their own, all of them would be compared with every role, without a hash join. */
const TAKE_GRANT_ROLES = {
  name: 'transfer.user_grant_role.take', // primary key
  text: `DELETE FROM directory.user_grant_role g
          USING json_to_recordset($1::json) AS r (user_id text, project_id text, role_keys text[])
          WHERE g.user_id = r.user_id AND g.project_id = r.project_id AND g.role_key <> ALL (r.role_keys)`,
}
/** A new grant has no roles yet, which saves looking for them. */
const ADD_GRANT_ROLES = {
  name: 'transfer.user_grant_role.add',
  columns: ROLE_COLUMNS,
  text: `INSERT INTO directory.user_grant_role (user_id, project_id, role_key)
         SELECT user_id, project_id, role_key FROM ${unnested(ROLE_COLUMNS)}`,
}
const GIVE_GRANT_ROLES = {
  name: 'transfer.user_grant_role.give', // primary key
  columns: ROLE_COLUMNS,
  text: `${ADD_GRANT_ROLES.text} ON CONFLICT DO NOTHING`,
}
