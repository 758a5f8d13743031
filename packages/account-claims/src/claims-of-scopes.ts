import type { Account } from '@signet/directory-reader/views'

/** Claims as they stand in JSON. */
export type Claims = Readonly<Record<string, unknown>>

type ClaimSource = (account: Account) => Claims

/** OIDC Core section 5.4: what each scope reveals. Adding a scope is a line here. */
const CLAIMS_OF_SCOPE: ReadonlyMap<string, ClaimSource> = new Map(
  Object.entries<ClaimSource>({
    profile: (account) => ({
      name: account.name,
      given_name: account.givenName,
      family_name: account.familyName,
      middle_name: account.middleName,
      nickname: account.nickname,
      preferred_username: account.loginName,
      profile: account.profile,
      picture: account.picture,
      website: account.website,
      gender: account.gender,
      birthdate: account.birthdate,
      zoneinfo: account.zoneinfo,
      locale: account.locale,
      updated_at: Math.floor(account.updatedAt.getTime() / 1000),
    }),
    email: ({ email, emailVerified }) => (email === null ? {} : { email, email_verified: emailVerified }),
    phone: ({ phoneNumber, phoneNumberVerified }) =>
      phoneNumber === null ? {} : { phone_number: phoneNumber, phone_number_verified: phoneNumberVerified },
    address: (account) => {
      const address = addressClaim(account)
      return Object.keys(address).length === 0 ? {} : { address }
    },
  }),
)

/** The claims of an account that the granted scopes reveal; what is not known is left out, `false` is not. */
export function claimsOfScopes(account: Account, scopes: readonly string[]): Claims {
  return filled(Object.assign({}, ...scopes.map((scope) => CLAIMS_OF_SCOPE.get(scope)?.(account) ?? {})))
}

/** OIDC Core section 5.1.1. */
function addressClaim(account: Account): Claims {
  return filled({
    street_address: account.streetAddress,
    locality: account.locality,
    region: account.region,
    postal_code: account.postalCode,
    country: account.country,
  })
}

function filled(claims: Claims): Claims {
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== null && value !== ''))
}
