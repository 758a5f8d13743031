import { type Html, html } from '@signet/http-server/html'
import type { OwnAccount } from '../applications/applications.service.ts'
import type { AudienceNames } from '../consent/audience-names.ts'
import { layout, type PageFrame } from './page.ts'
import { scopeLines } from './scope-lines.ts'

export interface ApplicationsPage {
  readonly accounts: readonly OwnAccount[]
  readonly audiences: AudienceNames
  /** Of the form of one session. */
  readonly csrfTokenOf: (sid: string) => string
}

const NOTHING_ALLOWED: ReadonlySet<string> = new Set()

/** Each account of this browser with its applications, and a button to end the access of each (`#end-access-1` …). */
export function applicationsPage(
  frame: PageFrame,
  { accounts, audiences, csrfTokenOf }: ApplicationsPage,
): Html {
  const { applications } = frame.texts
  let number = 0
  const sections = accounts.map((account, index) => {
    const items = account.applications.map(({ clientId, name, scopes }) => {
      number += 1
      const lines = scopeLines(scopes, { allowed: NOTHING_ALLOWED, audiences }, frame.texts).map(
        ({ text }) => html`<li>${text}</li>\n`,
      )
      return html`<li><h3>${name}</h3>
<ul class="scopes">
${lines}</ul>
<button class="second" id="end-access-${number}" type="submit" name="client_id" value="${clientId}">${applications.end(name)}</button></li>\n`
    })
    return html`<section aria-labelledby="account-${index + 1}">
<h2 id="account-${index + 1}">${account.loginName}</h2>
${items.length === 0 && html`<p>${applications.none}</p>`}${
  items.length > 0 &&
  html`<form method="post" action="/ui/applications">
<input type="hidden" name="request" value="${account.sid}">
<input type="hidden" name="csrf" value="${csrfTokenOf(account.sid)}">
<ul class="applications">
${items}</ul>
</form>`
}
</section>\n`
  })
  return layout(frame, {
    title: applications.title,
    content: html`<h1>${applications.title}</h1>
<p class="intro">${applications.intro}</p>
${sections}`,
  })
}

/** For a browser without a session: there is no account whose applications could be shown. */
export function nobodySignedInPage(frame: PageFrame): Html {
  const { applications } = frame.texts
  return layout(frame, {
    title: applications.title,
    content: html`<h1>${applications.title}</h1>
<p>${applications.signInFirst}</p>`,
  })
}
