/** A bcrypt string as another provider exports it, of a random password. */
const HASH = '$2a$14$WzQ8nYtq3RkVf0sXe1uBhOgWwE3LaJUoLEdr.s.9CXS/2OTSCh9Py'

/** An organization of users with hashed passwords, as JSON of the export format; user `n` is called `<name>-<n>`. */
export function documentOf(name: string, users: number): string {
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
  return JSON.stringify({ orgs: [{ orgId: name, org: { name }, domains, humanUsers }] })
}

export const userIdOf = (organization: string, index: number): string => `${organization}-${index}`
