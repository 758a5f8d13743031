import type { AuthenticateBearer } from '@signet/bearer-authentication/authenticate-bearer'
import { clientAddress } from '@signet/http-server/client-address'
import type { Request, RequestHandler } from 'express'
import type { AuditCall } from '../audit/audit-call.ts'
import type { AuditTarget, ManagementCall } from '../audit/audit-event.ts'

/** Answers what is shown as JSON. */
type Handle = (call: ManagementCall, req: Request) => Promise<object>
type TargetOf = (req: Request) => AuditTarget

/** Makes handlers that know who is calling, and whose calls are all on record. */
export interface ManagementRoutes {
  change(action: string, target: TargetOf, handle: Handle): RequestHandler
  look(action: string, target: TargetOf, handle: Handle): RequestHandler
}

export function managementRoutes(authenticate: AuthenticateBearer, audit: AuditCall): ManagementRoutes {
  const recorded =
    (record: AuditCall['change']) =>
    (action: string, target: TargetOf, handle: Handle): RequestHandler =>
    async (req, res) => {
      const caller = await authenticate(req)
      const call = { caller, clientAddress: clientAddress(req), action, target: target(req) }
      res.json(await record(call, () => handle(call, req)))
    }
  return { change: recorded(audit.change), look: recorded(audit.look) }
}
