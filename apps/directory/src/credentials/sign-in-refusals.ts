import type { ReportRefusal } from '@signet/http/refusals'

/** The origin of an attempt to prove a factor. */
export interface AttemptOrigin {
  readonly clientAddress?: string | undefined
  /** X-Request-Id of the response. */
  readonly requestId?: string | undefined
  /** The application of the sign-in. */
  readonly clientId?: string | undefined
  /** The identity provider that asserted the person. */
  readonly providerId?: string | undefined
  /** The person is signed in already, and proves it for a change of the own account. */
  readonly confirms?: boolean | undefined
}

/** Reports a refused factor to the administrators of the application and of the person. */
export type ReportRefusedFactor = (origin: AttemptOrigin, reason: string, userId: string | undefined) => void

/** Reports attempts at an application; the audit log has each of them already. */
export function createRefusedFactorReport(report: ReportRefusal): ReportRefusedFactor {
  return ({ requestId, clientId, clientAddress = '', providerId }, reason, userId) => {
    if (requestId === undefined || clientId === undefined) return
    report({
      ...{ requestId, clientId, reason, userId, clientAddress },
      ...{ result: 'refused', isAudited: true },
      values: providerId === undefined ? {} : { provider: providerId },
    })
  }
}
