import { createFormBodyParser, queryParameters, readFormPairs } from '@signet/http/forms'
import { type Html, html } from '@signet/http/html'
import { clientAddress } from '@signet/http/request-context'
import { noStore } from '@signet/http/response-headers'
import { type Request, type Response, Router } from 'express'
import {
  END_SESSION_QUERY_LIMIT,
  POST_BYTES_LIMIT,
  type RequestParameters,
  replaceParameter,
  requestParameters,
  requestQuery,
} from '../authorize/parameters.ts'
import type { LoginEvents } from '../events.ts'
import { pageForm } from '../pages/form-page.ts'
import { submittedForm } from '../pages/forms.ts'
import { layout, type Page, type PageFrame, type PageFrames, sendPage } from '../pages/page.ts'
import { PATHS, withRawQuery } from '../pages/paths.ts'
import { NO_APPLICATION, wayOnLinks } from '../pages/way-on.ts'
import type { Browser } from '../sessions/browser.ts'
import type { BrowserCookies } from '../sessions/browser-cookies.ts'
import { endSessionQuery, type LogoutFlow, offerSignOut, type SignedOut } from './logout.service.ts'
import type { ProviderLogout, WayOut } from './provider-logout.ts'

interface EndSessionRouteDependencies {
  readonly flow: Pick<LogoutFlow, 'begin' | 'shortened'>
  readonly cookies: BrowserCookies
  readonly events: LoginEvents
}

/**
 * The end-session endpoint (OIDC RP-Initiated Logout section 2). The request is not stored: a cross-site POST carries
 * no `SameSite=Lax` cookie, so its parameters go into the query of the GET that follows, what was read from the hint
 * instead of the hint.
 */
export function endSessionRoute({ flow, cookies, events }: EndSessionRouteDependencies): Router {
  return Router()
    .get(PATHS.endSession, noStore, async (req, res) => {
      const parameters = await flow.shortened(requestQuery(req))
      const from = { browser: cookies.knownOrNew(req), clientAddress: clientAddress(req) }
      const outcome = await offerSignOut(() => flow.begin(parameters, from))
      if (outcome.kind === 'confirm') {
        res.redirect(303, withRawQuery(PATHS.logout, endSessionQuery(parameters)))
        return
      }
      sendSignedOut(res, outcome, { browser: from.browser, cookies, events })
    })
    .post(PATHS.endSession, noStore, async (req, res) => {
      const pairs = await readFormPairs(req, { limitBytes: POST_BYTES_LIMIT })
      const parameters = withoutLongHint(await flow.shortened(requestParameters(pairs)))
      const query = await offerSignOut(async () => endSessionQuery(parameters))
      res.redirect(303, withRawQuery(PATHS.endSession, query))
    })
}

/** A hint that is still long is no ID token of this service. The GET that follows refuses the value in its place. */
function withoutLongHint(parameters: RequestParameters): RequestParameters {
  const { length } = parameters.get('id_token_hint') ?? ''
  return length > END_SESSION_QUERY_LIMIT
    ? replaceParameter(parameters, 'id_token_hint', 'unknown')
    : parameters
}

interface LogoutRouteDependencies {
  readonly flow: Pick<LogoutFlow, 'question' | 'confirm'>
  readonly cookies: BrowserCookies
  readonly frames: PageFrames
  readonly events: LoginEvents
}

/**
 * Asks for confirmation before a sign-out that another site may have started, and shows the result. The sign-out
 * request is in the query of the page and in its form, whose token binds it to this browser; it is checked again with
 * the form.
 */
export function logoutRoute({ flow, cookies, frames, events }: LogoutRouteDependencies): Router {
  return Router()
    .get(PATHS.logout, noStore, async (req, res) => {
      const parameters = requestQuery(req)
      const request = await offerSignOut(async () => endSessionQuery(parameters))
      const { application, isNotReturned, uiLocales } = await offerSignOut(() => flow.question(parameters))
      const browser = cookies.knownOrNew(req)
      cookies.setBrowser(req, res, browser)
      sendPage(res, logoutPage(frames(req, uiLocales), { request, browser, application, isNotReturned }))
    })
    .post(PATHS.logout, noStore, createFormBodyParser(), async (req, res) => {
      const { requestId: request, browser } = submittedForm(req, cookies, 'logout')
      const parameters = requestParameters(new URLSearchParams(request))
      const outcome = await offerSignOut(() =>
        flow.confirm(parameters, { browser, clientAddress: clientAddress(req) }),
      )
      sendSignedOut(res, outcome, { browser, cookies, events })
    })
    .get(PATHS.signedOut, (req, res) => sendPage(res, signedOutPage(frames(req))))
}

interface ReturnRouteDependencies {
  readonly providerLogout: Pick<ProviderLogout, 'comeBack'>
  readonly cookies: BrowserCookies
  readonly events: Pick<LoginEvents, 'upstreamRefused'>
}

/**
 * Takes the browser back from the sign-out at an identity provider. It ends no session and shows no text of the address: without a
 * state of this browser, which counts once, it leads to the last page of a sign-out.
 */
export function logoutReturnRoute({ providerLogout, cookies, events }: ReturnRouteDependencies): Router {
  return Router().get(PATHS.upstreamLogoutReturn, noStore, async (req, res) => {
    const { state = '' } = queryParameters(req)
    sendWayOut(req, res, await providerLogout.comeBack(cookies.known(req), state), events)
  })
}

/** Redirects the browser to the proven target, to an identity provider, or to the last page of this service. */
function sendSignedOut(
  res: Response,
  outcome: SignedOut,
  {
    browser,
    cookies,
    events,
  }: Pick<LogoutRouteDependencies, 'cookies' | 'events'> & { readonly browser: Browser },
): void {
  events.signedOut(res.req, outcome)
  if (outcome.browserIsEmpty) cookies.clearSession(res)
  // The cookie that the session began with may have ended with the browser.
  if (outcome.isAtProvider) cookies.setBrowser(res.req, res, browser)
  sendWayOut(res.req, res, outcome, events)
}

function sendWayOut(
  req: Request,
  res: Response,
  { target, refused }: WayOut,
  events: Pick<LoginEvents, 'upstreamRefused'>,
): void {
  for (const one of refused) events.upstreamRefused(req, one)
  // Not res.redirect(), which would encode the registered URI again.
  res
    .status(303)
    .setHeader('Location', target ?? PATHS.signedOut)
    .end()
}

interface LogoutPage {
  /** The sign-out request, as the query of its URL. */
  readonly request: string
  readonly browser: Browser
  /** Name of the application that asked, if it is known. */
  readonly application: string | undefined
  /** The application wanted the person back, and did not say which it is. */
  readonly isNotReturned: boolean
}

/** Signs this browser out: `#logout-confirm`. */
function signOutForm(
  { texts: { logout } }: PageFrame,
  { request, browser }: Pick<LogoutPage, 'request' | 'browser'>,
): Html {
  return pageForm(
    { path: PATHS.logout, purpose: 'logout', browser, subject: request },
    html`<button id="logout-confirm" type="submit">${logout.confirm}</button>`,
  )
}

/**
 * The sign-out on the page of a refused request: a form, or a link to one after a POST of another site, which sent no
 * cookies.
 */
export function refusedSignOut(frame: PageFrame, res: Response, cookies: BrowserCookies): Html {
  const { req } = res
  if (req.method === 'POST' && req.path === PATHS.endSession) {
    return html`<p class="also"><a id="logout-open" href="${PATHS.logout}">${frame.texts.logout.title}</a></p>`
  }
  const browser = cookies.knownOrNew(req)
  cookies.setBrowser(req, res, browser)
  return signOutForm(frame, { request: '', browser })
}

/** Asks for confirmation: `#logout-confirm`. */
function logoutPage(frame: PageFrame, page: LogoutPage): Page {
  const { logout } = frame.texts
  return layout(frame, {
    title: logout.title,
    content: html`<h1>${logout.title}</h1>
${page.application !== undefined && html`<p class="intro">${logout.application({ application: page.application })}</p>`}
<p>${logout.question}</p>
${page.isNotReturned && html`<p class="also" id="logout-not-returned">${logout.notReturned}</p>`}
${signOutForm(frame, page)}`,
  })
}

/** The last page of a sign-out without a post_logout_redirect_uri: `#account-open`. */
function signedOutPage(frame: PageFrame): Page {
  const { signedOut } = frame.texts
  return layout(frame, {
    title: signedOut.title,
    content: html`<h1>${signedOut.title}</h1>
<p>${signedOut.advice}</p>
${wayOnLinks(frame, NO_APPLICATION)}`,
  })
}
