import { type Html, html } from '@signet/http/html'
import { toOAuthError } from '@signet/http/oauth-error-handler'
import { type RefusalRecorder, refusalFields } from '@signet/http/refusals'
import { requestId } from '@signet/http/request-context'
import type { Logger } from '@signet/platform/logger/logger'
import { OAuthError, type RefusedValues } from '@signet/protocol/errors'
import type { Request, Response } from 'express'
import { requestedLocales } from '../authorize/parameters.ts'
import {
  type AuthorizationResponse,
  AuthorizationResponseError,
  type AuthorizationResponses,
  AuthorizePageError,
  type ProvenRedirect,
  withQuery,
} from '../authorize/redirect.ts'
import { refusedSignOut } from '../logout/end-session.routes.ts'
import { SignOutRefusedError } from '../logout/logout.service.ts'
import { ForeignRequestError } from '../pages/own-pages-only.ts'
import { layout, type Page, type PageFrame, type PageFrames, sendPage } from '../pages/page.ts'
import type { Texts } from '../pages/texts/message.ts'
import { NO_APPLICATION, wayOnLinks } from '../pages/way-on.ts'
import { FormRefusedError, PageExpiredError } from '../sessions/browser.ts'
import type { BrowserCookies } from '../sessions/browser-cookies.ts'
import { ImpersonationLimitError } from '../sessions/impersonation.ts'
import type { SendAuthorizationResponse } from './authorize.routes.ts'
import type { FindWayOn } from './way-on.page.ts'

interface PageErrorDependencies {
  readonly logger: Logger
  readonly refusals: RefusalRecorder
  readonly frames: PageFrames
  readonly cookies: BrowserCookies
  readonly findWayOn: FindWayOn
  readonly responses: AuthorizationResponses
  readonly sendResponse: SendAuthorizationResponse
}

/** Sends errors: to the client where its redirect URI is proven, otherwise as a page without internal text. */
export function createPageErrorHandler(
  dependencies: PageErrorDependencies,
): (error: unknown, req: Request, res: Response) => void {
  const { logger, refusals, frames, cookies, findWayOn, responses, sendResponse } = dependencies
  return function answer(thrown, req, res) {
    const isRedirectError = thrown instanceof AuthorizationResponseError
    const error = isRedirectError ? thrown.error : thrown
    const frame = frames(req, requestedLocales(req))
    const notice = noticeOf(error, frame.texts)
    const refused = {
      reason: notice.label,
      status: notice.status,
      values: isRedirectError ? { ...notice.values, ...thrown.about } : notice.values,
    }
    if (notice.status < 500) refusals.refused(req, refused)
    else
      logger.error('request_failed', {
        ...refusalFields(req, refused),
        error: error instanceof OAuthError ? (error.cause ?? error) : error,
      })
    if (res.headersSent) {
      res.destroy()
      return
    }
    if (isRedirectError) {
      const { redirect, response } = thrown
      void (response ? Promise.resolve(response) : responses.error(redirect, thrown.error))
        .then((ready) => {
          if (response !== undefined || redirect.client.documentHost === undefined) sendResponse(res, ready)
          else
            sendPage(
              res,
              noticePage(frame, notice, requestId(req), wayToClient(frame, redirect, ready)),
              notice,
            )
        })
        // The error cannot be signed now: the person gets it, and no page of the client.
        .catch((failure) => answer(failure, req, res))
      return
    }
    if (error instanceof OAuthError) res.set(error.headers)
    const send = (shown: Notice, wayOn?: Html) =>
      sendPage(res, noticePage(frame, shown, requestId(req), wayOn), { status: shown.status })
    if (error instanceof SignOutRefusedError) return send(notice, refusedSignOut(frame, res, cookies))
    if (notice.status === 404) return send(notice, wayOnLinks(frame, NO_APPLICATION))
    if (!(error instanceof PageExpiredError)) return send(notice)
    void findWayOn(req).then((wayOn) => {
      const { title } = frame.texts.expired
      return send(wayOn.isSignedIn ? { ...notice, title, advice: '' } : notice, wayOnLinks(frame, wayOn))
    })
  }
}

/**
 * `#client-return`: leads to a client that no organization registered. Anyone may publish such a client, so its errors redirect no
 * browser by themselves (RFC 9700 section 4.11.2), unless the person has just denied access.
 */
function wayToClient(
  { texts: { expired } }: PageFrame,
  { client }: ProvenRedirect,
  ready: AuthorizationResponse,
): Html {
  const text = expired.continue({ application: client.name })
  const { redirectUri, responseMode, parameters } = ready
  if (responseMode !== 'form_post') {
    const query = new URLSearchParams(parameters).toString()
    const url = responseMode === 'query' ? withQuery(redirectUri, parameters) : `${redirectUri}#${query}`
    return html`<p class="also"><a id="client-return" href="${url}" rel="noreferrer">${text}</a></p>\n`
  }
  const inputs = Object.entries(parameters).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`,
  )
  return html`<form method="post" action="${redirectUri}">
${inputs}<button id="client-return" class="second" type="submit">${text}</button>
</form>\n`
}

interface Notice extends NoticePage {
  readonly status: number
  /** Label for the log. */
  readonly label: string
}

/** The page for any thrown value. */
function noticeOf(thrown: unknown, texts: Texts): Notice {
  const { rejected, expired, cookies, staleForm, foreign, signOut, notFound, unavailable, failure } = texts
  if (thrown instanceof ImpersonationLimitError) {
    const { limits } = texts.impersonation
    return {
      title: rejected.title,
      reason: limits[thrown.reason],
      advice: limits.advice,
      status: 403,
      label: thrown.reason,
    }
  }
  if (thrown instanceof AuthorizePageError) {
    const { message, code, reason: label, values } = thrown
    const { mistake: title } = rejected
    return { ...rejected, title, reason: reasonFor(label, message, texts), code, status: 400, label, values }
  }
  if (thrown instanceof PageExpiredError) {
    const { reason: label, clientId } = thrown
    return { ...expired, title: rejected.title, status: 400, label, values: { clientId } }
  }
  if (thrown instanceof FormRefusedError) {
    const text = thrown.hasCookie ? staleForm : cookies
    return { title: rejected.title, ...text, status: 400, label: 'form_refused' }
  }
  if (thrown instanceof SignOutRefusedError) {
    const { code, status, reason: label, values } = thrown.error
    return { title: rejected.title, ...signOut, code, status, label, values }
  }
  if (thrown instanceof ForeignRequestError) {
    return { title: rejected.title, ...foreign, status: 403, label: 'foreign_request' }
  }
  const error = toOAuthError(thrown)
  if (error.status === 404) return { ...notFound, status: 404, label: error.reason }
  if (error.status === 503) return { ...unavailable, status: 503, label: error.reason }
  if (error.status >= 500) return { ...failure, status: error.status, label: error.reason }
  const { message, code, status, reason: label, values } = error
  return { ...rejected, reason: reasonFor(label, message, texts), code, status, label, values }
}

/** The text of the catalogue, or the message of the error. */
function reasonFor(label: string, message: string, { reasons }: Texts): string {
  const known = Object.entries(reasons).find(([name]) => name === label)
  return known?.[1] ?? message
}

interface NoticePage {
  readonly title: string
  /** The error, as text for the user. */
  readonly reason?: string
  /** The next action for the user; empty where the links of the page say it. */
  readonly advice: string
  /** Error code for the operator of the application. */
  readonly code?: string
  readonly values?: RefusedValues
}

/**
 * The last page of a flow: the request was rejected, or the service cannot process it now. The request id is that of the
 * log line; an application in devMode gets the compared values too.
 */
function noticePage(frame: PageFrame, notice: NoticePage, requestId: string, wayOn?: Html): Page {
  const { title, reason, advice, code, values } = notice
  const { rejected } = frame.texts
  return layout(frame, {
    title,
    content: html`<h1>${title}</h1>
${reason !== undefined && html`<p class="alert" role="alert">${reason}</p>`}
${advice !== '' && html`<p>${advice}</p>\n`}${wayOn}
${values?.devMode === true && comparedValues(frame, values)}
${code !== undefined && html`<p class="code">${rejected.code({ code })}</p>`}
<p class="code">${rejected.requestId({ id: requestId })}</p>`,
  })
}

const comparedValues = ({ texts: { rejected } }: PageFrame, { received, registered = [] }: RefusedValues) =>
  html`<dl id="compared-values">
<dt>${rejected.received}</dt><dd><bdi>${received ?? ''}</bdi></dd>
<dt>${rejected.registered}</dt>${registered.map((uri) => html`<dd><bdi>${uri}</bdi></dd>`)}
</dl>`
