import type { Fields } from './field.ts'

/**
 * The fields of a role of a project, beside its key. The management API, the bootstrap file, the export format, imports,
 * exports and undo derive from this table.
 */
export const ROLE_FIELDS = {
  /** Acts in values of the claim of the scope groups that are objects. A role without one has its key. */
  displayName: { kind: 'name', column: 'display_name' },
  group: {
    kind: 'name',
    column: 'role_group',
    optional: true,
    description: { request: 'For people who look at many roles; tokens do not carry it.' },
  },
} as const satisfies Fields
