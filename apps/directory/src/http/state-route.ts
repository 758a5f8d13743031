import { jsonBody } from '@signet/http-server/json-body'
import { noStore } from '@signet/http-server/response-headers'
import { Router } from 'express'
import { z } from 'zod'
import type { ManagementCall } from '../audit/audit-event.ts'
import type { ManagementRoutes } from './management-route.ts'

const stateChange = z.strictObject({ state: z.enum(['active', 'inactive']) })

interface Dependencies {
  readonly routes: ManagementRoutes
  readonly setState: (call: ManagementCall, state: 'active' | 'inactive') => Promise<void>
}

/** Activates and deactivates objects of one kind: answered when what was made for them has ended. */
export function stateRoute(kind: 'application' | 'organization', { routes, setState }: Dependencies): Router {
  return Router().patch(
    `/management/v1/${kind}s/:id`,
    noStore,
    jsonBody(),
    routes.change(`${kind}.set_state`, kind, async (call, req, res) => {
      const { state } = stateChange.parse(req.body)
      await setState(call, state)
      res.json({ id: call.target.id, state })
    }),
  )
}
