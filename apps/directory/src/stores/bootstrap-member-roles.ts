import type { Queryable } from '@signet/platform/postgres/pool'
import type { PlacedObject } from '../bootstrap/object-writer.ts'
import { ownerId } from './bootstrap-organization-shapes.ts'

/** What somebody holds in the instance and in their own organization, sorted. */
export async function memberRoles(tx: Queryable, object: PlacedObject): Promise<readonly string[]> {
  const { rows } = await tx.query<{ role: string }>({
    name: 'bootstrap.member.read', // member_once
    text: `SELECT role FROM directory.member
            WHERE user_id = $1 AND (level = 'instance' OR level = 'organization' AND organization_id = $2)
            ORDER BY role COLLATE "C"`,
    values: [object.id, ownerId(object)],
  })
  return rows.map(({ role }) => role)
}

/** Makes `roles` what somebody holds there. */
export async function setMemberRoles(
  tx: Queryable,
  object: PlacedObject,
  roles: readonly string[],
): Promise<void> {
  await tx.query({
    name: 'bootstrap.member.clear', // member_once
    text: `DELETE FROM directory.member
            WHERE user_id = $1 AND (level = 'instance' OR level = 'organization' AND organization_id = $2)`,
    values: [object.id, ownerId(object)],
  })
  await tx.query({
    name: 'bootstrap.member.add',
    text: `INSERT INTO directory.member (user_id, level, organization_id, role)
           SELECT $1::text, CASE WHEN role LIKE 'ORG%' THEN 'organization' ELSE 'instance' END,
                  CASE WHEN role LIKE 'ORG%' THEN $2::text END, role
             FROM unnest($3::text[]) AS role`,
    values: [object.id, ownerId(object), roles],
  })
}
