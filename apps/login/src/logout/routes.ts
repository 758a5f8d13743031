// The end-session endpoint and its pages.
import type { Router } from 'express'
import { endSessionRoute, logoutRoute } from './end-session.routes.ts'
import { createEndSessionRequests, createLogoutFlow } from './logout.service.ts'

type FlowParts = Omit<Parameters<typeof createLogoutFlow>[0], 'readRequest' | 'shortened'>
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
  const flow = createLogoutFlow({ ...parts, readRequest, shortened: hints.shortened })
  return [endSessionRoute({ ...parts, flow }), logoutRoute({ ...parts, flow })]
}
