import type { Account } from '@signet/directory-reader/views'

/** Claims in their JSON form. */
export type Claims = Readonly<Record<string, unknown>>

/** OIDC Core section 5.1: every claim about a person, and where it comes from. Null and empty mean not known. */
const CLAIMS = {
  name: (account) => account.name,
  given_name: (account) => account.givenName,
  family_name: (account) => account.familyName,
  middle_name: (account) => account.middleName,
  nickname: (account) => account.nickname,
  preferred_username: (account) => account.loginName,
  profile: (account) => account.profile,
  picture: (account) => account.picture,
  website: (account) => account.website,
  gender: (account) => account.gender,
  birthdate: (account) => account.birthdate,
  zoneinfo: (account) => account.zoneinfo,
  locale: (account) => account.locale,
  updated_at: (account) => Math.floor(account.updatedAt.getTime() / 1000),
  email: (account) => account.email,
  email_verified: (account) => (account.email === null ? null : account.emailVerified),
  phone_number: (account) => account.phoneNumber,
  phone_number_verified: (account) => (account.phoneNumber === null ? null : account.phoneNumberVerified),
  address: (account) => {
    const address = addressClaim(account)
    return Object.keys(address).length === 0 ? null : address
  },
} as const satisfies Readonly<Record<string, (account: Account) => unknown>>

type ClaimName = keyof typeof CLAIMS

const PROFILE_CLAIMS: readonly ClaimName[] = [
  ...(['name', 'given_name', 'family_name', 'middle_name', 'nickname', 'preferred_username'] as const),
  ...(['profile', 'picture', 'website', 'gender', 'birthdate', 'zoneinfo', 'locale', 'updated_at'] as const),
]

/** OIDC Core section 5.4: the claims of each scope. A new scope is a line here. */
const CLAIMS_OF_SCOPE: ReadonlyMap<string, readonly ClaimName[]> = new Map<string, readonly ClaimName[]>([
  ['profile', PROFILE_CLAIMS],
  ['email', ['email', 'email_verified']],
  ['phone', ['phone_number', 'phone_number_verified']],
  ['address', ['address']],
])

/** The claims of an account for the granted scopes; unknown ones are omitted, `false` is not. */
export function claimsOfScopes(account: Account, scopes: readonly string[]): Claims {
  const names = scopes.flatMap((scope) => CLAIMS_OF_SCOPE.get(scope) ?? [])
  return claimsNamed(account, names)
}

/** The claims of an account with these names (OIDC Core section 5.5); other names are passed over. */
export function claimsNamed(account: Account, names: readonly string[]): Claims {
  return filled(Object.fromEntries(names.filter(isAccountClaim).map((name) => [name, CLAIMS[name](account)])))
}

/** The scopes whose claims can be found among these names. */
export function scopesRevealing(names: readonly string[]): readonly string[] {
  const reveals = ([, claims]: readonly [string, readonly ClaimName[]]) =>
    claims.some((claim) => names.includes(claim))
  return [...CLAIMS_OF_SCOPE].filter(reveals).map(([scope]) => scope)
}

/** Whether an account can answer for a claim of this name. */
export function isAccountClaim(name: string): name is ClaimName {
  return Object.hasOwn(CLAIMS, name)
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
