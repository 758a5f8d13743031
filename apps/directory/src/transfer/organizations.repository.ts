import type { OrganizationHeader } from '@signet/file-formats/export/organization-header'
import type { Queryable } from '@signet/platform/postgres/pool'
import { LAST_OWNER_RULE } from '../database/constraint-conflict.ts'
import { policyFloors } from '../organizations/policy.repository.ts'
import { type CarriedSealing, writeCarried } from './carried.repository.ts'
import {
  domainRows,
  organizationExtras,
  organizationRow,
  organizationsUnderRules,
  policyNotes,
  policyRows,
} from './organization-rows.ts'
import type { BatchContext, TypedWriter } from './record-writer.ts'
import { type ConflictRow, toConflicts, writeRows } from './statements.repository.ts'

/** Organizations with their domains and policies. */
export function organizationWriter(sealing: CarriedSealing): TypedWriter<OrganizationHeader> {
  const writeWith = (statement: typeof ADD): TypedWriter<OrganizationHeader>['insert'] => {
    return async (tx: Queryable, headers, { acceptedAt, jobId }: BatchContext) => {
      await writeRows(tx, statement, headers.map(organizationRow), acceptedAt, jobId)
      await writeRows(tx, SET_DOMAINS, headers.flatMap(domainRows))
      await writeRows(tx, SET_POLICIES, headers.flatMap(policyRows))
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
  }
  return {
    underRules: (tx, headers, { domainSuffix }) =>
      organizationsUnderRules(headers, domainSuffix, {
        findOwners: (domains) => ownersOf(tx, domains),
        passwordsRule: (organizationId) => passwordsRule(tx, organizationId),
      }),
    async findConflicts(tx, headers) {
      const { rows } = await tx.query<ConflictRow>({
        name: 'transfer.organization.fates', // primary key
        text: `SELECT r.place, NULL AS reason FROM unnest($1::text[]) WITH ORDINALITY AS r (organization_id, place)
                 JOIN directory.organization o ON o.organization_id = r.organization_id`,
        values: [headers.map(({ orgId }) => orgId)],
      })
      return toConflicts(rows)
    },
    insert: writeWith(ADD),
    update: writeWith(CHANGE),
    async notes(headers, tx) {
      const floors = await policyFloors(tx)
      return headers.flatMap((header) => policyNotes(header, floors))
    },
  }
}

const RECORD = `json_to_recordset($1::json) AS r (organization_id text, name text, state text, primary_domain text, created_at timestamptz)`

const ADD = {
  name: 'transfer.organization.add',
  text: `INSERT INTO directory.organization (organization_id, name, state, primary_domain, created_at, imported_at,
                                             import_job_id)
         SELECT organization_id, name, state, primary_domain, coalesce(created_at, $2::timestamptz), $2, $3
           FROM ${RECORD}`,
}
const CHANGE = {
  name: 'transfer.organization.change', // primary key
  text: `UPDATE directory.organization o SET name = r.name, state = r.state, primary_domain = r.primary_domain
           FROM ${RECORD} WHERE o.organization_id = r.organization_id AND $2::timestamptz IS NOT NULL AND $3::text IS NOT NULL`,
}

async function passwordsRule(tx: Queryable, organizationId: string): Promise<string | undefined> {
  const { rows } = await tx.query<{ possible: boolean }>({
    name: 'transfer.organization.can_forbid_passwords', // member_instance, primary keys
    text: 'SELECT directory.can_forbid_passwords($1) AS possible',
    values: [organizationId],
  })
  return rows[0]?.possible === true ? undefined : LAST_OWNER_RULE
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
         SELECT organization_id, domain, is_verified
           FROM json_to_recordset($1::json) AS r (organization_id text, domain text, is_verified boolean)
             ON CONFLICT (organization_id, domain) DO UPDATE SET is_verified = excluded.is_verified`,
}
const SET_POLICIES = {
  name: 'transfer.organization_policy.set', // primary key
  text: `INSERT INTO directory.organization_policy (organization_id, kind, document)
         SELECT organization_id, kind, document
           FROM json_to_recordset($1::json) AS r (organization_id text, kind text, document jsonb)
             ON CONFLICT (organization_id, kind) DO UPDATE SET document = excluded.document`,
}
