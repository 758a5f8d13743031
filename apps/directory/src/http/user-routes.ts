import type { AuthenticateBearer } from '@signet/bearer-authentication/authenticate-bearer'
import type { Caller } from '@signet/bearer-authentication/caller'
import { jsonBody } from '@signet/http-server/json-body'
import { noStore } from '@signet/http-server/response-headers'
import { Router } from 'express'
import { z } from 'zod'
import { idInPath } from './object-id.ts'

const stateChange = z.strictObject({ state: z.enum(['active', 'inactive', 'locked']) })
const newPassword = z.strictObject({ password: z.string() })

interface Dependencies {
  readonly authenticate: AuthenticateBearer
  readonly setState: (
    caller: Caller,
    userId: string,
    state: 'active' | 'inactive' | 'locked',
  ) => Promise<void>
  readonly deleteUser: (caller: Caller, userId: string) => Promise<void>
  readonly resetPassword: (caller: Caller, userId: string, password: string) => Promise<void>
  readonly signOut: (caller: Caller, userId: string) => Promise<void>
}

const USER = '/management/v1/users/:id'

/** What ends the sessions and tokens of one user: answered when they have ended. */
export function userRoutes(deps: Dependencies): Router {
  const { authenticate } = deps
  return Router()
    .patch(USER, noStore, jsonBody(), async (req, res) => {
      const caller = await authenticate(req)
      const { id } = idInPath.parse(req.params)
      const { state } = stateChange.parse(req.body)
      await deps.setState(caller, id, state)
      res.json({ id, state })
    })
    .delete(USER, noStore, async (req, res) => {
      const caller = await authenticate(req)
      const { id } = idInPath.parse(req.params)
      await deps.deleteUser(caller, id)
      res.status(204).end()
    })
    .post(`${USER}/password`, noStore, jsonBody(), async (req, res) => {
      const caller = await authenticate(req)
      const { id } = idInPath.parse(req.params)
      const { password } = newPassword.parse(req.body)
      await deps.resetPassword(caller, id, password)
      res.status(204).end()
    })
    .post(`${USER}/sign-out`, noStore, async (req, res) => {
      const caller = await authenticate(req)
      const { id } = idInPath.parse(req.params)
      await deps.signOut(caller, id)
      res.status(204).end()
    })
}
