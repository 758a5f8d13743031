import { ENDPOINT_PATHS } from '@signet/oauth-protocol/endpoint-paths'

// Where this service sends a browser to. Ids are made of characters that need no encoding.
export const PATHS = {
  authorize: ENDPOINT_PATHS.authorize,
  endSession: ENDPOINT_PATHS.endSession,
  login: '/ui/login',
  logout: '/ui/logout',
  signedOut: '/ui/logout/done',
  asset: '/ui/assets/:file',
} as const

export const loginPath = (requestId: string) => `${PATHS.login}?request=${requestId}`
export const logoutPath = (requestId: string) => `${PATHS.logout}?request=${requestId}`
export const continuePath = (requestId: string) => `${PATHS.authorize}?continue=${requestId}`
export const postedPath = (endpoint: string, handle: string) => `${endpoint}?posted=${handle}`
