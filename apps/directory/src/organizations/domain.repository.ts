import type { Queryable } from '@signet/platform/postgres/pool'
import { readPage } from '../database/row-statement.ts'
import type { Page, PageRequest } from '../schema/paging.ts'

export interface Domain {
  readonly domainName: string
  /** Only a verified domain counts at sign-in, and it belongs to one organization. */
  readonly isVerified: boolean
  readonly isPrimary: boolean
}

const SELECT = `SELECT d.domain AS "domainName", d.is_verified AS "isVerified", d.domain = o.primary_domain AS "isPrimary"
                  FROM directory.organization_domain d JOIN directory.organization o USING (organization_id)`

export class DomainStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  async find(organizationId: string, domainName: string): Promise<Domain | undefined> {
    const { rows } = await this.#database.query<Domain>({
      name: 'organization_domain.find', // primary keys
      text: `${SELECT} WHERE d.organization_id = $1 AND d.domain = $2`,
      values: [organizationId, domainName],
    })
    return rows[0]
  }

  list(organizationId: string, request: PageRequest): Promise<Page<Domain>> {
    return readPage<Domain>(this.#database, {
      name: 'organization_domain.list', // primary keys
      select: SELECT,
      key: 'd.domain',
      keyMember: 'domainName',
      filters: { 'd.organization_id': organizationId },
      request,
    })
  }

  async add(
    organizationId: string,
    { domainName, isVerified }: Pick<Domain, 'domainName' | 'isVerified'>,
  ): Promise<void> {
    await this.#database.query({
      name: 'organization_domain.add',
      text: 'INSERT INTO directory.organization_domain (organization_id, domain, is_verified) VALUES ($1, $2, $3)',
      values: [organizationId, domainName, isVerified],
    })
  }

  async setVerified(organizationId: string, domainName: string, isVerified: boolean): Promise<void> {
    await this.#database.query({
      name: 'organization_domain.set_verified', // primary key
      text: 'UPDATE directory.organization_domain SET is_verified = $3 WHERE organization_id = $1 AND domain = $2',
      values: [organizationId, domainName, isVerified],
    })
  }

  async delete(organizationId: string, domainName: string): Promise<void> {
    await this.#database.query({
      name: 'organization_domain.delete', // primary key
      text: 'DELETE FROM directory.organization_domain WHERE organization_id = $1 AND domain = $2',
      values: [organizationId, domainName],
    })
  }
}
