/** The service that wrote it. */
export const AUDITED_SERVICES = ['directory', 'token', 'keys', 'migration'] as const
export type AuditedService = (typeof AUDITED_SERVICES)[number]

export const AUDIT_RESULTS = ['success', 'refused', 'failed'] as const

/** Row of an audit log, as administrators read it. */
export interface AuditEntry {
  readonly id: string
  readonly at: Date
  readonly service: AuditedService
  readonly action: string
  readonly result: (typeof AUDIT_RESULTS)[number]
  readonly actor: { readonly kind: string; readonly id?: string | undefined }
  readonly target?: { readonly kind: string; readonly id?: string | undefined } | undefined
  /** Id of the organization of the target. */
  readonly organizationId?: string | undefined
  readonly clientAddress?: string | undefined
  readonly details: Readonly<Record<string, unknown>>
}

/** The conditions that an entry must meet; from is included, to is not. */
export interface AuditFilter {
  readonly organizationId?: string | undefined
  readonly actorId?: string | undefined
  readonly action?: string | undefined
  readonly targetKind?: string | undefined
  readonly targetId?: string | undefined
  readonly result?: AuditEntry['result'] | undefined
  readonly from?: Date | undefined
  readonly to?: Date | undefined
}

/** Behind which entry a list goes on, newest first. */
export interface AuditPosition {
  readonly microseconds: number
  readonly id: string
}
