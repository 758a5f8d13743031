import type { Descriptions, Fields } from './field.ts'

const LOGIN_NAMES = 'Login names are <userName>@<primaryDomain>.'
const description: Descriptions = { request: LOGIN_NAMES, file: LOGIN_NAMES }

/** The fields of an organization that the export format has in `org`. */
export const ORG_MEMBERS = {
  name: { kind: 'name', column: 'name' },
} as const satisfies Fields

/**
 * The fields of an organization beside its state. The management API, the bootstrap file, the export format, imports, exports and
 * undo derive from this table; so do the columns of `directory_read.organization_v1`, which has those of policies as well.
 */
export const ORGANIZATION_FIELDS = {
  ...ORG_MEMBERS,
  /** The format names it among the domains. */
  primaryDomain: { kind: 'domain', column: 'primary_domain', description },
} as const satisfies Fields
