import { createHash } from 'node:crypto'
import type { RecordOf } from '@signet/file-formats/export/lists'
import type { Queryable } from '@signet/platform/postgres/pool'
import { type CarriedSealing, writeCarried } from './carried.repository.ts'
import type { TypedWriter } from './record-writer.ts'
import { type ConflictRow, toConflicts, writeRows } from './statements.repository.ts'

type UserGrant = RecordOf<'userGrants'>

/** Users may belong to another organization than the project: that is what project grants are for. */
export function userGrantWriter(sealing: CarriedSealing): TypedWriter<UserGrant> {
  const write: TypedWriter<UserGrant>['insert'] = async (tx, grants, { organizationIds, acceptedAt }) => {
    const rows = grants.map(({ userId, projectId, userGrantId, creationDate }) => ({
      user_id: userId,
      project_id: projectId,
      user_grant_id: userGrantId ?? derivedId(userId, projectId),
      created_at: creationDate,
    }))
    await writeRows(tx, ADD_USER_GRANTS, rows, acceptedAt)
    const roles = grants.flatMap(({ userId, projectId, roleKeys = [] }) =>
      roleKeys.map((roleKey) => ({ user_id: userId, project_id: projectId, role_key: roleKey })),
    )
    await writeRows(tx, TAKE_GRANT_ROLES, rows, JSON.stringify(roles))
    await writeRows(tx, ADD_GRANT_ROLES, roles)
    const extras = grants.map(({ userId, projectId, projectGrantId }, index) => ({
      organizationId: organizationIds[index] ?? '',
      list: 'userGrants',
      key: `${userId} ${projectId}`,
      userId,
      projectId,
      content: { projectGrantId: projectGrantId || undefined },
    }))
    await writeCarried(tx, sealing, extras)
  }
  return {
    async findConflicts(tx, grants) {
      const { rows } = await tx.query<ConflictRow>({
        name: 'transfer.user_grant.fates', // primary keys, user_grant_user_grant_id_key
        text: `SELECT r.place,
                      CASE WHEN a.user_id IS NULL THEN 'there is no such user'
                           WHEN p.project_id IS NULL THEN 'there is no such project'
                           WHEN other.user_id IS NOT NULL AND g.user_id IS NULL
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
    insert: write,
    update: write,
  }
}

async function unknownRoles(tx: Queryable, grants: readonly UserGrant[]): Promise<readonly ConflictRow[]> {
  const asked = grants.flatMap(({ projectId, roleKeys = [] }, index) =>
    roleKeys.map((roleKey) => ({ place: index + 1, projectId, roleKey })),
  )
  if (asked.length === 0) return []
  const { rows } = await tx.query<ConflictRow>({
    name: 'transfer.user_grant.unknown_roles', // primary key
    text: `SELECT r.place, 'the project has no role ' || r.role_key AS reason
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

/** For a document without an id: one that is the same however often it is imported. */
function derivedId(userId: string, projectId: string): string {
  return createHash('sha256').update(`user grant ${userId} ${projectId}`).digest('hex').slice(0, 26)
}

const ADD_USER_GRANTS = {
  name: 'transfer.user_grant.add', // primary key
  text: `INSERT INTO directory.user_grant (user_id, project_id, user_grant_id, created_at)
         SELECT user_id, project_id, user_grant_id, coalesce(created_at, $2::timestamptz)
           FROM json_to_recordset($1::json)
             AS r (user_id text, project_id text, user_grant_id text, created_at timestamptz)
             ON CONFLICT (user_id, project_id) DO NOTHING`,
}
const TAKE_GRANT_ROLES = {
  name: 'transfer.user_grant_role.take', // primary key
  text: `DELETE FROM directory.user_grant_role g
          USING json_to_recordset($1::json) AS r (user_id text, project_id text)
          WHERE g.user_id = r.user_id AND g.project_id = r.project_id
            AND NOT EXISTS (SELECT FROM json_to_recordset($2::json) AS k (user_id text, project_id text, role_key text)
                             WHERE k.user_id = g.user_id AND k.project_id = g.project_id AND k.role_key = g.role_key)`,
}
const ADD_GRANT_ROLES = {
  name: 'transfer.user_grant_role.add', // primary key
  text: `INSERT INTO directory.user_grant_role (user_id, project_id, role_key)
         SELECT DISTINCT user_id, project_id, role_key
           FROM json_to_recordset($1::json) AS r (user_id text, project_id text, role_key text)
             ON CONFLICT DO NOTHING`,
}
