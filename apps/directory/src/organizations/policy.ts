import type { PolicyName } from './policy-members.ts'

/** The member of the bootstrap file and the kind under which the document is stored. */
export const POLICY_KINDS = {
  loginPolicy: 'login',
  lockoutPolicy: 'lockout',
  passwordComplexityPolicy: 'password_complexity',
  privacyPolicy: 'privacy',
  labelPolicy: 'label',
  domainPolicy: 'domain',
} as const satisfies Readonly<Record<PolicyName, string>>

export type PolicyKind = (typeof POLICY_KINDS)[PolicyName]

export const POLICY_NAMES = Object.fromEntries(
  Object.entries(POLICY_KINDS).map(([name, kind]) => [kind, name]),
) as Readonly<Record<PolicyKind, PolicyName>>

/** The rules of one kind that hold in an organization. */
export interface Policy {
  /** The organization has none of its own: the defaults of the instance hold. */
  readonly isDefault: boolean
  /** Members with the names of docs/spec 6.2; a missing one has its default. */
  readonly policy: Readonly<Record<string, unknown>>
  /** Members that Signet does not obey: they came with an import, or the instance became stricter. */
  readonly notObeyed: readonly string[]
}
