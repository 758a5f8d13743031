import type { Queryable } from '@signet/platform/postgres/pool'
import { asciiDomain } from '@signet/protocol/domain-name'
import { parseLoginName } from '../accounts/login-name.ts'
import type { NamedKind } from '../permissions/object-name.ts'
import type { SeenObjects } from '../permissions/seen-objects.ts'
import type { Reference } from './reference.ts'

interface ReferenceRow extends Omit<Reference, 'projectId' | 'projectName'> {
  readonly projectId: string | null
  readonly projectName: string | null
  readonly rank: number
}

/** `$2` is the organizations that the caller sees, or null, and of projects and applications `$3` the projects. */
const SEEN = {
  organization: '($2::text[] IS NULL OR o.organization_id = ANY ($2))',
  project: '($2::text[] IS NULL OR o.organization_id = ANY ($2) OR p.project_id = ANY ($3::text[]))',
}
const ORGANIZATION = 'o.organization_id AS "organizationId", o.name AS "organizationName"'
const NO_PROJECT = 'NULL AS "projectId", NULL AS "projectName"'

const ACCOUNTS = `SELECT a.user_id AS id, a.user_name AS name, ${ORGANIZATION}, ${NO_PROJECT}`
const FROM_ACCOUNTS = 'FROM directory.account a JOIN directory.organization o USING (organization_id)'

// A name stands for the objects of the lowest rank that has any: an id always counts as the id.
const STATEMENTS: Readonly<Record<NamedKind, string>> = {
  organization: `
    SELECT o.organization_id AS id, o.name, ${ORGANIZATION}, ${NO_PROJECT},
           CASE WHEN o.organization_id = $1 THEN 1 WHEN lower(o.name) <> lower($1) THEN 2 ELSE 3 END AS rank
      FROM directory.organization o
     WHERE ${SEEN.organization}
       AND (o.organization_id = $1 OR lower(o.name) = lower($1)
            OR o.organization_id IN (SELECT d.organization_id FROM directory.organization_domain d
                                      WHERE d.is_verified AND d.domain = $3))`,
  user: `
    ${ACCOUNTS}, 1 AS rank ${FROM_ACCOUNTS} WHERE ${SEEN.organization} AND a.user_id = $1
     UNION
    ${ACCOUNTS}, 2 ${FROM_ACCOUNTS} WHERE ${SEEN.organization} AND a.user_name_key = ANY ($3::text[])
     UNION
    ${ACCOUNTS}, 2 ${FROM_ACCOUNTS} WHERE ${SEEN.organization} AND a.email_verified AND a.email_key = ANY ($4::text[])
     UNION
    ${ACCOUNTS}, 2 ${FROM_ACCOUNTS} JOIN directory.organization_domain d USING (organization_id)
     WHERE ${SEEN.organization} AND d.is_verified AND d.domain = ANY ($6::text[]) AND a.user_name_key = ANY ($5::text[])`,
  project: `
    SELECT p.project_id AS id, p.name, ${ORGANIZATION}, ${NO_PROJECT},
           CASE WHEN p.project_id = $1 THEN 1 ELSE 2 END AS rank
      FROM directory.project p JOIN directory.organization o USING (organization_id)
     WHERE ${SEEN.project} AND (p.project_id = $1 OR lower(p.name) = lower($1))`,
  application: `
    SELECT a.application_id AS id, a.name, ${ORGANIZATION}, p.project_id AS "projectId", p.name AS "projectName",
           CASE WHEN a.application_id = $1 THEN 1 WHEN a.client_id = $1 THEN 2 ELSE 3 END AS rank
      FROM directory.application a JOIN directory.project p USING (project_id)
      JOIN directory.organization o USING (organization_id)
     WHERE ${SEEN.project} AND (a.application_id = $1 OR a.client_id = $1 OR lower(a.name) = lower($1))`,
}

const BY_UNVERIFIED_ADDRESS = `
  ${ACCOUNTS}, 3 AS rank ${FROM_ACCOUNTS}
   WHERE ${SEEN.organization} AND NOT a.email_verified AND a.email_key = ANY ($1::text[])`

/** Finds the objects that names mean. */
export class ReferenceStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  /**
   * The objects that a name means, among those that are seen: an organization by a verified domain or its name, a user by user
   * name, login name or e-mail address, an application by its client id or name. An unverified address counts where nothing else
   * does.
   */
  async find(
    kind: NamedKind,
    name: string,
    { seen, most }: { readonly seen: SeenObjects | undefined; readonly most: number },
  ): Promise<readonly Reference[]> {
    const { userNames, addresses, userParts, domains } = parseLoginName(name)
    const organizationIds = seen?.organizationIds ?? null
    const projectIds = seen?.projectIds ?? null
    const ofKind = {
      organization: [asciiDomain(name.toLowerCase()) ?? null],
      user: [userNames, addresses, userParts, domains],
      project: [projectIds],
      application: [projectIds],
    }[kind]
    const { rows } = await this.#database.query<ReferenceRow>({
      // Primary keys; account_user_name, account_email, organization_domain_verified; otherwise a scan.
      name: `reference.find.${kind}`,
      text: firstRanks(STATEMENTS[kind], most),
      values: [name, organizationIds, ...ofKind],
    })
    if (rows.length > 0 || kind !== 'user' || !name.includes('@')) return rows.map(toReference)
    const unverified = await this.#database.query<ReferenceRow>({
      name: 'reference.find.unverified_address', // account_email
      text: firstRanks(BY_UNVERIFIED_ADDRESS, most),
      values: [addresses, organizationIds],
    })
    return unverified.rows.map(toReference)
  }
}

function firstRanks(statement: string, most: number): string {
  return `SELECT * FROM (SELECT r.*, min(rank) OVER () AS first FROM (${statement}) r) ranked
           WHERE rank = first ORDER BY id LIMIT ${most}`
}

function toReference({ projectId, projectName, ...row }: ReferenceRow): Reference {
  const { id, name, organizationId, organizationName } = row
  return {
    ...{ id, name, organizationId, organizationName },
    ...(projectId !== null && { projectId }),
    ...(projectName !== null && { projectName }),
  }
}
