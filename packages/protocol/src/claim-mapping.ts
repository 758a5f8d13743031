/** The claims that an application fills from the metadata of its users: the name of a claim, and a metadata key. */
export type ClaimMapping = Readonly<Record<string, string>>

export const MOST_MAPPED_CLAIMS = 20

/** Longest key of the metadata of a user. */
const LONGEST_METADATA_KEY = 200

/** A letter first, so that no name collides with `__proto__`. Names that are URLs are common. */
const CLAIM_NAME = /^[A-Za-z][A-Za-z0-9_.:/-]{0,99}$/

/**
 * The claims whose values Signet decides or that say how a token may be used. A value of them from metadata could
 * pass for an authenticated one.
 */
const RESERVED_CLAIMS: ReadonlySet<string> = new Set([
  // RFC 7519 section 4.1
  ...['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti'],
  // OIDC Core sections 2, 3.1.3.6, 3.3.2.11 and 5.6.2, Front-Channel and Back-Channel Logout
  ...['azp', 'nonce', 'acr', 'amr', 'auth_time', 'at_hash', 'c_hash', 's_hash', 'sid', 'sub_jwk'],
  ...['_claim_names', '_claim_sources', 'events'],
  // RFC 8693 sections 4.1 to 4.4, RFC 7800, RFC 9396, RFC 9493, RFC 8417
  ...['act', 'scope', 'client_id', 'may_act', 'cnf', 'authorization_details', 'sub_id', 'toe', 'txn'],
  // RFC 7662 section 2.2
  ...['active', 'token_type', 'username'],
  // OIDC Core section 5.1
  ...['name', 'given_name', 'family_name', 'middle_name', 'nickname', 'preferred_username', 'profile'],
  ...['picture', 'website', 'gender', 'birthdate', 'zoneinfo', 'locale', 'updated_at'],
  ...['email', 'email_verified', 'phone_number', 'phone_number_verified', 'address'],
  // OpenID Connect for Identity Assurance 1.0
  'verified_claims',
  // The claims of the scope `groups`
  ...['groups', 'roles'],
])

const RESERVED_PREFIX = /^urn:(service|zitadel):/i

/** A rule that a mapping breaks; `claim` is absent where the rule is not about one claim with a printable name. */
interface MappingProblem {
  readonly claim?: string
  readonly rule: string
}

/** The rules of a mapping that the type does not show. */
export function claimMappingProblems(mapping: ClaimMapping): readonly MappingProblem[] {
  const entries = Object.entries(mapping)
  if (entries.length > MOST_MAPPED_CLAIMS) return [{ rule: `may have at most ${MOST_MAPPED_CLAIMS} claims` }]
  return entries.flatMap(([claim, key]) => {
    if (!CLAIM_NAME.test(claim)) {
      return [{ rule: 'names of claims have 1 to 100 characters of A-Za-z0-9_.:/- and begin with a letter' }]
    }
    if (RESERVED_CLAIMS.has(claim.toLowerCase()) || RESERVED_PREFIX.test(claim)) {
      return [{ claim, rule: 'is the name of a claim that is not filled from metadata' }]
    }
    if (key === '' || key.length > LONGEST_METADATA_KEY || key.includes('\0')) {
      return [{ claim, rule: `must be a metadata key of 1 to ${LONGEST_METADATA_KEY} characters` }]
    }
    return []
  })
}
