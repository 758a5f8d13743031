// The end-session endpoint and its pages.
import type { Router } from 'express'
import { endSessionRoute, logoutReturnRoute, logoutRoute } from './end-session.routes.ts'
import { createEndSessionRequests, createLogoutFlow } from './logout.service.ts'
import { createProviderLogout } from './provider-logout.ts'

type FlowParts = Omit<
  Parameters<typeof createLogoutFlow>[0],
  'readRequest' | 'shortened' | 'providerLogout'
> &
  Parameters<typeof createProviderLogout>[0]
type PageParts = Omit<Parameters<typeof endSessionRoute>[0] & Parameters<typeof logoutRoute>[0], 'flow'>

interface LogoutParts extends FlowParts, PageParts {
  readonly findStoredClient: Parameters<typeof createEndSessionRequests>[0]
  readonly hints: {
    readonly read: Parameters<typeof createEndSessionRequests>[1]
    readonly shortened: Parameters<typeof createLogoutFlow>[0]['shortened']
  }
}

/** Creates the routes of a sign-out. */
export function createLogoutRoutes(parts: LogoutParts): readonly Router[] {
  const { findStoredClient, hints } = parts
  const readRequest = createEndSessionRequests(findStoredClient, hints.read)
  const providerLogout = createProviderLogout(parts)
  const flow = createLogoutFlow({ ...parts, readRequest, shortened: hints.shortened, providerLogout })
  return [
    endSessionRoute({ ...parts, flow }),
    logoutRoute({ ...parts, flow }),
    logoutReturnRoute({ ...parts, providerLogout }),
  ]
}
