import { type Html, html } from '@signet/http-server/html'
import { layout, type PageFrame } from './page.ts'

export interface LogoutPage {
  /** The sign-out request, as the query of its URL. */
  readonly request: string
  readonly csrfToken: string
  /** Name of the application that asked, when one is known. */
  readonly application: string | undefined
}

/** Asks before signing out: `#logout-confirm`. */
export function logoutPage(frame: PageFrame, page: LogoutPage): Html {
  const { logout } = frame.texts
  return layout(frame, {
    title: logout.title,
    content: html`<h1>${logout.title}</h1>
${page.application !== undefined && html`<p class="intro">${logout.application(page.application)}</p>`}
<p>${logout.question}</p>
<form method="post" action="/ui/logout">
<input type="hidden" name="request" value="${page.request}">
<input type="hidden" name="csrf" value="${page.csrfToken}">
<button id="logout-confirm" type="submit">${logout.confirm}</button>
</form>`,
  })
}

/** The end of a sign-out that names no place to return to. */
export function signedOutPage(frame: PageFrame): Html {
  const { signedOut } = frame.texts
  return layout(frame, {
    title: signedOut.title,
    content: html`<h1>${signedOut.title}</h1>
<p>${signedOut.advice}</p>`,
  })
}
