import type { RequestListener } from 'node:http'
import { createHttpApp } from '@signet/http-server/app'
import { createNetworkLimit } from '@signet/rate-limit/request-limit'
import type { Logger } from '@signet/service-runtime/logger'
import { applicationsRoute } from './applications/applications.routes.ts'
import type { OwnApplications } from './applications/applications.service.ts'
import type { AuthorizationResponses } from './authorization/authorization-response.ts'
import { authorizeRoute } from './authorize/authorize.routes.ts'
import type { AuthorizationFlow } from './authorize/authorize.service.ts'
import type { PostedParameters } from './browser/pending.ts'
import type { CountStored } from './browser/storage-limit.ts'
import type { LoginConfig } from './config.ts'
import type { FindAudienceNames, FindOrganizationName } from './consent/audience-names.ts'
import { consentRoute } from './consent/consent.routes.ts'
import type { AllowAccess, Consents } from './consent/consent.service.ts'
import { rolesRoute } from './consent/roles.routes.ts'
import { loginEvents } from './events.ts'
import { enrolmentRoute } from './http/enrolment-route.ts'
import { logoutRoute } from './http/logout-route.ts'
import { pageFrames } from './http/page-frames.ts'
import { authorizationResponseSender } from './http/send-authorization-response.ts'
import { signInLimit } from './http/sign-in-limit.ts'
import { loadStylesheet } from './http/stylesheet.ts'
import { endSessionRoute } from './logout/end-session.routes.ts'
import type { LogoutFlow } from './logout/logout.service.ts'
import type { AnswerRoleOffer } from './offered-roles/answer-role-offer.ts'
import { assetRoute } from './pages/assets.ts'
import { pageErrorHandler } from './pages/error-pages.ts'
import { registerRoute } from './registration/register.routes.ts'
import type { Register } from './registration/register.service.ts'
import type { RandomBytes } from './sessions/browser.ts'
import { browserCookies } from './sessions/browser-cookies.ts'
import { accountsRoute } from './sign-in/accounts.routes.ts'
import type { EnrolmentFlow } from './sign-in/enrolment.ts'
import { newPasswordRoute } from './sign-in/new-password.routes.ts'
import type { NewPasswordFlow } from './sign-in/new-password.service.ts'
import { loginRoute } from './sign-in/password.routes.ts'
import type { SignIn } from './sign-in/sign-in.service.ts'
import { totpRoute } from './sign-in/totp.routes.ts'
import type { SecondFactorFlow } from './sign-in/totp.service.ts'

export interface HttpAppDependencies {
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

/** The public surface of this service. */
export function createLoginHttpApp(dependencies: HttpAppDependencies): RequestListener {
  const { config, logger, now, random, authorizationFlow, signIn, allowAccess, consents } = dependencies
  const { enrolment, newPassword } = dependencies
  const {
    answerRoleOffer,
    findAudienceNames,
    findOrganizationName,
    secondFactor,
    register,
    logoutFlow,
    ownApplications,
    posted,
    countStored,
    responses,
  } = dependencies
  const cookies = browserCookies({ issuer: config.issuer, random })
  const stylesheet = loadStylesheet()
  const frames = pageFrames(stylesheet.path)
  const sendResponse = authorizationResponseSender(frames, random)
  const events = loginEvents(logger)
  return createHttpApp({
    logger,
    issuer: config.issuer,
    trustedProxies: config.trustedProxies,
    routes: [
      signInLimit(createNetworkLimit(config.rateLimits.signIn, now)),
      authorizeRoute({ flow: authorizationFlow, cookies, posted, countStored, sendResponse }),
      endSessionRoute({ flow: logoutFlow, cookies, events }),
      loginRoute({ flow: authorizationFlow, signIn, cookies, frames, events }),
      totpRoute({ flow: authorizationFlow, secondFactor, enrolment, cookies, frames, events }),
      enrolmentRoute({ flow: authorizationFlow, enrolment, cookies, frames, events }),
      newPasswordRoute({ flow: authorizationFlow, newPassword, cookies, frames, events }),
      registerRoute({ flow: authorizationFlow, register, cookies, frames, events }),
      accountsRoute({ flow: authorizationFlow, cookies, frames }),
      consentRoute({
        flow: authorizationFlow,
        allowAccess,
        consents,
        findAudienceNames,
        findOrganizationName,
        cookies,
        frames,
      }),
      rolesRoute({ flow: authorizationFlow, answerRoleOffer, cookies, frames }),
      applicationsRoute({ ownApplications, findAudienceNames, cookies, frames }),
      logoutRoute({ flow: logoutFlow, cookies, frames, events }),
      assetRoute(stylesheet),
    ],
    onError: pageErrorHandler({ logger, frames, responses, sendResponse }),
  })
}
