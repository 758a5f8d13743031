import type { SeenObjects } from '../permissions/seen-objects.ts'

/** The service that wrote it. */
export const AUDITED_SERVICES = ['directory', 'token', 'keys', 'migration'] as const
export type AuditedService = (typeof AUDITED_SERVICES)[number]

export const AUDIT_RESULTS = ['success', 'refused', 'failed'] as const

/** The actor or the target of an event. */
export interface AuditedObject {
  readonly kind: string
  readonly id?: string | undefined
  /** The name that it has now; undefined where the caller may not read the object, or it is gone. */
  readonly name?: string | undefined
}

/** Row of an audit log, as administrators read it. */
export interface AuditEntry {
  readonly id: string
  readonly at: Date
  readonly service: AuditedService
  readonly action: string
  readonly result: (typeof AUDIT_RESULTS)[number]
  readonly actor: AuditedObject
  readonly target?: AuditedObject | undefined
  /** Id of the organization of the target. */
  readonly organizationId?: string | undefined
  readonly organizationName?: string | undefined
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
  /** `changes` leaves out the successful reads. */
  readonly kind?: 'all' | 'changes' | undefined
  /** A UUID of version 7: its time bounds the part of the log that is read. */
  readonly requestId?: string | undefined
  readonly from?: Date | undefined
  readonly to?: Date | undefined
  /** Undefined: the organizations do not matter. */
  readonly seen?: SeenObjects | undefined
}

/** Behind which entry a list goes on, newest first. */
export interface AuditPosition {
  readonly microseconds: number
  readonly id: string
}
