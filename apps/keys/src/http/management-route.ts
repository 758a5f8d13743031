import type { Attempt, AuditProblems } from '@signet/admin-api/audit/audit-log'
import type { AuditTarget } from '@signet/admin-api/audit/audit-trail'
import type { AuthenticateBearer } from '@signet/admin-api/authenticate-bearer'
import { clientAddress } from '@signet/http/client-address'
import type { Request, RequestHandler } from 'express'

/** Makes a handler that authenticates the caller and records every failure; `handle` records its success. */
export type ManagementRoute = (
  action: string,
  target: (req: Request) => AuditTarget,
  /** Answers what is shown as JSON. */
  handle: (attempt: Attempt, req: Request) => Promise<object>,
) => RequestHandler

export function managementRoute(
  authenticate: AuthenticateBearer,
  auditProblems: AuditProblems,
): ManagementRoute {
  return (action, target, handle) => async (req, res) => {
    const caller = await authenticate(req)
    const attempt: Attempt = { caller, clientAddress: clientAddress(req), action, target: target(req) }
    res.json(await auditProblems(attempt, () => handle(attempt, req)))
  }
}
