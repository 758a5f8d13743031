import { type Html, html } from '@signet/http-server/html'
import type { AccountChoice } from '../sessions/account-choice.ts'
import { layout, type PageFrame } from './page.ts'

export interface AccountsPage {
  readonly requestId: string
  readonly csrfToken: string
  /** Name of the application that the person returns to. */
  readonly application: string
  readonly accounts: readonly AccountChoice[]
  /** Where another account signs in. */
  readonly otherAccountPath: string
}

/** One button for each session of this browser (`#account-1` …), and a link to sign in with another (`#account-other`). */
export function accountsPage(frame: PageFrame, page: AccountsPage): Html {
  const { accounts } = frame.texts
  const buttons = page.accounts.map(
    ({ sid, name, loginName, isHinted }, index) =>
      html`<li><button class="account" id="account-${index + 1}" type="submit" name="sid" value="${sid}"${
        isHinted && html` autofocus`
      }><span class="name">${name}</span> <span class="login-name">${loginName}</span></button></li>\n`,
  )
  return layout(frame, {
    title: accounts.title,
    content: html`<h1>${accounts.title}</h1>
<p class="intro">${accounts.intro(page.application)}</p>
<form method="post" action="/ui/accounts">
<input type="hidden" name="request" value="${page.requestId}">
<input type="hidden" name="csrf" value="${page.csrfToken}">
<ul class="accounts">
${buttons}</ul>
</form>
<p class="also"><a id="account-other" href="${page.otherAccountPath}">${accounts.other}</a></p>`,
  })
}
