import { readFormPairs } from '@signet/http/forms'
import { html } from '@signet/http/html'
import type { RefusalRecorder } from '@signet/http/refusals'
import { clientAddress } from '@signet/http/request-context'
import { noStore } from '@signet/http/response-headers'
import { type Request, type Response, Router } from 'express'
import type { AuthorizationFlow, AuthorizationOutcome } from '../authorize/authorization-flow.ts'
import type { ScopeChanges } from '../authorize/authorization-request.ts'
import {
  onlyParameter,
  POST_BYTES_LIMIT,
  type RequestParameters,
  requestParameters,
  requestQuery,
} from '../authorize/parameters.ts'
import type { CountStored, PostedParameters } from '../authorize/pending-authorization.ts'
import { type AuthorizationResponse, withQuery } from '../authorize/redirect.ts'
import type { CountDocument } from '../client-metadata/find-document.ts'
import { layout, type Page, type PageFrame, type PageFrames, sendPage } from '../pages/page.ts'
import { interactionPath, PATHS, postedPath } from '../pages/paths.ts'
import { PageExpiredError } from '../sessions/browser.ts'
import type { BrowserCookies } from '../sessions/browser-cookies.ts'

interface AuthorizeRouteDependencies {
  readonly flow: AuthorizationFlow
  readonly cookies: BrowserCookies
  readonly refusals: RefusalRecorder
  readonly posted: PostedParameters
  readonly countStored: CountStored
  readonly countDocument: CountDocument
  readonly sendResponse: SendAuthorizationResponse
}

/**
 * The authorization endpoint (OIDC Core section 3.1.2). A pending request continues at `?continue=<id>`. A cross-site
 * POST carries no `SameSite=Lax` cookie, so its parameters are stored and the browser is redirected to
 * `?posted=<handle>`.
 */
export function authorizeRoute(dependencies: AuthorizeRouteDependencies): Router {
  const { flow, cookies, refusals, posted, countStored, countDocument, sendResponse } = dependencies
  const proceed = (res: Response, outcome: AuthorizationOutcome) => {
    if (outcome.kind === 'respond') {
      const { response, sessionCookie } = outcome
      if (sessionCookie !== undefined) cookies.setSignedIn(res, { sessionCookie })
      sendResponse(res, response)
    } else res.redirect(303, interactionPath(outcome.interaction, outcome.requestId))
  }

  /** Tells the people of the application which words of its scope had no effect. */
  function reportScopes(req: Request, { dropped, lacksRefresh, lacksOfflineAccess }: ScopeChanges) {
    if (dropped.length > 0)
      refusals.changed(req, { reason: 'scopes_dropped', values: { scopes: dropped.join(' ') } })
    if (lacksRefresh) refusals.changed(req, { reason: 'offline_access_dropped', values: {} })
    // Each request of an application that wants no refresh token is one of these: no log line.
    if (lacksOfflineAccess) refusals.reportChanged(req, { reason: 'offline_access_missing', values: {} })
  }

  async function resume(req: Request, res: Response, requestId: string) {
    const browser = cookies.known(req, requestId)
    if (browser === undefined) throw new PageExpiredError('the browser is not known')
    const outcome = await flow.resume(requestId, browser)
    if (outcome.kind === 'respond') cookies.deletePending(req, res, requestId)
    proceed(res, outcome)
  }

  async function begin(req: Request, res: Response, parameters: RequestParameters) {
    countDocument(parameters.get('client_id'), clientAddress(req))
    const browser = cookies.knownOrNew(req)
    const outcome = await flow.begin(parameters, browser, {
      clientAddress: clientAddress(req),
      onRead: ({ redirect, request }) => {
        refusals.knowClient(req, redirect.client.clientId)
        reportScopes(req, request.scopeChanges)
        // For the review of the application: it may go on, and each of its requests is one of these.
        if (request.responseType === 'code' && request.codeChallenge === undefined)
          refusals.reportChanged(req, { reason: 'code_challenge_absent', values: {} })
      },
    })
    if (outcome.kind === 'interact') cookies.setBrowser(req, res, browser, outcome.requestId)
    proceed(res, outcome)
  }

  return Router()
    .get(PATHS.authorize, noStore, async (req, res) => {
      const requestId = onlyParameter(req, 'continue')
      if (requestId !== undefined) return resume(req, res, requestId)
      const handle = onlyParameter(req, 'posted')
      if (handle === undefined) return begin(req, res, requestQuery(req))
      const parameters = await posted.take(handle)
      if (parameters === undefined) throw new PageExpiredError('the posted parameters were read already')
      return begin(req, res, requestParameters(Object.entries(parameters)))
    })
    .post(PATHS.authorize, noStore, async (req, res) => {
      const pairs = await readFormPairs(req, { limitBytes: POST_BYTES_LIMIT })
      const sent = requestParameters(pairs)
      countDocument(sent.get('client_id'), clientAddress(req))
      const parameters = await flow.check(sent)
      countStored(clientAddress(req), parameters)
      res.redirect(303, postedPath(await posted.store(parameters)))
    })
}

/**
 * Sends a response to the client through the browser in its response mode; redirects are 303 (RFC 9700 section 4.12).
 */
export type SendAuthorizationResponse = (res: Response, response: AuthorizationResponse) => void

export function createAuthorizationResponseSender(frames: PageFrames): SendAuthorizationResponse {
  const modes = {
    query: (res, { redirectUri, parameters }) => redirect(res, withQuery(redirectUri, parameters)),
    fragment: (res, { redirectUri, parameters }) =>
      redirect(res, `${redirectUri}#${new URLSearchParams(parameters)}`),
    form_post(res, { redirectUri, parameters }) {
      sendPage(res, formPostPage(frames(res.req), { action: redirectUri, parameters }))
    },
  } satisfies Record<AuthorizationResponse['responseMode'], SendAuthorizationResponse>
  return (res, response) => modes[response.responseMode](res, response)
}

function redirect(res: Response, location: string): void {
  res.setHeader('Cache-Control', 'no-store')
  res.setHeader('Referrer-Policy', 'no-referrer')
  // Not res.redirect(), which would encode the registered URI again.
  res.status(303).setHeader('Location', location).end()
}

interface FormPostPage {
  /** A proven redirect URI of the client. */
  readonly action: string
  readonly parameters: Readonly<Record<string, string>>
}

/** OAuth 2.0 Form Post Response Mode: a form that submits itself, with a button for browsers without scripts. */
function formPostPage(frame: PageFrame, page: FormPostPage): Page {
  const { formPost } = frame.texts
  const inputs = Object.entries(page.parameters).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`,
  )
  return layout(frame, {
    title: formPost.title,
    content: html`<h1>${formPost.title}</h1>
<p>${formPost.advice}</p>
<form id="form-post" method="post" action="${page.action}">
${inputs}<button id="form-post-submit" type="submit">${formPost.submit}</button>
</form>
<script nonce="${frame.scriptNonce}">document.getElementById('form-post').submit()</script>`,
  })
}
