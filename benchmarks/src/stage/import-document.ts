/** A bcrypt string as another provider exports it, of a random password. */
const HASH = '$2a$14$WzQ8nYtq3RkVf0sXe1uBhOgWwE3LaJUoLEdr.s.9CXS/2OTSCh9Py'

/** Organizations of equally many users. */
export interface Crew {
  readonly organizationIds: readonly string[]
  /** Number of users of all organizations. */
  readonly users: number
}

export const oneOrganization = (name: string, users: number): Crew => ({ organizationIds: [name], users })

/** Organizations of 20 users. */
export const smallOrganizations = (name: string, users: number): Crew => ({
  organizationIds: Array.from({ length: users / 20 }, (_, index) => `${name}-${index}`),
  users,
})

/** Organizations of users with hashed passwords, as JSON of the export format; user `n` of one is called `<id>-<n>`. */
export function documentOf({ organizationIds, users }: Crew): string {
  const each = users / organizationIds.length
  return `{"orgs":[${organizationIds.map((id) => organizationOf(id, each)).join(',')}]}`
}

function organizationOf(name: string, users: number): string {
  const humanUsers = Array.from({ length: users }, (_, index) => {
    const userId = userIdOf(name, index)
    return {
      userId,
      user: {
        userName: userId,
        profile: { firstName: 'Given', lastName: userId },
        email: { email: `${userId}@${name}.example`, isEmailVerified: true },
        hashedPassword: { value: HASH },
      },
      state: 'USER_STATE_ACTIVE',
      creationDate: '2025-01-01T00:00:00Z',
    }
  })
  const domains = [{ domainName: `${name}.example`, isVerified: true, isPrimary: true }]
  return JSON.stringify({ orgId: name, org: { name }, domains, humanUsers })
}

export const userIdOf = (organization: string, index: number): string => `${organization}-${index}`
