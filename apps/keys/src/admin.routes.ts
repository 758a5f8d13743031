// `/management/v1/keys`: shows every key with its dates, rotates, revokes and rewraps.

import type { Attempt, AuditProblems } from '@signet/admin-api/audit/audit-recorder'
import type { AuditTarget } from '@signet/admin-api/audit/audit-table'
import type { AuthenticateBearer } from '@signet/admin-api/authenticate-bearer'
import { createJsonBodyParser } from '@signet/admin-api/json-body'
import { wantedRotation } from '@signet/admin-api/keys-api'
import { clientAddress } from '@signet/http/request-context'
import { noStore } from '@signet/http/response-headers'
import { type Request, type RequestHandler, Router } from 'express'
import { z } from 'zod'
import type { KeyAdministration } from './admin.service.ts'
import { type KeyLife, nextTransition } from './rotation/key-life.ts'

const kidInPath = z.object({
  kid: z.string().regex(/^[\w-]{1,100}$/, 'must be 1 to 100 characters of base64url'),
})

interface Dependencies {
  readonly authenticate: AuthenticateBearer
  readonly auditProblems: AuditProblems
  readonly administration: KeyAdministration
}

const PATH = '/management/v1/keys'
const allKeys = () => ({ kind: 'keys', id: 'all' })
const oneKey = (req: Request) => ({ kind: 'key', id: kidOf(req) })
const kidOf = (req: Request) => kidInPath.parse(req.params).kid

/** Shows every key with its dates, and changes them on demand. */
export function keyRoutes({ authenticate, auditProblems, administration }: Dependencies): Router {
  const route = createManagementRoute(authenticate, auditProblems)
  return Router()
    .get(
      PATH,
      noStore,
      route('keys.read', allKeys, async (attempt) => ({
        keys: (await administration.list(attempt)).map(keyDescription),
      })),
    )
    .post(
      `${PATH}/rotate`,
      noStore,
      createJsonBodyParser(),
      route('keys.rotate', allKeys, async (attempt, req) => ({
        keys: (
          await administration.rotate(attempt, wantedRotation.parse(req.body, { reportInput: true }))
        ).map(keyDescription),
      })),
    )
    .post(
      `${PATH}/rewrap`,
      noStore,
      route('keys.rewrap', allKeys, async (attempt) => ({ rewrapped: await administration.rewrap(attempt) })),
    )
    .post(
      `${PATH}/:kid/revoke`,
      noStore,
      route('key.revoke', oneKey, async (attempt, req) => ({
        key: keyDescription(await administration.revoke(attempt, kidOf(req))),
      })),
    )
}

/** Makes a handler that authenticates the caller and records every failure; `handle` records its success. */
type ManagementRoute = (
  action: string,
  target: (req: Request) => AuditTarget,
  /** Returns the JSON body of the response. */
  handle: (attempt: Attempt, req: Request) => Promise<object>,
) => RequestHandler

function createManagementRoute(
  authenticate: AuthenticateBearer,
  auditProblems: AuditProblems,
): ManagementRoute {
  return (action, target, handle) => async (req, res) => {
    const caller = await authenticate(req)
    const attempt: Attempt = { caller, clientAddress: clientAddress(req), action, target: target(req) }
    res.json(await auditProblems(attempt, () => handle(attempt, req)))
  }
}

/** A key as the management API shows it: named members only, none of them secret. */
function keyDescription(key: KeyLife) {
  const { kid, ring, algorithm, state, revokedAt } = key
  const { at, to } = nextTransition(key)
  return {
    kid,
    ring,
    algorithm,
    state,
    announcedAt: key.announcedAt.toISOString(),
    activeAt: key.activeAt.toISOString(),
    retireAt: key.retireAt.toISOString(),
    removeAt: key.removeAt.toISOString(),
    forgetAt: key.forgetAt.toISOString(),
    ...(revokedAt && { revokedAt: revokedAt.toISOString() }),
    next: { state: to, at: at.toISOString() },
  }
}
