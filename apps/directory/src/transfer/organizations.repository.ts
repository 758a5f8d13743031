import type { OrganizationHeader } from '@signet/file-formats/export/organization-header'
import type { Queryable } from '@signet/platform/postgres/pool'
import { ORGANIZATION_FIELDS } from '@signet/protocol/fields/organization'
import { type CarriedSealing, writeCarried } from '../carried/carried.repository.ts'
import { LAST_OWNER_RULE } from '../database/constraint-conflict.ts'
import { columnNames, newValues, recordColumns } from '../database/field-columns.ts'
import {
  type ConflictRow,
  setGiven,
  toConflicts,
  withGiven,
  writeRows,
} from '../database/import-table.repository.ts'
import { policyFloors } from '../organizations/policy.repository.ts'
import {
  changedPolicyRows,
  domainRows,
  organizationExtras,
  organizationRow,
  organizationsUnderRules,
  type PolicyRow,
  policyNotes,
  policyRows,
} from './organization-rows.ts'
import type { BatchContext, TypedWriter } from './record-writer.ts'

/** Organizations with their domains and policies. */
export function organizationWriter(sealing: CarriedSealing): TypedWriter<OrganizationHeader> {
  const writeParts = async (
    tx: Queryable,
    headers: readonly OrganizationHeader[],
    policies: readonly PolicyRow[],
  ) => {
    await writeRows(tx, SET_DOMAINS, headers.flatMap(domainRows))
    await writeRows(tx, SET_POLICIES, policies)
    const extras = headers.map((header) => {
      const { orgId } = header
      return {
        organizationId: orgId,
        list: 'organization',
        key: orgId,
        content: organizationExtras(header),
      }
    })
    await writeCarried(tx, sealing, extras)
  }
  return {
    underRules: (tx, headers, { domainSuffix }) =>
      organizationsUnderRules(headers, domainSuffix, {
        findExisting: (ids) => existingOf(tx, ids),
        findOwners: (domains) => ownersOf(tx, domains),
        passwordsRule: (organizationId) => passwordsRule(tx, organizationId),
      }),
    async findConflicts(tx, headers) {
      const { rows } = await tx.query<ConflictRow>({
        name: 'transfer.organization.find_conflicts', // primary key
        text: `SELECT r.place, NULL AS reason FROM unnest($1::text[]) WITH ORDINALITY AS r (organization_id, place)
                 JOIN directory.organization o ON o.organization_id = r.organization_id`,
        values: [headers.map(({ orgId }) => orgId)],
      })
      return toConflicts(rows)
    },
    async insert(tx, headers, { acceptedAt, jobId }: BatchContext) {
      await writeRows(tx, ADD, headers.map(organizationRow), acceptedAt, jobId)
      await writeParts(tx, headers, headers.flatMap(policyRows))
    },
    async update(tx, headers) {
      const rows = headers.map((header) => withGiven({ ...organizationRow(header) }))
      await writeRows(tx, CHANGE, rows)
      await writeParts(tx, headers, headers.flatMap(changedPolicyRows))
    },
    async notes(headers, tx) {
      const floors = await policyFloors(tx)
      return headers.flatMap((header) => policyNotes(header, floors))
    },
  }
}

const COLUMNS = columnNames(ORGANIZATION_FIELDS)
const RECORD = `json_to_recordset($1::json) AS r (organization_id text, ${recordColumns(ORGANIZATION_FIELDS)}, state text, created_at timestamptz, given text[])`

const ADD = {
  name: 'transfer.organization.add',
  text: `INSERT INTO directory.organization (organization_id, ${COLUMNS.join(', ')}, state, created_at, imported_at,
                                             import_job_id)
         SELECT organization_id, ${newValues(ORGANIZATION_FIELDS, 'r')}, state, coalesce(created_at, $2::timestamptz), $2, $3
           FROM ${RECORD}`,
}
const CHANGE = {
  name: 'transfer.organization.change', // primary key
  text: `UPDATE directory.organization t SET ${setGiven([...COLUMNS, 'state'])}
           FROM ${RECORD} WHERE t.organization_id = r.organization_id`,
}

async function passwordsRule(tx: Queryable, organizationId: string): Promise<string | undefined> {
  const { rows } = await tx.query<{ possible: boolean }>({
    name: 'transfer.organization.can_forbid_passwords', // member_instance, primary keys
    text: 'SELECT directory.can_forbid_passwords($1) AS possible',
    values: [organizationId],
  })
  return rows[0]?.possible === true ? undefined : LAST_OWNER_RULE
}

async function existingOf(tx: Queryable, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'transfer.organization.find', // primary key
    text: `SELECT organization_id AS id FROM directory.organization
            WHERE organization_id = ANY ($1::text[])`,
    values: [ids],
  })
  return new Set(rows.map(({ id }) => id))
}

async function ownersOf(tx: Queryable, domains: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { rows } = await tx.query<{ domain: string; owner: string }>({
    name: 'transfer.organization_domain.owners', // organization_domain_verified
    text: `SELECT domain, organization_id AS owner FROM directory.organization_domain
            WHERE domain = ANY ($1::text[]) AND is_verified`,
    values: [domains],
  })
  return new Map(rows.map(({ domain, owner }) => [domain, owner]))
}

/** Violates organization_domain_verified when another import proved a domain in the meantime. */
const SET_DOMAINS = {
  name: 'transfer.organization_domain.set', // primary key, organization_domain_verified
  text: `INSERT INTO directory.organization_domain (organization_id, domain, is_verified)
         SELECT r.organization_id, r.domain, coalesce(r.is_verified, t.is_verified, false)
           FROM json_to_recordset($1::json) AS r (organization_id text, domain text, is_verified boolean)
           LEFT JOIN directory.organization_domain t USING (organization_id, domain)
             ON CONFLICT (organization_id, domain) DO UPDATE SET is_verified = excluded.is_verified`,
}
const SET_POLICIES = {
  name: 'transfer.organization_policy.set', // primary key
  text: `INSERT INTO directory.organization_policy (organization_id, kind, document)
         SELECT r.organization_id, r.kind, coalesce(t.document, r.initial, '{}') || r.document
           FROM json_to_recordset($1::json) AS r (organization_id text, kind text, document jsonb, initial jsonb)
           LEFT JOIN directory.organization_policy t USING (organization_id, kind)
             ON CONFLICT (organization_id, kind) DO UPDATE SET document = excluded.document`,
}
