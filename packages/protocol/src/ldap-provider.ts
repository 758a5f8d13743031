// Values of members of an identity provider whose type is `ldap`.

/** Attributes that identify an entry as long as it exists, and are given to no other one. */
export const STABLE_ATTRIBUTES = ['entryUUID', 'objectGUID', 'nsUniqueId'] as const
export type StableAttribute = (typeof STABLE_ATTRIBUTES)[number]

/** The value of `groupsClaim` for all groups that a person belongs to directly or by another one, in Active Directory. */
export const NESTED_GROUPS = 'memberOf:1.2.840.113556.1.4.1941:'
/** The value of `groupsClaim` for the names of groups of RFC 2307. */
export const POSIX_GROUPS = 'posixGroup'
