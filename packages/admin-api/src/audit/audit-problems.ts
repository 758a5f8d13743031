import type { Logger } from '@signet/platform/logger/logger'
import { OAuthError } from '@signet/protocol/errors'
import { ZodError } from 'zod'
import { ApiError } from '../api-error.ts'
import { type Attempt, attemptEvent } from './attempt.ts'
import type { AuditLog } from './audit-log.ts'

/** Runs `work` and records its failure. A success records itself, a change in its own transaction. */
export type AuditProblems = <Result>(attempt: Attempt, work: () => Promise<Result>) => Promise<Result>

export function auditProblems(audit: AuditLog, logger: Logger): AuditProblems {
  return async (attempt, work) => {
    try {
      return await work()
    } catch (error) {
      try {
        await audit.record(attemptEvent(attempt, problem(error)))
      } catch (auditError) {
        // The refused call changed nothing, so a missing event is only logged; the caller gets the first error.
        logger.error('audit_failed', { error: auditError })
      }
      throw error
    }
  }
}

function problem(error: unknown) {
  if (error instanceof ZodError) return { result: 'refused', details: { reason: 'fields_invalid' } } as const
  if (!(error instanceof ApiError || error instanceof OAuthError))
    return { result: 'failed', details: { reason: 'unexpected' } } as const
  return {
    result: error.status < 500 ? 'refused' : 'failed',
    details: { reason: error.reason },
  } as const
}
