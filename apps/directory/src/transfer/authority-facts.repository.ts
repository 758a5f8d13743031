import type { Queryable } from '@signet/platform/postgres/pool'
import type { ReachingRole } from '@signet/protocol/role-reach'

// The facts that decide what a document may do, each for many records in one statement.

/** Job of a document and the organizations that it may write. */
export interface DocumentScope {
  readonly jobId: string
  /** Organizations that the call of the import names. */
  readonly named: readonly string[]
}

/** `created`: by this import; `named`: by its call; `other`: neither. */
export type Ownership = 'created' | 'named' | 'other'

/** The ownership of the organization `o`; $1 is the job, $2 are the named organizations. */
const OWNERSHIP = `CASE WHEN o.import_job_id = $1 THEN 'created' WHEN o.organization_id = ANY ($2::text[]) THEN 'named' ELSE 'other' END`

const scopeValues = ({ jobId, named }: DocumentScope) => [jobId, named]

/** Finds the organizations that exist, and locks them so that they are not deleted until the transaction ends. */
async function findOwnership(
  tx: Queryable,
  scope: DocumentScope,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Ownership>> {
  const { rows } = await tx.query<{ id: string; ownership: Ownership }>({
    name: 'transfer.organization.ownership', // primary key
    // Shared with other batches.
    text: `SELECT o.organization_id AS id, ${OWNERSHIP} AS ownership FROM directory.organization o
            WHERE o.organization_id = ANY ($3::text[]) ORDER BY o.organization_id FOR KEY SHARE`,
    values: [...scopeValues(scope), ids],
  })
  return new Map(rows.map(({ id, ownership }) => [id, ownership]))
}

export interface HeldRole extends ReachingRole {
  /** Ownership of the organization that contains the role; null for roles of the instance. */
  readonly ownership: Ownership | null
}

export interface AccountFacts {
  readonly userId: string
  readonly home: string
  readonly homeOwnership: Ownership
  readonly kind: 'human' | 'service_user'
  readonly emailKey: string | null
  readonly emailVerified: boolean
  /** The roles that count. */
  readonly roles: readonly HeldRole[]
}

/** The accounts with these ids. */
async function findAccountFacts(
  tx: Queryable,
  scope: DocumentScope,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, AccountFacts>> {
  if (userIds.length === 0) return new Map()
  const { rows } = await tx.query<AccountFacts>({
    name: 'transfer.account.facts', // primary keys, member_once
    text: `SELECT a.user_id AS "userId", a.organization_id AS home, a.kind, a.email_key AS "emailKey",
                  a.email_verified AS "emailVerified", home.ownership AS "homeOwnership", held.roles
             FROM unnest($3::text[]) AS r (user_id)
             JOIN directory.account a ON a.user_id = r.user_id
            CROSS JOIN LATERAL (SELECT ${OWNERSHIP} AS ownership FROM directory.organization o
                                 WHERE o.organization_id = a.organization_id) home
            CROSS JOIN LATERAL (
              SELECT coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
                       'role', m.role, 'objectId', m.object_id, 'organizationId', m.organization_id,
                       'ownership', (SELECT ${OWNERSHIP} FROM directory.organization o
                                      WHERE o.organization_id = m.organization_id)))), '[]') AS roles
                FROM directory_read.member_v1 m WHERE m.user_id = a.user_id) held`,
    values: [...scopeValues(scope), [...new Set(userIds)]],
  })
  return new Map(rows.map((row) => [row.userId, row]))
}

/** The accounts with roles that sign in by these providers, by the id of the provider. */
async function findLinkedAccounts(
  tx: Queryable,
  providerIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (providerIds.length === 0) return new Map()
  const { rows } = await tx.query<{ id: string; users: readonly string[] }>({
    name: 'transfer.identity_provider.linked_accounts', // identity_link_identity, member_once
    text: `SELECT l.provider_id AS id, array_agg(DISTINCT l.user_id::text) AS users
             FROM directory.identity_link l JOIN directory_read.member_v1 m USING (user_id)
            WHERE l.provider_id = ANY ($1::text[]) GROUP BY l.provider_id`,
    values: [providerIds],
  })
  return new Map(rows.map(({ id, users }) => [id, users]))
}

/** A user and a project of different organizations, or a project of another organization than those of the document. */
export interface RelationFacts {
  /** The index of the record. */
  readonly index: number
  readonly home: string
  readonly homeOwnership: Ownership
  readonly owner: string
  readonly ownerOwnership: Ownership
  /** Whether the organization of the user has accepted a grant of the project. */
  readonly isGranted: boolean
}

/** The relations of users to projects that are not within one organization of the document, by index. */
async function findCrossingRelations(
  tx: Queryable,
  scope: DocumentScope,
  relations: readonly { readonly userId: string; readonly projectId: string }[],
): Promise<ReadonlyMap<number, RelationFacts>> {
  if (relations.length === 0) return new Map()
  const { rows } = await tx.query<RelationFacts>({
    name: 'transfer.relation.facts', // primary keys
    text: `SELECT r.place::int - 1 AS index, a.organization_id AS home, home.ownership AS "homeOwnership",
                  p.organization_id AS owner, owner.ownership AS "ownerOwnership",
                  EXISTS (SELECT FROM directory.project_grant g
                           WHERE g.project_id = p.project_id AND g.granted_organization_id = a.organization_id
                             AND g.accepted) AS "isGranted"
             FROM unnest($3::text[], $4::text[]) WITH ORDINALITY AS r (user_id, project_id, place)
             JOIN directory.account a ON a.user_id = r.user_id
             JOIN directory.project p ON p.project_id = r.project_id
            CROSS JOIN LATERAL (SELECT ${OWNERSHIP} AS ownership FROM directory.organization o
                                 WHERE o.organization_id = p.organization_id) owner
            CROSS JOIN LATERAL (SELECT ${OWNERSHIP} AS ownership FROM directory.organization o
                                 WHERE o.organization_id = a.organization_id) home
            WHERE a.organization_id <> p.organization_id OR owner.ownership = 'other'`,
    values: [
      ...scopeValues(scope),
      relations.map(({ userId }) => userId),
      relations.map(({ projectId }) => projectId),
    ],
  })
  return new Map(rows.map((row) => [row.index, row]))
}

/** The organizations that have verified these domains and are not those of the document, by domain. */
async function findForeignDomains(
  tx: Queryable,
  scope: DocumentScope,
  domains: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (domains.length === 0) return new Map()
  const { rows } = await tx.query<{ domain: string; owner: string }>({
    name: 'transfer.organization_domain.foreign', // organization_domain_verified, primary key
    text: `SELECT d.domain, d.organization_id AS owner
             FROM directory.organization_domain d JOIN directory.organization o USING (organization_id)
            WHERE d.domain = ANY ($3::text[]) AND d.is_verified AND ${OWNERSHIP} = 'other'`,
    values: [...scopeValues(scope), domains],
  })
  return new Map(rows.map(({ domain, owner }) => [domain, owner]))
}

export interface OrganizationFacts {
  readonly id: string
  readonly state: 'active' | 'inactive'
  readonly verifiedDomains: readonly string[]
  /** The roles of the instance that its accounts hold. */
  readonly instanceRoles: readonly ReachingRole[]
}

async function findOrganizationFacts(
  tx: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, OrganizationFacts>> {
  if (ids.length === 0) return new Map()
  const { rows } = await tx.query<OrganizationFacts>({
    name: 'transfer.organization.facts', // primary keys, member_instance
    text: `SELECT o.organization_id AS id, o.state,
                  ARRAY(SELECT d.domain FROM directory.organization_domain d
                         WHERE d.organization_id = o.organization_id AND d.is_verified) AS "verifiedDomains",
                  (SELECT coalesce(jsonb_agg(DISTINCT jsonb_build_object('role', m.role)), '[]')
                     FROM directory.member m JOIN directory.account a USING (user_id)
                    WHERE m.level = 'instance' AND a.organization_id = o.organization_id) AS "instanceRoles"
             FROM directory.organization o WHERE o.organization_id = ANY ($1::text[])`,
    values: [ids],
  })
  return new Map(rows.map((row) => [row.id, row]))
}

export interface ProjectFacts {
  readonly id: string
  readonly allowedAudiences: readonly string[]
}

/** Finds the projects that have an application with an owner-only flag. */
async function findMarkedProjects(
  tx: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ProjectFacts>> {
  if (ids.length === 0) return new Map()
  const { rows } = await tx.query<ProjectFacts>({
    name: 'transfer.project.marked', // primary key, application_project
    text: `SELECT p.project_id AS id, p.allowed_audiences AS "allowedAudiences" FROM directory.project p
            WHERE p.project_id = ANY ($1::text[])
              AND EXISTS (SELECT FROM directory.application a
                           WHERE a.project_id = p.project_id AND (a.may_call_api OR a.first_party))`,
    values: [ids],
  })
  return new Map(rows.map((row) => [row.id, row]))
}

/** Finds the applications that have an owner-only flag. */
async function findMarkedApplications(tx: Queryable, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const { rows } = await tx.query<{ id: string }>({
    name: 'transfer.application.marked', // primary key
    text: `SELECT application_id AS id FROM directory.application
            WHERE application_id = ANY ($1::text[]) AND (may_call_api OR first_party)`,
    values: [ids],
  })
  return new Set(rows.map(({ id }) => id))
}

/** The facts about objects in one transaction, for a document; each member asks for many records in one statement. */
export interface AuthorityFacts {
  findOwnership(ids: readonly string[]): ReturnType<typeof findOwnership>
  findAccountFacts(userIds: readonly string[]): ReturnType<typeof findAccountFacts>
  findLinkedAccounts(providerIds: readonly string[]): ReturnType<typeof findLinkedAccounts>
  findCrossingRelations(
    relations: Parameters<typeof findCrossingRelations>[2],
  ): ReturnType<typeof findCrossingRelations>
  findForeignDomains(domains: readonly string[]): ReturnType<typeof findForeignDomains>
  findOrganizationFacts(ids: readonly string[]): ReturnType<typeof findOrganizationFacts>
  findMarkedProjects(ids: readonly string[]): ReturnType<typeof findMarkedProjects>
  findMarkedApplications(ids: readonly string[]): ReturnType<typeof findMarkedApplications>
}

export type ReadAuthorityFacts = (tx: Queryable, scope: DocumentScope) => AuthorityFacts

/** Reads the facts for a document in its transaction. */
export const readAuthorityFacts: ReadAuthorityFacts = (tx, scope) => ({
  findOwnership: (ids) => findOwnership(tx, scope, ids),
  findAccountFacts: (userIds) => findAccountFacts(tx, scope, userIds),
  findLinkedAccounts: (providerIds) => findLinkedAccounts(tx, providerIds),
  findCrossingRelations: (relations) => findCrossingRelations(tx, scope, relations),
  findForeignDomains: (domains) => findForeignDomains(tx, scope, domains),
  findOrganizationFacts: (ids) => findOrganizationFacts(tx, ids),
  findMarkedProjects: (ids) => findMarkedProjects(tx, ids),
  findMarkedApplications: (ids) => findMarkedApplications(tx, ids),
})
