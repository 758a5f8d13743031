import type { Queryable } from '@signet/platform/postgres/pool'
import { type ChangesOf, fieldNames, newObject, type ValuesOf } from '@signet/protocol/fields/field'
import { ORGANIZATION_FIELDS } from '@signet/protocol/fields/organization'
import { columnNames, selectFields } from '../database/field-columns.ts'
import { readPage, seenCondition } from '../database/row-statement.ts'
import { type EpochRow, toEpoch } from '../epochs/epoch.repository.ts'
import type { Epoch } from '../epochs/epoch.ts'
import type { SeenObjects } from '../permissions/seen-objects.ts'
import type { Page, PageRequest } from '../schema/paging.ts'
import { beginLargeDeletion, MOST_ROWS_AT_ONCE } from './organization-deletion.repository.ts'

/** `deleting`: its rows are deleted in the background; nothing of it counts any more. */
export type OrganizationState = 'active' | 'inactive' | 'deleting'

export interface Organization extends ValuesOf<typeof ORGANIZATION_FIELDS> {
  readonly id: string
  readonly state: OrganizationState
  readonly createdAt: Date
}

/** The fields of an organization that is made; those with a default may be left out. */
export type NewOrganization = ChangesOf<typeof ORGANIZATION_FIELDS> &
  Pick<Organization, 'name' | 'primaryDomain'>

export interface OrganizationChanges extends ChangesOf<typeof ORGANIZATION_FIELDS> {
  readonly state?: Exclude<OrganizationState, 'deleting'> | undefined
}

export interface OrganizationFilter {
  readonly state?: OrganizationState | undefined
  readonly name?: string | undefined
  readonly primaryDomain?: string | undefined
}

const SELECT = `SELECT organization_id AS id, ${selectFields(ORGANIZATION_FIELDS)}, state, created_at AS "createdAt"
                  FROM directory.organization`

const COLUMNS = columnNames(ORGANIZATION_FIELDS)
const ADD = `INSERT INTO directory.organization (organization_id, ${COLUMNS.join(', ')})
             VALUES ($1, ${COLUMNS.map((_, at) => `$${at + 2}`).join(', ')})`
const UPDATE = `UPDATE directory.organization
                   SET ${['state', ...COLUMNS].map((column, at) => `${column} = coalesce($${at + 2}, ${column})`).join(', ')}
                 WHERE organization_id = $1 AND organization.state <> 'deleting'
             RETURNING 'o' AS kind, organization_id AS id, token_epoch AS epoch`

export class OrganizationStore {
  readonly #database: Queryable
  readonly #mostRows: number

  constructor(database: Queryable, mostRows: number = MOST_ROWS_AT_ONCE) {
    this.#database = database
    this.#mostRows = mostRows
  }

  async find(id: string): Promise<Organization | undefined> {
    const { rows } = await this.#database.query<Organization>({
      name: 'organization.find', // primary key
      text: `${SELECT} WHERE organization_id = $1`,
      values: [id],
    })
    return rows[0]
  }

  list(
    { state, name, primaryDomain }: OrganizationFilter,
    request: PageRequest,
    seen?: SeenObjects,
  ): Promise<Page<Organization>> {
    return readPage<Organization>(this.#database, {
      name: 'organization.list', // primary key
      select: SELECT,
      key: 'organization_id',
      keyMember: 'id',
      filters: { state, name, primary_domain: primaryDomain },
      conditions: { seen: seenCondition(seen, { organization: 'organization_id' }) },
      request,
    })
  }

  /** Adds an organization with its primary domain, which is verified by that. */
  async add({ id, ...organization }: NewOrganization & { readonly id: string }): Promise<void> {
    await this.#database.query({
      name: 'organization.add',
      text: ADD,
      values: [id, ...Object.values(newObject(ORGANIZATION_FIELDS, organization))],
    })
    await this.#database.query({
      name: 'organization_domain.add_primary',
      text: 'INSERT INTO directory.organization_domain (organization_id, domain, is_verified) VALUES ($1, $2, true)',
      values: [id, organization.primaryDomain],
    })
  }

  /**
   * The epoch after it, which has risen if the organization was active and no longer is; undefined: no organization, or one that
   * is being deleted.
   */
  async update(
    id: string,
    { state, ...changes }: OrganizationChanges,
  ): Promise<readonly Epoch[] | undefined> {
    const { rows } = await this.#database.query<EpochRow>({
      name: 'organization.update', // primary key
      text: UPDATE,
      values: [id, state ?? null, ...fieldNames(ORGANIZATION_FIELDS).map((name) => changes[name] ?? null)],
    })
    return rows.length === 0 ? undefined : rows.map(toEpoch)
  }

  /**
   * Deletes the organization with everything in it, or, when it has more rows than a request may delete, gives it the state
   * `deleting`. Returns the epochs under which everything of it has ended; empty: there never was one with this id.
   */
  async delete(id: string): Promise<readonly Epoch[]> {
    const ended = await beginLargeDeletion(this.#database, id, this.#mostRows)
    if (ended !== undefined) return [toEpoch(ended)]
    await this.#database.query({
      name: 'organization.delete', // primary key
      text: 'DELETE FROM directory.organization WHERE organization_id = $1',
      values: [id],
    })
    const { rows } = await this.#database.query<EpochRow>({
      name: 'retired_epoch.of_organization', // retired_epoch_owner
      text: `SELECT kind, id, max(epoch) AS epoch FROM directory.retired_epoch
              WHERE owner_kind = 'organization' AND owner_id = $1 GROUP BY kind, id`,
      values: [id],
    })
    return rows.map(toEpoch)
  }
}
