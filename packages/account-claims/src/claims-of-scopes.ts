import type { Account } from '@signet/directory-reader/views'

/** Claims as they stand in JSON. */
export type Claims = Readonly<Record<string, unknown>>

type ClaimSource = (account: Account) => Claims

/** OIDC Core section 5.4: what each scope reveals. Adding a scope is a line here. */
const CLAIMS_OF_SCOPE: Readonly<Record<string, ClaimSource>> = {
  profile: (account) => ({
    name: account.displayName,
    given_name: account.givenName,
    family_name: account.familyName,
    middle_name: account.middleName,
    nickname: account.nickName,
    preferred_username: account.loginName,
    profile: account.profileUrl,
    picture: account.picture,
    website: account.website,
    gender: account.gender,
    birthdate: account.birthdate,
    zoneinfo: account.zoneinfo,
    locale: account.preferredLanguage,
    updated_at: Math.floor(account.updatedAt.getTime() / 1000),
  }),
  email: (account) =>
    account.email === undefined
      ? {}
      : { email: account.email.address, email_verified: account.email.verified },
  phone: (account) =>
    account.phone === undefined
      ? {}
      : { phone_number: account.phone.number, phone_number_verified: account.phone.verified },
  address: (account) => (account.address === undefined ? {} : { address: addressClaim(account.address) }),
}

/** The claims of an account that the granted scopes reveal; what is not known is left out, `false` is not. */
export function claimsOfScopes(account: Account, scopes: readonly string[]): Claims {
  return filled(Object.assign({}, ...scopes.map((scope) => CLAIMS_OF_SCOPE[scope]?.(account) ?? {})))
}

/** OIDC Core section 5.1.1. */
function addressClaim(address: NonNullable<Account['address']>): Claims {
  return filled({
    formatted: address.formatted,
    street_address: address.streetAddress,
    locality: address.locality,
    region: address.region,
    postal_code: address.postalCode,
    country: address.country,
  })
}

function filled(claims: Claims): Claims {
  return Object.fromEntries(
    Object.entries(claims).filter(([, value]) => value !== undefined && value !== null && value !== ''),
  )
}
