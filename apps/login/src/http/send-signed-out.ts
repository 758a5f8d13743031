import type { Response } from 'express'
import type { SignedOut } from '../logout/logout.service.ts'
import { PATHS } from '../pages/paths.ts'
import type { BrowserCookies } from '../sessions/browser-cookies.ts'

/** Sends the browser to the proven target, or to our own last page. */
export function sendSignedOut(
  res: Response,
  { target, browserIsEmpty }: SignedOut,
  cookies: BrowserCookies,
): void {
  if (browserIsEmpty) cookies.clearSession(res)
  // The target goes out as it was registered, without another encoding.
  res
    .status(303)
    .setHeader('Location', target ?? PATHS.signedOut)
    .end()
}
