import type { AuthenticateBearer } from '@signet/bearer-authentication/authenticate-bearer'
import { clientAddress } from '@signet/http-server/client-address'
import type { Request, RequestHandler, Response } from 'express'
import type { AuditCall } from '../audit/audit-call.ts'
import type { AuditTarget, ManagementCall } from '../audit/audit-event.ts'
import { idInPath } from './object-id.ts'

type Handle = (call: ManagementCall, req: Request, res: Response) => Promise<void>

/** Makes handlers that know who is calling, and whose calls are all on record. */
export interface ManagementRoutes {
  change(action: string, target: string | AuditTarget, handle: Handle): RequestHandler
  look(action: string, target: AuditTarget, handle: Handle): RequestHandler
}

/** A target given by its kind alone is the one whose id stands in the path. */
export function managementRoutes(authenticate: AuthenticateBearer, audit: AuditCall): ManagementRoutes {
  const handler =
    (kind: keyof AuditCall) =>
    (action: string, target: string | AuditTarget, handle: Handle): RequestHandler =>
    async (req, res) => {
      const caller = await authenticate(req)
      const call = {
        caller,
        clientAddress: clientAddress(req),
        action,
        target: typeof target === 'string' ? { kind: target, id: idInPath.parse(req.params).id } : target,
      }
      await audit[kind](call, () => handle(call, req, res))
    }
  return { change: handler('change'), look: handler('look') }
}
