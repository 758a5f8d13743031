import type { RequestListener } from 'node:http'
import { createHttpApp } from '@signet/http/app'
import { clientAddress } from '@signet/http/client-address'
import { createNetworkLimit, type RequestLimit } from '@signet/http/rate-limit'
import type { Logger } from '@signet/platform/logger/logger'
import { Router } from 'express'
import { applicationsRoute } from './applications/applications.routes.ts'
import type { OwnApplications } from './applications/applications.service.ts'
import { authorizationResponseSender, authorizeRoute } from './authorize/authorize.routes.ts'
import type { AuthorizationFlow } from './authorize/authorize.service.ts'
import type { CountStored, PostedParameters } from './authorize/pending-authorization.ts'
import type { AuthorizationResponses } from './authorize/redirect.ts'
import type { LoginConfig } from './config.ts'
import { consentRoute } from './consent/consent.routes.ts'
import type { AllowAccess, AnswerRoleOffer, Consents } from './consent/consent.service.ts'
import type { FindAudienceNames, FindOrganizationName } from './consent/consent-rule.ts'
import { rolesRoute } from './consent/roles.routes.ts'
import { loginEvents } from './events.ts'
import { endSessionRoute, logoutRoute } from './logout/end-session.routes.ts'
import type { LogoutFlow } from './logout/logout.service.ts'
import { assetRoute, loadStylesheet } from './pages/assets.ts'
import { pageErrorHandler } from './pages/error-pages.ts'
import { firstPageRoute } from './pages/first-page.ts'
import { pageFrames } from './pages/page.ts'
import { PATHS } from './pages/paths.ts'
import { registerRoute } from './registration/register.routes.ts'
import type { Register } from './registration/register.service.ts'
import type { RandomBytes } from './sessions/browser.ts'
import { browserCookies } from './sessions/browser-cookies.ts'
import { accountsRoute } from './sign-in/accounts.routes.ts'
import { newPasswordRoute } from './sign-in/new-password.routes.ts'
import type { NewPasswordFlow } from './sign-in/new-password.service.ts'
import { loginRoute } from './sign-in/password.routes.ts'
import type { SignIn } from './sign-in/sign-in.service.ts'
import { enrolmentRoute, totpRoute } from './sign-in/totp.routes.ts'
import type { EnrolmentFlow, SecondFactorFlow } from './sign-in/totp.service.ts'

interface HttpAppDependencies {
  readonly config: LoginConfig
  readonly logger: Logger
  readonly now: () => Date
  readonly random: RandomBytes
  readonly authorizationFlow: AuthorizationFlow
  readonly signIn: SignIn
  readonly secondFactor: SecondFactorFlow
  readonly enrolment: EnrolmentFlow
  readonly newPassword: NewPasswordFlow
  readonly register: Register
  readonly allowAccess: AllowAccess
  readonly answerRoleOffer: AnswerRoleOffer
  readonly consents: Consents
  readonly findAudienceNames: FindAudienceNames
  readonly findOrganizationName: FindOrganizationName
  readonly logoutFlow: LogoutFlow
  readonly ownApplications: OwnApplications
  readonly posted: PostedParameters
  readonly countStored: CountStored
  readonly responses: AuthorizationResponses
}

/** Creates the HTTP application of this service. */
export function createLoginHttpApp(dependencies: HttpAppDependencies): RequestListener {
  const { config, logger, now, random, logoutFlow } = dependencies
  const cookies = browserCookies({ issuer: config.issuer, random })
  const stylesheet = loadStylesheet()
  const frames = pageFrames(stylesheet.path)
  const sendResponse = authorizationResponseSender(frames, random)
  const events = loginEvents(logger)
  const shared = {
    ...dependencies,
    flow: dependencies.authorizationFlow,
    cookies,
    frames,
    events,
    sendResponse,
  }
  return createHttpApp({
    logger,
    issuer: config.issuer,
    trustedProxies: config.trustedProxies,
    routes: [
      signInLimit(createNetworkLimit(config.rateLimits.signIn, now)),
      authorizeRoute(shared),
      endSessionRoute({ ...shared, flow: logoutFlow }),
      loginRoute(shared),
      totpRoute(shared),
      enrolmentRoute(shared),
      newPasswordRoute(shared),
      registerRoute(shared),
      accountsRoute(shared),
      consentRoute(shared),
      rolesRoute(shared),
      applicationsRoute(shared),
      logoutRoute({ ...shared, flow: logoutFlow }),
      assetRoute(stylesheet),
      firstPageRoute({ frames, issuer: config.issuer }),
    ],
    onError: pageErrorHandler(shared),
  })
}

/** Paths without a rate limit: sign-out is never refused, and a page needs its stylesheet. */
const UNLIMITED = [PATHS.endSession, PATHS.logout, PATHS.asset.replace(/:.*$/, '')]

/** Limits the request rate of each network at the authorization endpoint and the sign-in pages. */
function signInLimit(limit: RequestLimit): Router {
  return Router().use((req, _res, next) => {
    if (!UNLIMITED.some((path) => req.path.startsWith(path))) limit(clientAddress(req))
    next()
  })
}
