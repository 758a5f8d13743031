import type { AuthenticateBearer } from '@signet/bearer-authentication/authenticate-bearer'
import { clientAddress } from '@signet/http-server/client-address'
import type { Request, RequestHandler, Response } from 'express'
import type { AuditCall } from '../audit/audit-call.ts'
import type { AuditTarget, ManagementCall } from '../audit/audit-event.ts'
import { idInPath } from './object-id.ts'

type Look = (call: ManagementCall, req: Request) => Promise<object>
type Handle = (call: ManagementCall, req: Request, res: Response) => Promise<void>

/** Makes handlers that know who is calling, and whose calls are all on record. */
export interface ManagementRoutes {
  change(action: string, target: string | AuditTarget, handle: Handle): RequestHandler
  /** `look` answers what is shown as JSON. */
  look(action: string, target: AuditTarget, look: Look): RequestHandler
}

/** A target given by its kind alone is the one whose id stands in the path. */
export function managementRoutes(authenticate: AuthenticateBearer, audit: AuditCall): ManagementRoutes {
  async function callOf(req: Request, action: string, target: string | AuditTarget): Promise<ManagementCall> {
    return {
      caller: await authenticate(req),
      clientAddress: clientAddress(req),
      action,
      target: typeof target === 'string' ? { kind: target, id: idInPath.parse(req.params).id } : target,
    }
  }
  return {
    change: (action, target, handle) => async (req, res) => {
      const call = await callOf(req, action, target)
      await audit.change(call, () => handle(call, req, res))
    },
    look: (action, target, look) => async (req, res) => {
      const call = await callOf(req, action, target)
      res.json(await audit.look(call, () => look(call, req)))
    },
  }
}
