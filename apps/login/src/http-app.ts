import type { RequestListener } from 'node:http'
import { createHttpApp } from '@signet/http-server/app'
import { createNetworkLimit } from '@signet/rate-limit/request-limit'
import type { Logger } from '@signet/service-runtime/logger'
import type { OwnApplications } from './applications/own-applications.ts'
import type { AuthorizationFlow } from './authorization/authorization-flow.ts'
import type { AuthorizationResponses } from './authorization/authorization-response.ts'
import type { RandomBytes } from './browser/browser.ts'
import type { PostedParameters } from './browser/pending.ts'
import type { CountStored } from './browser/storage-limit.ts'
import type { LoginConfig } from './config.ts'
import type { FindAudienceNames, FindOrganizationName } from './consent/audience-names.ts'
import type { AllowAccess, Consents } from './consent/consent.ts'
import { loginEvents } from './events.ts'
import { accountsRoute } from './http/accounts-route.ts'
import { applicationsRoute } from './http/applications-route.ts'
import { assetRoute } from './http/asset-route.ts'
import { authorizeRoute } from './http/authorize-route.ts'
import { browserCookies } from './http/browser-cookies.ts'
import { consentRoute } from './http/consent-route.ts'
import { endSessionRoute } from './http/end-session-route.ts'
import { enrolmentRoute } from './http/enrolment-route.ts'
import { loginRoute } from './http/login-route.ts'
import { logoutRoute } from './http/logout-route.ts'
import { newPasswordRoute } from './http/new-password-route.ts'
import { pageErrorHandler } from './http/page-error-handler.ts'
import { pageFrames } from './http/page-frames.ts'
import { registerRoute } from './http/register-route.ts'
import { rolesRoute } from './http/roles-route.ts'
import { authorizationResponseSender } from './http/send-authorization-response.ts'
import { signInLimit } from './http/sign-in-limit.ts'
import { loadStylesheet } from './http/stylesheet.ts'
import { totpRoute } from './http/totp-route.ts'
import type { LogoutFlow } from './logout/logout-flow.ts'
import type { AnswerRoleOffer } from './offered-roles/answer-role-offer.ts'
import type { Register } from './registration/register.ts'
import type { EnrolmentFlow } from './sign-in/enrolment.ts'
import type { NewPasswordFlow } from './sign-in/new-password.ts'
import type { SecondFactorFlow } from './sign-in/second-factor.ts'
import type { SignIn } from './sign-in/sign-in.ts'

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
