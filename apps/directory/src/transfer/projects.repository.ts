import { projectNameOf } from '@signet/file-formats/export/given-names'
import type { RecordOf } from '@signet/file-formats/export/lists'
import { PROJECT_FIELDS } from '@signet/protocol/fields/project'
import { type CarriedSealing, writeCarried } from '../carried/carried.repository.ts'
import { columnNames, importedColumns, newValues, recordColumns } from '../database/field-columns.ts'
import {
  type ConflictRow,
  setGiven,
  toConflicts,
  withGiven,
  writeRows,
} from '../database/import-table.repository.ts'
import type { BatchContext, TypedWriter } from './record-writer.ts'

type Project = RecordOf<'projects'>
type ProjectGrant = RecordOf<'projectGrants'>

export function projectWriter(): TypedWriter<Project> {
  const rowsOf = (projects: readonly Project[], organizationIds: readonly string[]) =>
    projects.map(({ projectId, project, creationDate }, index) => ({
      project_id: projectId,
      organization_id: organizationIds[index],
      ...importedColumns(PROJECT_FIELDS, project),
      created_at: creationDate,
    }))
  return {
    async findConflicts(tx, projects, { organizationIds }) {
      const { rows } = await tx.query<ConflictRow>({
        name: 'transfer.project.find_conflicts', // primary key
        text: `SELECT r.place,
                      CASE WHEN p.organization_id <> r.organization_id THEN 'the project belongs to another organization' END AS reason
                 FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS r (project_id, organization_id, place)
                 JOIN directory.project p ON p.project_id = r.project_id`,
        values: [projects.map(({ projectId }) => projectId), organizationIds],
      })
      return toConflicts(rows)
    },
    async insert(tx, projects, { organizationIds, acceptedAt }: BatchContext) {
      const rows = rowsOf(projects, organizationIds).map((row, index) => ({
        ...row,
        name: projectNameOf(projects[index] as Project),
      }))
      await writeRows(tx, ADD_PROJECTS, rows, acceptedAt)
    },
    async update(tx, projects, { organizationIds }) {
      await writeRows(tx, CHANGE_PROJECTS, rowsOf(projects, organizationIds).map(withGiven))
    },
  }
}

const PROJECT_RECORD = `json_to_recordset($1::json)
  AS r (project_id text, organization_id text, ${recordColumns(PROJECT_FIELDS)}, created_at timestamptz, given text[])`

const ADD_PROJECTS = {
  name: 'transfer.project.add',
  text: `INSERT INTO directory.project (project_id, organization_id, ${columnNames(PROJECT_FIELDS).join(', ')}, created_at)
         SELECT project_id, organization_id, ${newValues(PROJECT_FIELDS, 'r')}, coalesce(created_at, $2::timestamptz)
           FROM ${PROJECT_RECORD}`,
}
const CHANGE_PROJECTS = {
  name: 'transfer.project.change', // primary key
  text: `UPDATE directory.project t SET ${setGiven(columnNames(PROJECT_FIELDS))}
           FROM ${PROJECT_RECORD}
          WHERE t.project_id = r.project_id AND t.organization_id = r.organization_id`,
}

/**
 * Writes grants of projects. The roles that an organization may give, and the id of its grant, are carried: nothing
 * here reads them yet.
 */
export function projectGrantWriter(sealing: CarriedSealing): TypedWriter<ProjectGrant> {
  const writeWith =
    (statement: typeof ADD_PROJECT_GRANTS): TypedWriter<ProjectGrant>['insert'] =>
    async (tx, grants, { organizationIds, accepted }) => {
      const rows = grants.map(({ projectGrant: { projectId, grantedOrgId } }, index) => ({
        project_id: projectId,
        granted_organization_id: grantedOrgId,
        accepted: accepted?.[index] ?? true,
      }))
      await writeRows(tx, statement, rows)
      const extras = grants.map(
        ({ grantId, projectGrant: { projectId, grantedOrgId, roleKeys } }, index) => ({
          organizationId: organizationIds[index] ?? '',
          list: 'projectGrants',
          key: `${projectId} ${grantedOrgId}`,
          projectId,
          content: { grantId, roleKeys },
        }),
      )
      await writeCarried(tx, sealing, extras)
    }
  return {
    async findConflicts(tx, grants, { organizationIds }) {
      const { rows } = await tx.query<ConflictRow>({
        name: 'transfer.project_grant.find_conflicts', // primary keys
        text: `SELECT r.place,
                      CASE WHEN p.project_id IS NULL THEN 'the organization has no such project'
                           WHEN o.organization_id IS NULL THEN 'there is no organization of the granted id'
                      END AS missing
                 FROM unnest($1::text[], $2::text[], $3::text[])
                        WITH ORDINALITY AS r (project_id, granted_id, organization_id, place)
                 LEFT JOIN directory.project p ON p.project_id = r.project_id AND p.organization_id = r.organization_id
                 LEFT JOIN directory.organization o ON o.organization_id = r.granted_id
                 LEFT JOIN directory.project_grant g ON g.project_id = r.project_id AND g.granted_organization_id = r.granted_id
                WHERE p.project_id IS NULL OR o.organization_id IS NULL OR g.project_id IS NOT NULL`,
        values: [
          grants.map(({ projectGrant }) => projectGrant.projectId),
          grants.map(({ projectGrant }) => projectGrant.grantedOrgId),
          organizationIds,
        ],
      })
      return toConflicts(rows)
    },
    insert: writeWith(ADD_PROJECT_GRANTS),
    update: writeWith(SET_PROJECT_GRANTS),
  }
}

const ADD_PROJECT_GRANTS = {
  name: 'transfer.project_grant.add',
  text: `INSERT INTO directory.project_grant (project_id, granted_organization_id, accepted)
         SELECT project_id, granted_organization_id, accepted
           FROM json_to_recordset($1::json) AS r (project_id text, granted_organization_id text, accepted boolean)`,
}
const SET_PROJECT_GRANTS = {
  name: 'transfer.project_grant.set', // primary key
  text: `${ADD_PROJECT_GRANTS.text}
             ON CONFLICT (project_id, granted_organization_id)
             DO UPDATE SET accepted = true WHERE excluded.accepted AND NOT project_grant.accepted`,
}
