import { clientAddress } from '@signet/http-server/client-address'
import type { RequestLimit } from '@signet/rate-limit/request-limit'
import { Router } from 'express'
import { PATHS } from '../pages/paths.ts'

/** Ending a session and its pages are never refused, and a page needs its stylesheet. */
const UNLIMITED = [PATHS.endSession, PATHS.logout, PATHS.asset.replace(/:.*$/, '')]

/** Holds each network to its rate at the authorization endpoint and the pages of a sign-in. */
export function signInLimit(limit: RequestLimit): Router {
  return Router().use((req, _res, next) => {
    if (!UNLIMITED.some((path) => req.path.startsWith(path))) limit(clientAddress(req))
    next()
  })
}
