// Finds the application and the session that the page of an expired or used request leads on to.
import { queryParameters } from '@signet/http/forms'
import type { Request } from 'express'
import { onlyParameter } from '../authorize/parameters.ts'
import type { FinishedRequest } from '../authorize/pending-authorization.ts'
import { NO_APPLICATION, type WayOn } from '../pages/way-on.ts'
import type { Browser } from '../sessions/browser.ts'
import type { BrowserCookies } from '../sessions/browser-cookies.ts'
import { requestOfState } from '../upstream/upstream-sign-in.service.ts'

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
    const query = queryParameters(req)
    const requestId =
      onlyParameter(req, 'continue') ?? query.request ?? form.request ?? requestOfState(query.state ?? '')
    const browser = cookies.known(req, requestId)
    if (browser === undefined) return NO_APPLICATION
    const finished = requestId === undefined ? undefined : await findFinished(requestId, browser)
    return { finished, isSignedIn: await isSignedIn(browser) }
  }
  return (req) => find(req).catch(() => NO_APPLICATION)
}
