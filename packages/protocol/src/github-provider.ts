// A name that the directory stores for a provider of GitHub and that federation reads.

/** The member of `requiredClaims` with the number of an organization: a person has to be an active member of it. */
export const ORGANIZATION_CLAIM = 'organization'
