import type { RequestListener } from 'node:http'
import type { FindSignInPage } from '@signet/directory-reader/sign-in-page'
import { createHttpApp } from '@signet/http/app'
import { createNetworkLimit, type RequestLimit } from '@signet/http/rate-limit'
import { clientAddress } from '@signet/http/request-context'
import type { Logger } from '@signet/platform/logger/logger'
import { Router } from 'express'
import type { AuthorizationFlow } from './authorize/authorization-flow.ts'
import type { FindAudienceNames, FindOrganizationName } from './authorize/consent-rule.ts'
import type { CountStored, PostedParameters } from './authorize/pending-authorization.ts'
import type { AuthorizationResponses } from './authorize/redirect.ts'
import type { FindRegistrationPolicy } from './authorize/registration-rules.ts'
import type { FindBrandingFile } from './branding/find-branding.ts'
import type { LoginConfig } from './config.ts'
import { consentRoute } from './consent/consent.routes.ts'
import type { AllowAccess, AnswerRoleOffer, Consents } from './consent/consent.service.ts'
import { rolesRoute } from './consent/roles.routes.ts'
import { authorizationResponseSender, authorizeRoute } from './endpoint/authorize.routes.ts'
import { pageErrorHandler } from './endpoint/error.page.ts'
import { createFindWayOn } from './endpoint/way-on.page.ts'
import { loginEvents } from './events.ts'
import { endSessionRoute, logoutRoute } from './logout/end-session.routes.ts'
import type { LogoutFlow } from './logout/logout.service.ts'
import type { AccountPageDependencies } from './own-account/account-page.routes.ts'
import { applicationsRoute } from './own-account/applications.routes.ts'
import type { OwnApplications } from './own-account/applications.service.ts'
import { confirmRoute } from './own-account/confirm.routes.ts'
import type { Confirmation } from './own-account/confirm.service.ts'
import { dataRoute } from './own-account/data.routes.ts'
import { deletionRoute } from './own-account/deletion.routes.ts'
import { emailRoute } from './own-account/email.routes.ts'
import { factorsRoute } from './own-account/factors.routes.ts'
import { overviewRoute } from './own-account/overview.routes.ts'
import type { OwnDirectory } from './own-account/own-directory.ts'
import type { OwnFactors } from './own-account/own-factors.service.ts'
import type { OwnPasskeys } from './own-account/own-passkeys.service.ts'
import type { OwnSecurity } from './own-account/own-security.service.ts'
import { passkeysRoute } from './own-account/passkeys.routes.ts'
import { ownPasswordRoute } from './own-account/password.routes.ts'
import { profileRoute } from './own-account/profile.routes.ts'
import { ownSessionsRoute } from './own-account/sessions.routes.ts'
import type { IsConfirmed } from './own-account/usable-factors.ts'
import { assetRoute, brandingFileRoute, loadAssets } from './pages/assets.ts'
import { brandingStylesheetRoute } from './pages/branding-stylesheet.ts'
import { firstPageRoute } from './pages/first-page.ts'
import { ownPagesOnly } from './pages/own-pages-only.ts'
import { pageFrames } from './pages/page-frames.ts'
import { PATHS } from './pages/paths.ts'
import { forgotRoute } from './recovery/forgot.routes.ts'
import { passwordLinkRoute } from './recovery/link.routes.ts'
import type { Recovery } from './recovery/recovery.ts'
import { verifyEmailRoute } from './recovery/verify-email.routes.ts'
import { registerRoute } from './registration/register.routes.ts'
import type { Register } from './registration/register.service.ts'
import type { Browser, RandomBytes } from './sessions/browser.ts'
import { browserCookies } from './sessions/browser-cookies.ts'
import type { FindPasskeySignIn } from './sessions/factor-policy.ts'
import { accountsRoute } from './sign-in/accounts.routes.ts'
import { newPasswordRoute } from './sign-in/new-password.routes.ts'
import type { NewPasswordFlow } from './sign-in/new-password.service.ts'
import { passkeyRoute } from './sign-in/passkey.routes.ts'
import type { PasskeySignIn } from './sign-in/passkey.service.ts'
import type { PasskeyChallenges } from './sign-in/passkey-challenge.ts'
import { createPasskeyForms } from './sign-in/passkey-form.page.ts'
import { createPasskeyOptions } from './sign-in/passkey-options.ts'
import { loginPageSender, loginRoute } from './sign-in/password.routes.ts'
import type { SignIn } from './sign-in/sign-in.service.ts'
import { enrolmentPageSender, enrolmentRoute, totpPageSender, totpRoute } from './sign-in/totp.routes.ts'
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
  readonly challenges: PasskeyChallenges
  readonly passkeySignIn: PasskeySignIn
  readonly findPasskeySignIn: FindPasskeySignIn
  readonly ownPasskeys: OwnPasskeys
  readonly ownFactors: OwnFactors
  readonly confirmation: Confirmation
  readonly recovery: Recovery
  readonly findSignInPage: FindSignInPage
  readonly findBrandingFile: FindBrandingFile
  readonly findRegistrationPolicy: FindRegistrationPolicy
  readonly register: Register
  readonly allowAccess: AllowAccess
  readonly answerRoleOffer: AnswerRoleOffer
  readonly consents: Consents
  readonly findAudienceNames: FindAudienceNames
  readonly findOrganizationName: FindOrganizationName
  readonly logoutFlow: LogoutFlow
  readonly ownApplications: OwnApplications
  readonly ownAccounts: AccountPageDependencies['ownAccounts']
  readonly ownSecurity: OwnSecurity
  readonly ownDirectory: OwnDirectory
  readonly isConfirmed: IsConfirmed
  readonly posted: PostedParameters
  /** Whether a browser has a usable session. */
  readonly isSignedIn: (browser: Browser) => Promise<boolean>
  readonly countStored: CountStored
  readonly responses: AuthorizationResponses
}

/** Creates the HTTP application of this service. */
export function createLoginHttpApp(dependencies: HttpAppDependencies): RequestListener {
  const { config, logger, now, random, logoutFlow } = dependencies
  const cookies = browserCookies({ issuer: config.issuer, random })
  const assets = loadAssets()
  const frames = pageFrames(
    {
      stylesheets: {
        auto: assets.stylesheets.auto.path,
        light: assets.stylesheets.light.path,
        dark: assets.stylesheets.dark.path,
      },
      passkeyScript: assets.passkeyScript.path,
      passwordScript: assets.passwordScript.path,
    },
    random,
  )
  const sendResponse = authorizationResponseSender(frames, random)
  const events = loginEvents(logger)
  const { isSignedIn, authorizationFlow } = dependencies
  const findWayOn = createFindWayOn({ cookies, findFinished: authorizationFlow.finished, isSignedIn })
  const { passkeys: party } = config
  const passkeyForms = party && createPasskeyForms(createPasskeyOptions(party, dependencies.challenges))
  const shared = {
    ...dependencies,
    flow: dependencies.authorizationFlow,
    cookies,
    frames,
    events,
    findWayOn,
    passkeyForms,
    sendResponse,
    issuer: config.issuer,
  }
  return createHttpApp({
    logger,
    issuer: config.issuer,
    trustedProxies: config.trustedProxies,
    routes: [
      ownPagesOnly(config.issuer),
      signInLimit(createNetworkLimit(config.rateLimits.signIn, now)),
      authorizeRoute(shared),
      endSessionRoute({ ...shared, flow: logoutFlow }),
      loginRoute(shared),
      totpRoute(shared),
      enrolmentRoute(shared),
      newPasswordRoute(shared),
      ...(party === undefined || passkeyForms === undefined
        ? []
        : passkeyRoutes({ ...shared, party, passkeyForms })),
      confirmRoute(shared),
      factorsRoute({ ...shared, hasPasskeys: party !== undefined }),
      forgotRoute(shared),
      passwordLinkRoute(shared, PATHS.reset, 'password_reset'),
      passwordLinkRoute(shared, PATHS.invitation, 'invitation'),
      verifyEmailRoute(shared),
      registerRoute(shared),
      accountsRoute(shared),
      consentRoute(shared),
      rolesRoute(shared),
      applicationsRoute(shared),
      overviewRoute({ ...shared, hasPasskeys: party !== undefined }),
      ownPasswordRoute(shared),
      ownSessionsRoute(shared),
      profileRoute(shared),
      emailRoute(shared),
      dataRoute(shared),
      deletionRoute(shared),
      logoutRoute({ ...shared, flow: logoutFlow }),
      brandingStylesheetRoute(),
      brandingFileRoute(
        dependencies.findBrandingFile,
        // Apart from the limit of the pages, which their own files would use up.
        createNetworkLimit(config.rateLimits.signIn, now),
      ),
      assetRoute(assets),
      firstPageRoute({ frames, issuer: config.issuer, hasPasskeys: party !== undefined }),
    ],
    onError: pageErrorHandler(shared),
  })
}

type PasskeyRouteDependencies = Omit<
  Parameters<typeof passkeyRoute>[0],
  'showLogin' | 'showSecondFactor' | 'showEnrolment'
> &
  Parameters<typeof passkeysRoute>[0] &
  Parameters<typeof loginPageSender>[0] &
  Parameters<typeof totpPageSender>[0] &
  Parameters<typeof enrolmentPageSender>[0]

/** The routes of an instance with passkeys. */
function passkeyRoutes(shared: PasskeyRouteDependencies): readonly Router[] {
  return [
    passkeyRoute({
      ...shared,
      showLogin: loginPageSender(shared),
      showSecondFactor: totpPageSender(shared),
      showEnrolment: enrolmentPageSender(shared),
    }),
    passkeysRoute(shared),
  ]
}

/** Paths without a rate limit: sign-out is never refused, and a page needs its stylesheet. Files of organizations have a limit of their own. */
const UNLIMITED = [PATHS.endSession, PATHS.logout, PATHS.asset.replace(/:.*$/, '')]

/** Limits the request rate of each network at the authorization endpoint and the sign-in pages. */
function signInLimit(limit: RequestLimit): Router {
  return Router().use((req, _res, next) => {
    if (!UNLIMITED.some((path) => req.path.startsWith(path))) limit(clientAddress(req))
    next()
  })
}
