/** Where the number of failures stands that an account may make: the policy of its organization. */
export interface AttemptPolicies {
  /** Undefined for an organization that is unknown. */
  ofOrganization(organizationId: string): Promise<number | undefined>
  ofPrimaryDomain(domain: string): Promise<number | undefined>
  ofDefaultOrganization(): Promise<number | undefined>
}

const DEFAULT_LIMIT = 5

/** How many passwords may fail for a login name; 0: any number. */
export type FindAttemptLimit = (loginName: string, organizationId: string | undefined) => Promise<number>

/**
 * By the organization of the request, else by the domain of the login name, else by the default organization: which
 * account a name means is the directory's secret until the password is right.
 */
export function attemptLimits(policies: AttemptPolicies): FindAttemptLimit {
  return async (loginName, organizationId) => {
    if (organizationId !== undefined) return (await policies.ofOrganization(organizationId)) ?? DEFAULT_LIMIT
    const domain = /@([^@]+)$/.exec(loginName.trim().toLowerCase())?.[1]
    const ofDomain = domain === undefined ? undefined : await policies.ofPrimaryDomain(domain)
    return ofDomain ?? (await policies.ofDefaultOrganization()) ?? DEFAULT_LIMIT
  }
}
