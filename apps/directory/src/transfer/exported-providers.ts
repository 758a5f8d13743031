import { openValue } from '@signet/platform/sealing/sealed-value'
import { type GivenMember, PROVIDER_ROWS } from '@signet/protocol/fields/identity-provider'
import type { StoredProvider } from '../identity-providers/identity-provider.ts'
import { openOwnKeys } from '../identity-providers/own-keys.ts'
import { identityProviderPurpose, MasterKeyUnknownError } from '../sealing/purposes.ts'
import { timestamp, withoutSecrets, withoutZeros } from './exported-records.ts'

// Identity providers and links as records of the document, beside the records of both lists that are stored only.

type Json = Readonly<Record<string, unknown>>

/** The columns of c, the stored members of a record. */
const CARRIED_COLUMNS = 'c.list, c.record_key, c.sealed_record'

const carriedOf = (list: string) =>
  `(SELECT list, record_key, sealed_record FROM directory.carried_record
     WHERE organization_id = o.id AND list = '${list}') c`

/** The members of a provider that no secret decides. */
const EXPORTED = PROVIDER_ROWS.filter(([, { derived }]) => !derived)

/** The providers of the organization o.id: identity_provider_organization, and the primary key of carried records. */
export const PROVIDERS = `SELECT i.*, ${CARRIED_COLUMNS}
   FROM (SELECT provider_id, type, preset, sealed_secret AS "sealedSecret", own_certificates AS "ownCertificates",
                sealed_own_keys AS "sealedOwnKeys", logo, state, created_at AS "createdAt",
                ${EXPORTED.map(([member, { column }]) => `${column} AS "${member}"`).join(', ')}
           FROM directory.identity_provider WHERE organization_id = o.id) i
   FULL JOIN ${carriedOf('oidcIdps')} ON c.record_key = i.provider_id
  ORDER BY coalesce(i.provider_id, c.record_key)`

export type ExportedProvider = {
  readonly [M in keyof Omit<
    StoredProvider,
    'id' | 'organizationId' | 'changedAt' | 'clientPublicJwk'
  >]: StoredProvider[M]
} & { readonly provider_id: string | null; readonly logo: Buffer | null }

interface Choices {
  readonly masterKeys: readonly Buffer[]
  readonly withSecrets: boolean
}

/** Returns the record of a row; undefined for members of a provider that was deleted. */
export function providerRecord(
  row: ExportedProvider,
  carried: Json,
  { masterKeys, withSecrets }: Choices,
): Json | undefined {
  const { isUsed, ...given } = carried
  const stored = withSecrets ? given : withoutSecrets(given)
  const { provider_id: idpId } = row
  if (idpId === null) return isUsed === true ? undefined : stored
  const { createdAt, ownCertificates, preset, sealedSecret, sealedOwnKeys, state, type, logo } = row
  return {
    ...stored,
    idpId,
    idp: withoutZeros({
      ...(stored.idp as Json | undefined),
      ...ownMembers(row),
      ...{ preset, ownCertificates, type: type === 'oidc' ? undefined : type },
      ...(withSecrets &&
        sealedSecret !== null && { clientSecret: secretOf(masterKeys, idpId, sealedSecret) }),
      ...(withSecrets && { ownPrivateKeys: openOwnKeys(idpId, sealedOwnKeys, masterKeys) }),
      logo: logo?.toString('base64'),
    }),
    state: state === 'inactive' ? 'IDP_STATE_INACTIVE' : 'IDP_STATE_ACTIVE',
    creationDate: timestamp(createdAt),
  }
}

const ownMembers = (row: ExportedProvider): Json =>
  Object.fromEntries(
    EXPORTED.map(([member, { exported = member, exportedWithout }]) => [
      exported,
      row[member as GivenMember] === exportedWithout ? undefined : row[member as GivenMember],
    ]),
  )

function secretOf(masterKeys: readonly Buffer[], id: string, sealed: Buffer): string {
  const secret = openValue(masterKeys, sealed, identityProviderPurpose(id))
  if (secret === undefined) throw new MasterKeyUnknownError(`the secret of the identity provider ${id}`)
  return secret.toString()
}

/** The links of people of the organization o.id: account_organization, identity_link_user, primary keys. */
export const LINKS = `SELECT l.*, ${CARRIED_COLUMNS}
   FROM (SELECT k.user_id, k.provider_id, k.link_id, k.subject, k.display_name, k.created_at, k.last_used_at,
                i.name AS provider_name, i.type AS provider_type, nullif(k.issuer, i.issuer) AS issuer,
                k.user_id || '_' || k.provider_id || ' ' || k.subject || coalesce(' ' || nullif(k.issuer, i.issuer), '') AS link_key
           FROM directory.account a JOIN directory.identity_link k USING (user_id)
           JOIN directory.identity_provider i USING (provider_id)
          WHERE a.organization_id = o.id) l
   FULL JOIN ${carriedOf('userLinks')} ON c.record_key = l.link_key
  ORDER BY coalesce(l.link_key, c.record_key)`

export interface ExportedLink {
  readonly user_id: string | null
  readonly provider_id: string
  readonly link_id: string
  readonly subject: string
  readonly display_name: string | null
  /** Null: that of the provider. */
  readonly issuer: string | null
  readonly provider_name: string
  readonly provider_type: StoredProvider['type']
  readonly created_at: Date
  readonly last_used_at: Date | null
}

const IDP_TYPES = {
  oidc: 'IDP_TYPE_OIDC',
  saml: 'IDP_TYPE_SAML',
  ldap: 'IDP_TYPE_LDAP',
  github: 'IDP_TYPE_GITHUB',
} as const

/** Returns the record of a row; undefined for members of a link that was deleted. */
export function linkRecord(row: ExportedLink, carried: Json): Json | undefined {
  const { isUsed, ...stored } = carried
  if (row.user_id === null) return isUsed === true ? undefined : stored
  return {
    ...{ idpName: row.provider_name, idpType: IDP_TYPES[row.provider_type], ...stored },
    ...withoutZeros({
      userId: row.user_id,
      idpId: row.provider_id,
      providedUserId: row.subject,
      providedUserName: row.display_name,
      issuer: row.issuer,
      linkId: row.link_id,
      creationDate: timestamp(row.created_at),
      lastUseDate: row.last_used_at === null ? undefined : timestamp(row.last_used_at),
    }),
  }
}
