import { jsonBody } from '@signet/http-server/json-body'
import { noStore } from '@signet/http-server/response-headers'
import { Router } from 'express'
import { z } from 'zod'
import type { ManagementCall } from '../audit/audit-event.ts'
import type { ManagementRoutes } from './management-route.ts'

const stateChange = z.strictObject({ state: z.enum(['active', 'inactive', 'locked']) })
const newPassword = z.strictObject({ password: z.string() })

/** Each is about the user that is the target of the call. */
interface Dependencies {
  readonly routes: ManagementRoutes
  readonly setState: (call: ManagementCall, state: 'active' | 'inactive' | 'locked') => Promise<void>
  readonly deleteUser: (call: ManagementCall) => Promise<void>
  readonly resetPassword: (call: ManagementCall, password: string) => Promise<void>
  readonly signOut: (call: ManagementCall) => Promise<void>
}

const USER = '/management/v1/users/:id'

/** What ends the sessions and tokens of one user: answered when they have ended. */
export function userRoutes({ routes, setState, deleteUser, resetPassword, signOut }: Dependencies): Router {
  return Router()
    .patch(
      USER,
      noStore,
      jsonBody(),
      routes.change('user.set_state', 'user', async (call, req, res) => {
        const { state } = stateChange.parse(req.body)
        await setState(call, state)
        res.json({ id: call.target.id, state })
      }),
    )
    .delete(
      USER,
      noStore,
      routes.change('user.delete', 'user', async (call, _req, res) => {
        await deleteUser(call)
        res.status(204).end()
      }),
    )
    .post(
      `${USER}/password`,
      noStore,
      jsonBody(),
      routes.change('user.set_password', 'user', async (call, req, res) => {
        const { password } = newPassword.parse(req.body)
        await resetPassword(call, password)
        res.status(204).end()
      }),
    )
    .post(
      `${USER}/sign-out`,
      noStore,
      routes.change('user.sign_out', 'user', async (call, _req, res) => {
        await signOut(call)
        res.status(204).end()
      }),
    )
}
