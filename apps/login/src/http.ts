import type { RequestListener } from 'node:http'
import { createHttpApp } from '@signet/http/app'
import { endpointRouter } from '@signet/http/hot-endpoint'
import { oauthErrorHandler } from '@signet/http/oauth-error-handler'
import { createNetworkLimit, type RequestLimit } from '@signet/http/rate-limit'
import { clientAddress } from '@signet/http/request-context'
import { type Request, Router } from 'express'
import { createConsentRoutes } from './consent/routes.ts'
import { deviceAuthorizationEndpoint } from './device/device-authorization.routes.ts'
import { createDeviceRoutes } from './device/routes.ts'
import { authorizeRoute, createAuthorizationResponseSender } from './endpoint/authorize.routes.ts'
import { createPageErrorHandler } from './endpoint/error.page.ts'
import { pushedAuthorizationEndpoint } from './endpoint/pushed-authorization.routes.ts'
import { createFindWayOn } from './endpoint/way-on.page.ts'
import { createImpersonationRoutes } from './impersonation/routes.ts'
import { createLogoutRoutes } from './logout/routes.ts'
import { createOwnAccountRoutes } from './own-account/routes.ts'
import { assetRoute, brandingFileRoute } from './pages/assets.ts'
import { brandingStylesheetRoute } from './pages/branding-stylesheet.ts'
import { firstPageRoute } from './pages/first-page.ts'
import { languageRoute } from './pages/language-switch.ts'
import { ForeignRequestError, ownPagesOnly } from './pages/own-pages-only.ts'
import { PATHS } from './pages/paths.ts'
import type { LoginParts } from './parts.ts'
import { createRecoveryRoutes } from './recovery/routes.ts'
import { createRegistrationRoutes } from './registration/routes.ts'
import { createSignInRoutes } from './sign-in/routes.ts'
import { createUpstreamRoutes } from './upstream/routes.ts'

/** The public surface of this service. */
export function createLoginHttpApp(parts: LoginParts): RequestListener {
  const { config, issuer, logger, now, frames, cookies, flow, sessions, assets } = parts
  const limitSignIns = () => createNetworkLimit(config.rateLimits.signIn, now)
  const limitLogouts = createNetworkLimit((config.rateLimits.signIn ?? 0) * LOGOUTS_PER_SIGN_IN, now)
  const sendResponse = createAuthorizationResponseSender(frames)
  const findWayOn = createFindWayOn({
    cookies,
    findFinished: flow.finished,
    isSignedIn: async ({ sessionCookie }) => (await sessions.live(sessionCookie)).length > 0,
  })
  const answerBrowser = createPageErrorHandler({ ...parts, findWayOn, sendResponse })
  const impersonation = createImpersonationRoutes(parts)
  const answerClient = oauthErrorHandler(logger, parts.refusals)
  return createHttpApp({
    logger,
    issuer,
    trustedProxies: config.trustedProxies,
    clientCertificates: config.mutualTls,
    routes: [
      endpointRouter(pushedAuthorizationEndpoint({ ...parts, publicLimit: limitSignIns() })),
      endpointRouter(deviceAuthorizationEndpoint({ ...parts, publicLimit: limitSignIns() })),
      ownPagesOnly(issuer),
      signInLimit(limitSignIns(), limitLogouts),
      impersonation.banner,
      authorizeRoute({ ...parts, sendResponse }),
      ...createLogoutRoutes(parts),
      ...createSignInRoutes({ ...parts, sendResponse }),
      ...createUpstreamRoutes({ ...parts, sendResponse }),
      ...createRecoveryRoutes(parts),
      ...createRegistrationRoutes(parts),
      ...createConsentRoutes(parts),
      ...createDeviceRoutes(parts),
      ...createOwnAccountRoutes(parts),
      impersonation.route,
      languageRoute(parts.cookies, issuer),
      brandingStylesheetRoute(),
      // Apart from the limit of the pages, which their own files would use up.
      brandingFileRoute(parts.findBrandingFile, limitSignIns()),
      assetRoute(assets),
      firstPageRoute(parts),
    ],
    onError: (error, req, res) => {
      // A browser sent it, to whichever path.
      const isPage = error instanceof ForeignRequestError || !isForClients(req)
      return (isPage ? answerBrowser : answerClient)(error, req, res)
    },
  })
}

/**
 * Logout tokens of one network for each request of a browser there. A provider sends one for each session, from one address, does not send
 * those again that were refused, and may be behind the address of the people.
 */
const LOGOUTS_PER_SIGN_IN = 10

/** The addresses of a route, also in capitals or with a slash at the end. */
const addressesOf = (route: string) => new RegExp(`^${route.replaceAll(/:\w+/g, '[^/]+')}/?$`, 'i')

const UPSTREAM_LOGOUT = addressesOf(PATHS.upstreamLogout)

/** Paths that a client or a provider calls. */
const CALLED_BY_CLIENTS = [
  ...[PATHS.pushedAuthorization, PATHS.deviceAuthorization].map(addressesOf),
  UPSTREAM_LOGOUT,
]

/** Whether no browser shows the response. */
const isForClients = ({ path }: Request) => CALLED_BY_CLIENTS.some((route) => route.test(path))

/** Paths without a rate limit: sign-out is never refused, and a page needs its stylesheet. Files of organizations have a limit of their own. */
const UNLIMITED = [PATHS.endSession, PATHS.logout, PATHS.asset.replace(/:.*$/, '')]

/** Limits the request rate of each network at the authorization endpoint and the sign-in pages, and that of logout tokens. */
function signInLimit(limit: RequestLimit, limitLogouts: RequestLimit): Router {
  return Router().use((req, _res, next) => {
    if (UPSTREAM_LOGOUT.test(req.path)) limitLogouts(clientAddress(req))
    else if (!UNLIMITED.some((path) => req.path.startsWith(path))) limit(clientAddress(req))
    next()
  })
}
