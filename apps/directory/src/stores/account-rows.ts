import type { Account, Address, Email, Phone, Profile, ServiceUser } from '../accounts/account.ts'
import { ADDRESS_JSON, EMAIL_JSON, PHONE_JSON, PROFILE_JSON } from './person-columns.ts'

export interface AccountRow
  extends Pick<Account, 'id' | 'organizationId' | 'userName' | 'state' | 'createdAt' | 'updatedAt'> {
  readonly kind: Account['kind']
  readonly name: string
  readonly profile: Profile
  readonly email: Email | null
  readonly phone: Phone | null
  readonly address: Address | null
  readonly passwordChangeRequired: boolean
  readonly clientId: string | null
  readonly accessTokenType: ServiceUser['accessTokenType'] | null
  readonly accessTokenSigningAlg: ServiceUser['accessTokenSigningAlg'] | null
}

export const ACCOUNT_SELECT = `
  SELECT a.user_id AS id, a.organization_id AS "organizationId", a.kind, a.user_name AS "userName", a.state,
         a.created_at AS "createdAt", a.updated_at AS "updatedAt", a.display_name AS name,
         ${PROFILE_JSON} AS profile, ${EMAIL_JSON} AS email, ${PHONE_JSON} AS phone, ${ADDRESS_JSON} AS address,
         coalesce(p.change_required, false) AS "passwordChangeRequired",
         s.client_id AS "clientId", s.access_token_type AS "accessTokenType",
         s.access_token_signing_alg AS "accessTokenSigningAlg"
    FROM directory.account a LEFT JOIN directory.service_user s USING (user_id)
    LEFT JOIN directory.account_password p USING (user_id)`

export function toAccount(row: AccountRow): Account {
  const { id, organizationId, userName, state, createdAt, updatedAt } = row
  const account = { id, organizationId, userName, state, createdAt, updatedAt }
  if (row.kind === 'human') {
    return {
      kind: 'human',
      ...account,
      profile: row.profile,
      email: row.email ?? undefined,
      phone: row.phone ?? undefined,
      address: row.address ?? undefined,
      passwordChangeRequired: row.passwordChangeRequired,
    }
  }
  return {
    kind: 'service_user',
    ...account,
    name: row.name,
    clientId: row.clientId ?? undefined,
    accessTokenType: row.accessTokenType ?? 'bearer',
    accessTokenSigningAlg: row.accessTokenSigningAlg ?? 'RS256',
  }
}
