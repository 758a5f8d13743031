import type { components } from '../api/gen/schema.ts'

export type User = components['schemas']['User']

/** How people call a user. */
export const nameOf = (user: User): string => (user.kind === 'human' ? user.profile.displayName : user.name)
