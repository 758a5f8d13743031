import { ApiError } from '@signet/http-server/api-error'
import { OAuthError } from '@signet/oauth-protocol/errors'
import type { Logger } from '@signet/service-runtime/logger'
import { ZodError } from 'zod'
import { callEvent, type ManagementCall } from './audit-event.ts'
import type { AuditLog } from './audit-log.ts'

/** Runs a call of the management API and records what its own transaction does not. */
export interface AuditCall {
  /** A change: whoever makes it records its success in the same transaction, this one what stopped it. */
  change<T>(call: ManagementCall, work: () => Promise<T>): Promise<T>
  /** A look: nothing is shown that is not on record. */
  look<T>(call: ManagementCall, work: () => Promise<T>): Promise<T>
}

export function auditCalls(audit: AuditLog, logger: Logger): AuditCall {
  async function change<T>(call: ManagementCall, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      try {
        await audit.record(callEvent(call, problemOf(error)))
      } catch (auditError) {
        // Nothing happened that the trail would have to tell of; the caller hears of the first error.
        logger.error('audit_failed', { error: auditError })
      }
      throw error
    }
  }
  return {
    change,
    look: (call, work) =>
      change(call, async () => {
        const seen = await work()
        await audit.record(callEvent(call, { result: 'success' }))
        return seen
      }),
  }
}

function problemOf(error: unknown) {
  if (error instanceof ZodError) return { result: 'refused', details: { reason: 'fields_invalid' } } as const
  if (!(error instanceof ApiError || error instanceof OAuthError))
    return { result: 'failed', details: { reason: 'unexpected' } } as const
  return { result: error.status < 500 ? 'refused' : 'failed', details: { reason: error.reason } } as const
}
