// The links that the page of an expired or used request offers a person instead.
import { queryParameters } from '@signet/http/forms'
import { type Html, html } from '@signet/http/html'
import type { Request } from 'express'
import { onlyParameter } from '../authorize/parameters.ts'
import type { FinishedRequest } from '../authorize/pending-authorization.ts'
import type { PageFrame } from '../pages/page.ts'
import { PATHS } from '../pages/paths.ts'
import type { Browser } from '../sessions/browser.ts'
import type { BrowserCookies } from '../sessions/browser-cookies.ts'

interface WayOn {
  /** The application of the request, if this browser finished it within its lifetime. */
  readonly finished: FinishedRequest | undefined
  readonly isSignedIn: boolean
}

export type FindWayOn = (req: Request) => Promise<WayOn>

interface Dependencies {
  readonly cookies: BrowserCookies
  readonly findFinished: (requestId: string, browser: Browser) => Promise<FinishedRequest | undefined>
  readonly isSignedIn: (browser: Browser) => Promise<boolean>
}

/** Never rejects: without the stores it knows nothing. */
export function createFindWayOn({ cookies, findFinished, isSignedIn }: Dependencies): FindWayOn {
  async function find(req: Request): Promise<WayOn> {
    const form: Readonly<Record<string, string>> = req.body ?? {}
    const requestId = onlyParameter(req, 'continue') ?? queryParameters(req).request ?? form.request
    const browser = cookies.known(req, requestId)
    if (browser === undefined) return NOTHING
    const finished = requestId === undefined ? undefined : await findFinished(requestId, browser)
    return { finished, isSignedIn: await isSignedIn(browser) }
  }
  return (req) => find(req).catch(() => NOTHING)
}

const NOTHING: WayOn = { finished: undefined, isSignedIn: false }

/** `#way-on` leads to the application, `#account-open` to the account of a signed-in person or to the sign-in. */
export function wayOnLinks({ texts }: PageFrame, { finished, isSignedIn }: WayOn): Html {
  const { expired, account, first } = texts
  return html`${
    finished !== undefined &&
    html`<p><a id="way-on" href="${finished.url}">${expired.continue({ application: finished.application })}</a></p>
`
  }<p class="also"><a id="account-open" href="${PATHS.account}">${account.title}</a></p>
${isSignedIn && html`<p class="also"><a id="applications-open" href="${PATHS.applications}">${first.applications}</a></p>\n`}`
}
