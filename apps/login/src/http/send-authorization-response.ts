import type { Response } from 'express'
import type { AuthorizationResponse } from '../authorization/authorization-response.ts'
import { withQuery } from '../authorization/redirect-target.ts'
import { formPostPage } from '../pages/form-post-page.ts'
import type { RandomBytes } from '../sessions/browser.ts'
import type { PageFrames } from './page-frames.ts'
import { sendPage } from './page-sender.ts'

/** Sends an answer through the browser in the mode the client asked for; redirects are 303 (RFC 9700 section 4.12). */
export type SendAuthorizationResponse = (res: Response, response: AuthorizationResponse) => void

export function authorizationResponseSender(
  frames: PageFrames,
  random: RandomBytes,
): SendAuthorizationResponse {
  const modes = {
    query: (res, { redirectUri, parameters }) => redirect(res, withQuery(redirectUri, parameters)),
    fragment: (res, { redirectUri, parameters }) =>
      redirect(res, `${redirectUri}#${new URLSearchParams(parameters)}`),
    form_post(res, { redirectUri, parameters }) {
      const scriptNonce = random(16).toString('base64url')
      const page = formPostPage(frames(res.req), { action: redirectUri, parameters, scriptNonce })
      sendPage(res, page, { scriptNonce })
    },
  } satisfies Record<AuthorizationResponse['responseMode'], SendAuthorizationResponse>
  return (res, response) => modes[response.responseMode](res, response)
}

function redirect(res: Response, location: string): void {
  res.setHeader('Cache-Control', 'no-store')
  res.setHeader('Referrer-Policy', 'no-referrer')
  // Not res.redirect(): it would re-encode a URI that has to go out as it was registered.
  res.status(303).setHeader('Location', location).end()
}
