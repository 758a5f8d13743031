import { queryParameters } from '@signet/http/forms'
import { type Html, html } from '@signet/http/html'
import type { Request, Response } from 'express'
import {
  type Browser,
  type FormPurpose,
  FormRefusedError,
  formToken,
  formTokenMatches,
  PageExpiredError,
} from '../sessions/browser.ts'
import type { BrowserCookies } from '../sessions/browser-cookies.ts'

interface PendingPage {
  readonly requestId: string
  readonly browser: Browser
}

/** Returns the pending request of a page. Throws PageExpiredError without request id or browser cookie. */
export function openedPage(req: Request, cookies: BrowserCookies): PendingPage {
  const requestId = queryParameters(req).request
  const browser = cookies.known(req, requestId)
  if (requestId === undefined || browser === undefined) throw new PageExpiredError('no pending request')
  return { requestId, browser }
}

/** Returns a form that our own page submitted in this browser. Throws FormRefusedError for any other. */
export function submittedForm(
  req: Request,
  cookies: BrowserCookies,
  purpose: FormPurpose,
): PendingPage & { readonly form: Readonly<Record<string, string>> } {
  const form: Readonly<Record<string, string>> = req.body
  const { request: requestId = '' } = form
  const browser = cookies.known(req, requestId)
  if (browser === undefined || !formTokenMatches(form.csrf, browser, purpose, requestId)) {
    throw new FormRefusedError('the form does not belong to this browser', browser !== undefined)
  }
  return { requestId, browser, form }
}

/**
 * The hidden fields of a form that needs no session: its token, and the sign-in that is pending in this browser. Sets the
 * browser cookie that the token belongs to.
 */
export function anonymousFields(
  res: Response,
  cookies: BrowserCookies,
  purpose: FormPurpose,
  requestId = '',
): Html {
  const browser = cookies.known(res.req, requestId) ?? cookies.knownOrNew(res.req)
  cookies.setBrowser(res.req, res, browser)
  return html`${requestId !== '' && html`<input type="hidden" name="request" value="${requestId}">\n`}<input type="hidden" name="csrf" value="${formToken(browser, purpose, requestId)}">`
}
