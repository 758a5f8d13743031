import type { POLICY_KINDS } from '../bootstrap/schema/policies.ts'

export type PolicyKind = (typeof POLICY_KINDS)[keyof typeof POLICY_KINDS]

/** The rules of one kind that hold in an organization. */
export interface Policy {
  /** The organization has none of its own: the defaults of the instance hold. */
  readonly isDefault: boolean
  /** Members with the names of docs/spec 6.2; a missing one has its default. */
  readonly policy: Readonly<Record<string, unknown>>
  /** Members that Signet does not obey: they came with an import, or the instance became stricter. */
  readonly notObeyed: readonly string[]
}
