import type { Queryable } from '@signet/platform/postgres/pool'
import {
  PROVIDER_ROWS,
  type ProviderKindValues,
  type ProviderSettings,
  type RoleMapping,
} from '@signet/protocol/fields/identity-provider'
import type { ReachingRole } from '@signet/protocol/role-reach'
import { insertRow, readPage, seenCondition, updateRow } from '../database/row-statement.ts'
import { type EpochRow, toEpoch } from '../epochs/epoch.repository.ts'
import type { Epoch } from '../epochs/epoch.ts'
import type { SeenObjects } from '../permissions/seen-objects.ts'
import type { Page, PageRequest } from '../schema/paging.ts'
import type { FoundProvider, IdentityProvider, StoredProvider } from './identity-provider.ts'
import type { ProviderLogo } from './provider-logo.ts'
import { hasWayBeside } from './ways-in.ts'

/** Kinds of values whose columns are jsonb. */
const OF_JSON: ReadonlySet<string> = new Set([
  'claims',
  'mappedClaims',
  'publicJwk',
  'roleMappings',
] satisfies (keyof ProviderKindValues)[])

/** The columns of a provider `i`, by the names of its members. */
const PROVIDER_COLUMNS = `i.provider_id AS id, i.organization_id AS "organizationId", i.type, i.preset,
  ${PROVIDER_ROWS.map(([member, { column }]) => `i.${column} AS "${member}"`).join(', ')}, i.own_certificates AS "ownCertificates", i.state, i.created_at AS "createdAt", i.changed_at AS "changedAt"`

const SECRET_COLUMNS = 'i.sealed_secret AS "sealedSecret", i.sealed_own_keys AS "sealedOwnKeys"'

/** Read for the rows of an answer alone: the use follows from the organization and its policy. */
const USE_COLUMNS = `(SELECT u.usable FROM directory.identity_provider_use_v1 u WHERE u.provider_id = i.provider_id) AS usable,
  (SELECT d.day::text FROM directory.identity_provider_last_use d WHERE d.provider_id = i.provider_id) AS "lastUsedOn",
  CASE WHEN i.logo IS NOT NULL THEN jsonb_build_object('mediaType', i.logo_media_type, 'sha256', i.logo_sha256) END AS logo`

interface ListRow extends Omit<FoundProvider, 'sealedOwnKeys' | 'sealedSecret'> {
  readonly hasSecret: boolean
}

/** A role mapping that names a project or a role which the organization does not have. */
export interface UnknownRole {
  readonly projectId: string
  readonly role: string
}

/** The identity providers of organizations. */
export class IdentityProviderStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  async find(id: string): Promise<FoundProvider | undefined> {
    const { rows } = await this.#database.query<FoundProvider>({
      name: 'identity_provider.find', // primary keys
      text: `SELECT ${PROVIDER_COLUMNS}, ${SECRET_COLUMNS}, ${USE_COLUMNS} FROM directory.identity_provider i
              WHERE i.provider_id = $1`,
      values: [id],
    })
    return rows[0]
  }

  /** Finds a provider for a sign-in: whether people may sign in by it, and not when they did. */
  async findWithUse(id: string): Promise<(StoredProvider & { readonly usable: boolean }) | undefined> {
    const { rows } = await this.#database.query<StoredProvider & { readonly usable: boolean }>({
      name: 'identity_provider.find_with_use', // primary keys
      text: `SELECT ${PROVIDER_COLUMNS}, ${SECRET_COLUMNS}, u.usable
               FROM directory.identity_provider i JOIN directory.identity_provider_use_v1 u USING (provider_id)
              WHERE i.provider_id = $1`,
      values: [id],
    })
    return rows[0]
  }

  /** The provider that takes assertions at a path. */
  async findByConsumerPath(path: string): Promise<string | undefined> {
    const { rows } = await this.#database.query<{ id: string }>({
      name: 'identity_provider.find_by_consumer_path', // identity_provider_consumer
      text: 'SELECT provider_id AS id FROM directory.identity_provider WHERE assertion_consumer_path = $1',
      values: [path],
    })
    return rows[0]?.id
  }

  list(
    organizationId: string | undefined,
    request: PageRequest,
    seen?: SeenObjects,
  ): Promise<Page<IdentityProvider>> {
    return readPage<ListRow>(this.#database, {
      name: 'identity_provider.list', // identity_provider_organization or the primary key
      select: `SELECT ${PROVIDER_COLUMNS}, i.sealed_secret IS NOT NULL AS "hasSecret", ${USE_COLUMNS} FROM directory.identity_provider i`,
      key: 'i.provider_id',
      keyMember: 'id',
      filters: { 'i.organization_id': organizationId },
      conditions: { seen: seenCondition(seen, { organization: 'i.organization_id' }) },
      request,
    })
  }

  /** The number of providers of an organization, to which no other transaction adds one until this one ends. */
  async lockAndCount(organizationId: string): Promise<number> {
    await this.#database.query({
      name: 'identity_provider.lock_organization', // primary key
      text: 'SELECT FROM directory.organization WHERE organization_id = $1 FOR NO KEY UPDATE',
      values: [organizationId],
    })
    const { rows } = await this.#database.query<{ n: number }>({
      name: 'identity_provider.count', // identity_provider_organization
      text: 'SELECT count(*)::int AS n FROM directory.identity_provider WHERE organization_id = $1',
      values: [organizationId],
    })
    return rows[0]?.n ?? 0
  }

  async add(provider: StoredProvider): Promise<void> {
    const { id, organizationId, type, preset, state, createdAt, changedAt } = provider
    await this.#database.query(
      insertRow('identity_provider', 'identity_provider', {
        ...{
          provider_id: id,
          organization_id: organizationId,
          type,
          preset,
          state,
        },
        ...{ created_at: createdAt, changed_at: changedAt },
        ...settingColumns(provider),
        ...secretColumns(provider),
      }),
    )
  }

  async update(id: string, settings: ProviderSettings & Secrets, at: Date): Promise<void> {
    const columns = { ...settingColumns(settings), ...secretColumns(settings), changed_at: at }
    await this.#database.query(
      updateRow('identity_provider', 'identity_provider', columns, { provider_id: id }),
    )
  }

  /** Waits for the sign-ins that have begun to use the provider. */
  async setState(id: string, state: IdentityProvider['state'], at: Date): Promise<void> {
    await this.#database.query(
      updateRow('identity_provider', 'identity_provider', { state, changed_at: at }, { provider_id: id }),
    )
  }

  async setLogo(id: string, logo: ProviderLogo | null, at: Date): Promise<void> {
    const columns = { logo: logo?.content ?? null, logo_media_type: logo?.mediaType ?? null, changed_at: at }
    await this.#database.query(
      updateRow('identity_provider_logo', 'identity_provider', columns, { provider_id: id }),
    )
  }

  async delete(id: string): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      name: 'identity_provider.delete', // primary key
      text: 'DELETE FROM directory.identity_provider WHERE provider_id = $1',
      values: [id],
    })
    return rowCount === 1
  }

  /** The roles that mappings name and the organization does not have. */
  async unknownRoles(
    organizationId: string,
    mappings: readonly RoleMapping[],
  ): Promise<readonly UnknownRole[]> {
    if (mappings.length === 0) return []
    const { rows } = await this.#database.query<UnknownRole>({
      name: 'identity_provider.unknown_roles', // primary keys
      text: `SELECT DISTINCT m."projectId", r.role
               FROM jsonb_to_recordset($2::jsonb) AS m ("projectId" text, roles jsonb)
              CROSS JOIN LATERAL jsonb_array_elements_text(m.roles) AS r (role)
              WHERE NOT EXISTS (SELECT FROM directory.project p JOIN directory.project_role k USING (project_id)
                                 WHERE p.project_id = m."projectId" AND p.organization_id = $1 AND k.role_key = r.role)`,
      values: [organizationId, JSON.stringify(mappings)],
    })
    return rows
  }

  /** Whether an application of the organization has this client id. */
  async hasApplication(organizationId: string, clientId: string): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      name: 'identity_provider.has_application', // unique key of client ids, primary key
      text: `SELECT FROM directory.application a JOIN directory.project p USING (project_id)
              WHERE a.client_id = $2 AND p.organization_id = $1`,
      values: [organizationId, clientId],
    })
    return rowCount === 1
  }

  /** The roles that people with a link hold anywhere, each once. */
  async rolesOfLinked(id: string): Promise<readonly ReachingRole[]> {
    const { rows } = await this.#database.query<{
      role: string
      objectId: string | null
      organizationId: string | null
    }>({
      name: 'identity_provider.roles_of_linked', // identity_link_identity, member_once
      text: `SELECT DISTINCT m.role, m.object_id AS "objectId", m.organization_id AS "organizationId"
               FROM directory.identity_link l JOIN directory_read.member_v1 m USING (user_id)
              WHERE l.provider_id = $1`,
      values: [id],
    })
    return rows.map(({ role, objectId, organizationId }) => ({
      role,
      ...(objectId !== null && { objectId }),
      ...(organizationId !== null && { organizationId }),
    }))
  }

  /** Ends everything that was made for the people with a link. */
  async raiseEpochsOfLinked(id: string): Promise<readonly Epoch[]> {
    const { rows } = await this.#database.query<EpochRow>({
      name: 'identity_provider.raise_epochs', // identity_link_identity, primary key
      text: `UPDATE directory.account SET token_epoch = token_epoch + 1
              WHERE user_id IN (SELECT user_id FROM directory.identity_link WHERE provider_id = $1)
          RETURNING 'u' AS kind, user_id AS id, token_epoch AS epoch`,
      values: [id],
    })
    return rows.map(toEpoch)
  }

  /** Number of people who could not sign in any more without the provider. */
  async peopleWithoutOtherWay(id: string, rpId: string | undefined): Promise<number> {
    const { rows } = await this.#database.query<{ n: number }>({
      name: 'identity_provider.people_without_other_way', // identity_link_identity, primary keys
      text: `SELECT count(DISTINCT l.user_id)::int AS n FROM directory.identity_link l
              WHERE l.provider_id = $1 AND NOT ${hasWayBeside('l.user_id', '$2', 'o.provider_id <> $1')}`,
      values: [id, rpId ?? ''],
    })
    return rows[0]?.n ?? 0
  }
}

type Secrets = Pick<StoredProvider, 'ownCertificates' | 'sealedOwnKeys' | 'sealedSecret'>

const secretColumns = ({ sealedSecret, ownCertificates, sealedOwnKeys }: Secrets) => ({
  sealed_secret: sealedSecret,
  own_certificates: ownCertificates,
  sealed_own_keys: sealedOwnKeys,
})

function settingColumns(settings: ProviderSettings) {
  return Object.fromEntries(
    PROVIDER_ROWS.map(([member, { column, kind }]) => {
      const value = settings[member]
      return [column, OF_JSON.has(kind) && value !== null ? JSON.stringify(value) : value]
    }),
  )
}
