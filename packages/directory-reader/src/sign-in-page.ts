// The sign-in page of an organization, by the views sign_in_page_v1, password_reset_v1, passkey_policy_v1, identity_provider_v1
// and login_domain_v1.
import { domainToUnicode } from 'node:url'
import type { Queryable } from '@signet/platform/postgres/pool'
import type { BrandingFile } from '@signet/protocol/branding-files'
import { asciiDomain } from '@signet/protocol/domain-name'
import { isIdentifier } from '@signet/tokens/identifiers'
import type { DirectoryReader } from './directory-reader.ts'
import { createOrganizationCaches, type OrganizationCacheOptions } from './organization-caches.ts'

/** The parts of the sign-in page that the login policy of an organization decides. */
export interface SignInPage {
  /** People may reset their passwords by e-mail: a server can send messages, and the login policy does not hide it. */
  readonly offersReset: boolean
  /** The login name is asked for first, and the password on the next page. */
  readonly identifierFirst: boolean
  /** People may sign in with a passkey alone. */
  readonly allowsPasskey: boolean
  /** The identity providers by which people may sign in, in the order of the page. */
  readonly providers: readonly OfferedProvider[]
}

/** An identity provider on the sign-in page. */
export interface OfferedProvider {
  readonly id: string
  readonly name: string
  /** The kind of the provider; null: none that Signet knows. */
  readonly preset: string | null
  /** The picture of its button; null: it has none. */
  readonly logo: BrandingFile | null
  /** `ldap`: the person types the password of the provider at the sign-in page of Signet. */
  readonly type: string
}

/**
 * Finds the sign-in page of an organization, or of the default one without an id; PLAIN_SIGN_IN_PAGE where there is none. Without
 * an id the domain of a login name leads to the providers of its organization, where the login policy of that one allows it.
 */
export type FindSignInPage = (organizationId: string | undefined, loginName?: string) => Promise<SignInPage>

export const PLAIN_SIGN_IN_PAGE: SignInPage = {
  offersReset: false,
  identifierFirst: false,
  allowsPasskey: false,
  providers: [],
}

interface SignInPageReaderOptions extends OrganizationCacheOptions {
  readonly database: Queryable
  readonly directory: Pick<DirectoryReader, 'follow' | 'settings'>
}

interface Row extends SignInPage {
  readonly organizationId: string
}

/** Reads the views, which only login may read, through a cache that follows the change feed of the directory reader. */
export function createSignInPageReader({ database, ...options }: SignInPageReaderOptions): FindSignInPage {
  const { directory } = options
  const createCache = createOrganizationCaches(options)
  const pages = createCache(isIdentifier, (organizationId) => loadSignInPage(database, organizationId))
  const discovered = createCache(
    (domain) => domain !== '',
    (domain) => loadDiscovery(database, domain),
  )

  /** The providers of the organization to which a login name leads. */
  async function discoverProviders(loginName: string): Promise<readonly OfferedProvider[] | undefined> {
    const domain = asciiDomain(
      loginName
        .slice(loginName.lastIndexOf('@') + 1)
        .trim()
        .toLowerCase(),
    )
    const found = loginName.includes('@') && domain !== undefined ? await discovered.get(domain) : undefined
    return found && (await pages.get(found.organizationId))?.providers
  }

  return async (organizationId, loginName) => {
    const id = organizationId ?? (await directory.settings()).defaultOrganizationId
    const page = (id === null ? undefined : await pages.get(id)) ?? PLAIN_SIGN_IN_PAGE
    if (organizationId !== undefined || loginName === undefined) return page
    const providers = await discoverProviders(loginName)
    return providers === undefined ? page : { ...page, providers }
  }
}

/** Domains are stored as they were added. */
async function loadDiscovery(database: Queryable, domain: string): Promise<Discovery | undefined> {
  const { rows } = await database.query<Discovery>({
    name: 'directory_reader.domain_discovery', // organization_domain_verified
    text: `SELECT organization_id AS "organizationId" FROM directory_read.login_domain_v1
            WHERE domain = ANY ($1::text[]) LIMIT 1`,
    values: [[domain, domainToUnicode(domain)]],
  })
  return rows[0]
}

interface Discovery {
  readonly organizationId: string
}

async function loadSignInPage(database: Queryable, organizationId: string): Promise<Row | undefined> {
  const { rows } = await database.query<Row>({
    name: 'directory_reader.sign_in_page', // primary keys, identity_provider_organization
    text: `SELECT organization_id AS "organizationId", r.offered AS "offersReset", p.identifier_first AS "identifierFirst",
                  k.sign_in AS "allowsPasskey",
                  (SELECT coalesce(jsonb_agg(jsonb_build_object('id', i.provider_id, 'name', i.name, 'preset', i.preset, 'type', i.type, 'logo',
                                                                CASE WHEN i.logo_sha256 IS NOT NULL
                                                                     THEN jsonb_build_object('mediaType', i.logo_media_type, 'sha256', i.logo_sha256) END)
                                             ORDER BY i.place, i.name, i.provider_id), '[]')
                     FROM directory_read.identity_provider_v1 i WHERE i.organization_id = $1) AS providers
             FROM directory_read.password_reset_v1 r JOIN directory_read.sign_in_page_v1 p USING (organization_id)
             JOIN directory_read.passkey_policy_v1 k USING (organization_id)
            WHERE organization_id = $1`,
    values: [organizationId],
  })
  return rows[0]
}
