import type { AuthenticateBearer } from '@signet/bearer-authentication/authenticate-bearer'
import type { Caller } from '@signet/bearer-authentication/caller'
import { requireRole } from '@signet/bearer-authentication/require-role'
import type { Request } from 'express'

/** The instance administrator who is calling. Rejects with ApiError for anybody else. */
export type RequireAdministrator = (req: Request) => Promise<Caller>

export function requireAdministrator(authenticate: AuthenticateBearer): RequireAdministrator {
  return async (req) => {
    const caller = await authenticate(req)
    requireRole(caller, [{ role: 'IAM_OWNER' }])
    return caller
  }
}
