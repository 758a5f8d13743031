import { type Attempt, attemptEvent } from '@signet/admin-api/audit/audit-recorder'
import { type AuditEvent, createAuditTable } from '@signet/admin-api/audit/audit-table'
import type { KnownJob } from './job.ts'

/** The audit log of this service: calls of administrators and the ends of jobs. */
export const auditTable = createAuditTable('migration')

const target = ({ id }: KnownJob) => ({ kind: 'job', id })

/** An administrator starts, rehearses, applies, cancels or resumes a job. */
export function jobChanged(
  attempt: Attempt,
  job: KnownJob,
  verb: 'start' | 'apply' | 'cancel' | 'resume' | 'rehearse',
  details: AuditEvent['details'] = {},
): AuditEvent {
  const change = { ...attempt, action: `${job.kind}.${verb}`, target: target(job) }
  return attemptEvent(change, { result: 'success', details })
}

/** A job that ends, with the id of the request that started it, or let it go on. */
export interface StartedJob extends KnownJob {
  /** Null for jobs of the version before. */
  readonly requestId: string | null
}

/** A job ends; by what it was asked to do, or because its time is over. */
export function jobEnded(job: StartedJob, state: string): AuditEvent {
  return {
    actor: { kind: 'service' },
    action: `${job.kind}.end`,
    target: target(job),
    result: state === 'failed' ? 'failed' : 'success',
    details: { state, ...(job.requestId !== null && { request_id: job.requestId }) },
  }
}

/**
 * The audited part of a request: options and the kind of storage, never a storage location or a credential.
 */
export function auditedOptions(request: Readonly<Record<string, unknown>>): AuditEvent['details'] {
  const plain = Object.entries(request).filter(
    ([, value]) => typeof value === 'string' || typeof value === 'boolean' || Array.isArray(value),
  )
  return Object.fromEntries(plain.map(([name, value]) => [name, value as string | boolean | string[]]))
}
