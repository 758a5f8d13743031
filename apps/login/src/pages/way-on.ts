// The links with which a page that ends something leads on.
import { type Html, html } from '@signet/http/html'
import type { PageFrame } from './page.ts'
import { PATHS } from './paths.ts'

/** An application that people come from or go to, with the URL at which they begin to use it. */
interface KnownApplication {
  readonly application: string
  readonly url: string
}

export interface WayOn {
  /** The application of the request, if this browser finished it within its lifetime, or that of a message. */
  readonly finished: KnownApplication | undefined
  readonly isSignedIn: boolean
}

/** `#way-on` leads to the application, `#account-open` to the account of a signed-in person or to the sign-in. */
export function wayOnLinks({ texts }: PageFrame, { finished, isSignedIn }: WayOn): Html {
  const { expired, account, first } = texts
  return html`${
    finished !== undefined &&
    html`<p class="also"><a id="way-on" href="${finished.url}">${expired.continue({ application: finished.application })}</a></p>
`
  }<p class="also"><a id="account-open" href="${PATHS.account}">${account.title}</a></p>
${isSignedIn && html`<p class="also"><a id="applications-open" href="${PATHS.applications}">${first.applications}</a></p>\n`}`
}

/** The links where no application is known. */
export const NO_APPLICATION: WayOn = { finished: undefined, isSignedIn: false }
