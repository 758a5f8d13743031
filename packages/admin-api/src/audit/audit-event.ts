/** The actor: an account with an id, an unknown caller, the bootstrap file, or the service itself. */
export type AuditActor =
  | { readonly kind: 'human' | 'service_user' | 'client'; readonly id: string }
  | { readonly kind: 'anonymous' | 'bootstrap' | 'service' }

export interface AuditTarget {
  readonly kind: string
  /** Absent for what was never made, and for many at once. */
  readonly id?: string | undefined
}

/** One row of the audit log. It contains no text that a person typed and no secret. */
export interface AuditEvent {
  readonly actor: AuditActor
  /** `noun.verb` or a noun, in snake_case. */
  readonly action: string
  readonly target?: AuditTarget | undefined
  /** Where the target lies. */
  readonly organizationId?: string | undefined
  readonly clientAddress?: string | undefined
  /** `refused` by a rule, `failed` through our own fault or a dependency's. */
  readonly result: 'success' | 'refused' | 'failed'
  readonly details?: Readonly<Record<string, string | number | boolean | readonly string[]>> | undefined
}
