import { type Html, html } from '@signet/http-server/html'
import type { AudienceNames } from '../consent/audience-names.ts'
import { layout, type PageFrame } from './page.ts'
import { scopeLines } from './scope-lines.ts'

export interface ConsentPage {
  readonly requestId: string
  readonly csrfToken: string
  /** Name of the application that asks. */
  readonly application: string
  /** Name of the organization that it belongs to, where that is not the person's own. */
  readonly organization: string | undefined
  readonly scopes: readonly string[]
  /** What the person has allowed it before. */
  readonly allowed: ReadonlySet<string>
  /** Of the projects that the scopes name. */
  readonly audiences: AudienceNames
  /** Who is asked. */
  readonly loginName: string
}

/** Names an application and what it asks for (OIDC Core section 3.1.2.4): `#consent-allow`, `#consent-deny`. */
export function consentPage(frame: PageFrame, page: ConsentPage): Html {
  const { consent } = frame.texts
  const lines = scopeLines(page.scopes, page, frame.texts).map(
    ({ text, isAllowed }) =>
      html`<li>${text}${isAllowed && html` <span class="quiet">${consent.allowedBefore}</span>`}</li>\n`,
  )
  return layout(frame, {
    title: consent.title,
    content: html`<h1>${consent.title}</h1>
<p class="intro">${consent.account(page.loginName)}</p>
<p id="consent-asks">${consent.asks(page.application)}</p>
${page.organization !== undefined && html`<p class="quiet" id="consent-owner">${consent.owner(page.organization)}</p>\n`}<ul class="scopes" aria-labelledby="consent-asks">
${lines}</ul>
<form method="post" action="/ui/consent">
<input type="hidden" name="request" value="${page.requestId}">
<input type="hidden" name="csrf" value="${page.csrfToken}">
<button id="consent-allow" type="submit" name="decision" value="allow">${consent.allow}</button>
<button class="second" id="consent-deny" type="submit" name="decision" value="deny">${consent.deny}</button>
</form>
<p class="also"><a id="consent-later" href="/ui/applications">${consent.later}</a></p>`,
  })
}
