import type { RecordOf } from '@signet/file-formats/export/lists'
import type { Queryable } from '@signet/platform/postgres/pool'
import { type ConflictRow, toConflicts, writeRows } from '../database/import-table.repository.ts'
import type { BatchContext, TypedWriter } from './record-writer.ts'

/** The roles that grant something (docs/spec 4.4); others are stored and grant nothing. */
const KNOWN_ROLES: ReadonlySet<string> = new Set([
  'ORG_OWNER',
  'ORG_USER_MANAGER',
  'ORG_OWNER_VIEWER',
  'ORG_ADMIN_IMPERSONATOR',
  'ORG_END_USER_IMPERSONATOR',
  'PROJECT_OWNER',
  'PROJECT_OWNER_VIEWER',
])

function roleNotes(
  members: readonly { readonly userId: string; readonly roles?: readonly string[] | undefined }[],
) {
  return members.flatMap(({ userId, roles = [] }) =>
    roles
      .filter((role) => !KNOWN_ROLES.has(role))
      .map((role) => `user ${userId}: the role ${role} is kept and grants nothing`),
  )
}

function rowsOf(
  members: readonly {
    readonly userId: string
    readonly projectId?: string
    readonly roles?: readonly string[] | undefined
  }[],
  { organizationIds, accepted }: BatchContext,
) {
  return members.flatMap(({ userId, projectId, roles }, index) =>
    // A record without roles says nothing about those that a member has.
    roles === undefined
      ? []
      : [
          {
            user_id: userId,
            organization_id: organizationIds[index],
            project_id: projectId,
            roles: [...new Set(roles)],
            accepted: accepted?.[index] ?? true,
          },
        ],
  )
}

/** A membership is several rows, so two imports of one with different roles would not meet in a constraint. */
async function lockAccounts(tx: Queryable, members: readonly { readonly userId: string }[]): Promise<void> {
  await tx.query({
    name: 'transfer.member.lock_accounts', // primary key
    text: `SELECT FROM directory.account WHERE user_id = ANY ($1::text[]) ORDER BY user_id FOR NO KEY UPDATE`,
    values: [members.map(({ userId }) => userId)],
  })
}

export const organizationMemberWriter: TypedWriter<RecordOf<'orgMembers'>> = {
  async findConflicts(tx, members, { organizationIds }) {
    await lockAccounts(tx, members)
    const { rows } = await tx.query<ConflictRow>({
      name: 'transfer.organization_member.find_conflicts', // primary key of account, member_once
      text: `SELECT r.place,
                    CASE WHEN a.user_id IS NULL THEN 'there is no such user' END AS missing,
                    CASE WHEN r.wrong THEN 'an organization knows only roles that begin with ORG_' END AS reason
               FROM unnest($1::text[], $2::boolean[], $3::text[]) WITH ORDINALITY AS r (user_id, wrong, organization_id, place)
               LEFT JOIN directory.account a ON a.user_id = r.user_id
              WHERE a.user_id IS NULL OR r.wrong
                 OR EXISTS (SELECT FROM directory.member m WHERE m.user_id = r.user_id AND m.level = 'organization'
                                                             AND m.organization_id = r.organization_id)`,
      values: [
        members.map(({ userId }) => userId),
        members.map(({ roles = [] }) => roles.some((role) => !/^ORG_[A-Z_]+$/.test(role))),
        organizationIds,
      ],
    })
    return toConflicts(rows)
  },
  insert: (tx, members, context) => writeRows(tx, ADD_ORGANIZATION_MEMBERS, rowsOf(members, context)),
  update: (tx, members, context) => writeRows(tx, SET_ORGANIZATION_MEMBERS, rowsOf(members, context)),
  notes: roleNotes,
}

const ADD_ORGANIZATION_MEMBERS = {
  name: 'transfer.organization_member.add',
  text: `INSERT INTO directory.member (user_id, level, organization_id, role, accepted)
         SELECT g.user_id, 'organization', g.organization_id, role, g.accepted
           FROM json_to_recordset($1::json) AS g (user_id text, organization_id text, roles text[], accepted boolean),
                unnest(g.roles) AS role`,
}
const SET_ORGANIZATION_MEMBERS = {
  name: 'transfer.organization_member.set', // member_once
  text: `WITH gone AS (DELETE FROM directory.member m
                        USING json_to_recordset($1::json) AS g (user_id text, organization_id text, roles text[])
                        WHERE m.user_id = g.user_id AND m.level = 'organization' AND m.organization_id = g.organization_id
                          AND m.role <> ALL (g.roles))
         ${ADD_ORGANIZATION_MEMBERS.text}
             ON CONFLICT ON CONSTRAINT member_once DO UPDATE SET accepted = true
          WHERE excluded.accepted AND NOT member.accepted`,
}

/** A document repeats these in each organization. */
export const projectMemberWriter: TypedWriter<RecordOf<'projectMembers'>> = {
  inOrder: true,
  async findConflicts(tx, members) {
    await lockAccounts(tx, members)
    const { rows } = await tx.query<ConflictRow>({
      name: 'transfer.project_member.find_conflicts', // primary keys of account and project, member_once
      text: `SELECT r.place,
                    CASE WHEN a.user_id IS NULL THEN 'there is no such user'
                         WHEN p.project_id IS NULL THEN 'there is no such project' END AS missing,
                    CASE WHEN r.wrong THEN 'a project knows only roles that begin with PROJECT_' END AS reason
               FROM unnest($1::text[], $2::text[], $3::boolean[]) WITH ORDINALITY AS r (user_id, project_id, wrong, place)
               LEFT JOIN directory.account a ON a.user_id = r.user_id
               LEFT JOIN directory.project p ON p.project_id = r.project_id
              WHERE a.user_id IS NULL OR p.project_id IS NULL OR r.wrong
                 OR EXISTS (SELECT FROM directory.member m WHERE m.user_id = r.user_id AND m.level = 'project'
                                                             AND m.project_id = r.project_id)`,
      values: [
        members.map(({ userId }) => userId),
        members.map(({ projectId }) => projectId),
        members.map(({ roles = [] }) => roles.some((role) => !/^PROJECT_[A-Z_]+$/.test(role))),
      ],
    })
    return toConflicts(rows)
  },
  insert: (tx, members, context) => writeRows(tx, ADD_PROJECT_MEMBERS, rowsOf(members, context)),
  update: (tx, members, context) => writeRows(tx, SET_PROJECT_MEMBERS, rowsOf(members, context)),
  notes: roleNotes,
}

const ADD_PROJECT_MEMBERS = {
  name: 'transfer.project_member.add',
  text: `INSERT INTO directory.member (user_id, level, project_id, role, accepted)
         SELECT g.user_id, 'project', g.project_id, role, g.accepted
           FROM json_to_recordset($1::json) AS g (user_id text, project_id text, roles text[], accepted boolean),
                unnest(g.roles) AS role`,
}
const SET_PROJECT_MEMBERS = {
  name: 'transfer.project_member.set', // member_once
  text: `WITH gone AS (DELETE FROM directory.member m
                        USING json_to_recordset($1::json) AS g (user_id text, project_id text, roles text[])
                        WHERE m.user_id = g.user_id AND m.level = 'project' AND m.project_id = g.project_id
                          AND m.role <> ALL (g.roles))
         ${ADD_PROJECT_MEMBERS.text}
             ON CONFLICT ON CONSTRAINT member_once DO UPDATE SET accepted = true
          WHERE excluded.accepted AND NOT member.accepted`,
}
