// The banner of pages in a browser in which an administrator acts as another person.
import type { IncomingMessage } from 'node:http'
import { type Html, html } from '@signet/http/html'
import { type Browser, formToken } from '../sessions/browser.ts'
import { PATHS } from './paths.ts'
import type { Texts } from './texts/message.ts'

/** The impersonation of a browser, as its pages show it. */
export interface ShownImpersonation {
  readonly browser: Pick<Browser, 'id'>
  readonly sid: string
  readonly loginName: string
  readonly administrator: string
  readonly reason: string
}

const shown = new WeakMap<IncomingMessage, ShownImpersonation>()

/** Lets the pages of a request show the banner. */
export const showBanner = (req: IncomingMessage, impersonation: ShownImpersonation): void =>
  void shown.set(req, impersonation)

export const shownImpersonation = (req: IncomingMessage): ShownImpersonation | undefined => shown.get(req)

/** Says who acts as whom and why, and ends it: `#impersonation-banner`, `#impersonation-end`. */
export function bannerOf(
  { impersonation: texts }: Texts,
  acting: ShownImpersonation | undefined,
): Html | undefined {
  if (acting === undefined) return undefined
  const { browser, sid, loginName, administrator, reason } = acting
  return html`<aside id="impersonation-banner" aria-label="${texts.title}">
<p><strong>${texts.banner({ loginName, administrator })}</strong> ${texts.reason({ reason })}</p>
<form method="post" action="${PATHS.impersonationEnd}">
<input type="hidden" name="request" value="${sid}">
<input type="hidden" name="csrf" value="${formToken(browser, 'impersonation-end', sid)}">
<button class="second" id="impersonation-end" type="submit">${texts.end}</button>
</form>
</aside>
`
}
