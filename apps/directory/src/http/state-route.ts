import type { AuthenticateBearer } from '@signet/bearer-authentication/authenticate-bearer'
import type { Caller } from '@signet/bearer-authentication/caller'
import { jsonBody } from '@signet/http-server/json-body'
import { noStore } from '@signet/http-server/response-headers'
import { Router } from 'express'
import { z } from 'zod'
import { idInPath } from './object-id.ts'

const stateChange = z.strictObject({ state: z.enum(['active', 'inactive']) })

interface Dependencies {
  readonly authenticate: AuthenticateBearer
  readonly setState: (caller: Caller, id: string, state: 'active' | 'inactive') => Promise<void>
}

/** Activates and deactivates objects of one collection: answered when what was made for them has ended. */
export function stateRoute(
  collection: 'applications' | 'organizations',
  { authenticate, setState }: Dependencies,
): Router {
  return Router().patch(`/management/v1/${collection}/:id`, noStore, jsonBody(), async (req, res) => {
    const caller = await authenticate(req)
    const { id } = idInPath.parse(req.params)
    const { state } = stateChange.parse(req.body)
    await setState(caller, id, state)
    res.json({ id, state })
  })
}
