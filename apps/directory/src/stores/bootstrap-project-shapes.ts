import type { Queryable } from '@signet/platform/postgres/pool'
import type { PlacedObject } from '../bootstrap/object-writer.ts'
import type { CredentialWriting } from './bootstrap-credentials.ts'
import { ownerId } from './bootstrap-organization-shapes.ts'
import type { TableShape } from './bootstrap-table-writer.ts'

type Kind = 'project' | 'project_role' | 'user_grant'

export function projectShapes(
  tx: Queryable,
  { newId, now }: CredentialWriting,
): Readonly<Record<Kind, TableShape>> {
  return {
    project: {
      table: 'project',
      identity: ({ id }) => ({ project_id: id }),
      owner: (object) => ({ organization_id: ownerId(object) }),
      initial: () => ({ created_at: now() }),
      columns: {
        name: (name) => ({ name }),
        projectRoleAssertion: (project_role_assertion) => ({ project_role_assertion }),
        projectRoleCheck: (project_role_check) => ({ project_role_check }),
        hasProjectCheck: (has_project_check) => ({ has_project_check }),
        allowedAudiences: (allowed_audiences) => ({ allowed_audiences }),
      },
    },
    project_role: {
      table: 'project_role',
      identity: (object) => ({ project_id: ownerId(object), role_key: object.id }),
      columns: {
        displayName: (display_name) => ({ display_name }),
        group: (role_group) => ({ role_group }),
      },
    },
    user_grant: {
      table: 'user_grant',
      identity: (object) => ({ project_id: ownerId(object), user_id: object.id }),
      initial: () => ({ user_grant_id: newId(), created_at: now() }),
      columns: {},
      effects: { roles: (object, roles) => setGrantRoles(tx, object, roles) },
      stored: { roles: (object) => grantRoles(tx, object) },
    },
  }
}

async function grantRoles(tx: Queryable, object: PlacedObject): Promise<readonly string[]> {
  const { rows } = await tx.query<{ role_key: string }>({
    name: 'bootstrap.user_grant_role.read', // primary key
    text: `SELECT role_key FROM directory.user_grant_role WHERE user_id = $1 AND project_id = $2
            ORDER BY role_key COLLATE "C"`,
    values: [object.id, ownerId(object)],
  })
  return rows.map(({ role_key }) => role_key)
}

async function setGrantRoles(tx: Queryable, object: PlacedObject, roles: unknown): Promise<void> {
  const values = [object.id, ownerId(object), roles]
  await tx.query({
    name: 'bootstrap.user_grant_role.remove', // primary key
    text: `DELETE FROM directory.user_grant_role
            WHERE user_id = $1 AND project_id = $2 AND role_key <> ALL ($3::text[])`,
    values,
  })
  await tx.query({
    name: 'bootstrap.user_grant_role.add',
    text: `INSERT INTO directory.user_grant_role (user_id, project_id, role_key)
           SELECT $1::text, $2::text, role_key FROM unnest($3::text[]) AS role_key ON CONFLICT DO NOTHING`,
    values,
  })
}
