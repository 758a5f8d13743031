import { createFormBodyParser } from '@signet/http/forms'
import { html } from '@signet/http/html'
import { noStore } from '@signet/http/response-headers'
import { Router } from 'express'
import type { AuthorizationFlow } from '../authorize/authorization-flow.ts'
import { pageForm } from '../pages/form-page.ts'
import { openedPage, submittedForm } from '../pages/forms.ts'
import {
  layout,
  ownDescription,
  type Page,
  type PageFrame,
  type PageFrames,
  sendPage,
} from '../pages/page.ts'
import { continuePath, interactionPath, PATHS } from '../pages/paths.ts'
import type { AccountChoice } from '../sessions/account-names.ts'
import type { Browser } from '../sessions/browser.ts'
import type { BrowserCookies } from '../sessions/browser-cookies.ts'

interface AccountsRouteDependencies {
  readonly flow: Pick<AuthorizationFlow, 'assess' | 'update'>
  readonly cookies: BrowserCookies
  readonly frames: PageFrames
}

/** The choice among the sessions of this browser (OIDC Core section 3.1.2.1, `select_account`). */
export function accountsRoute({ flow, cookies, frames }: AccountsRouteDependencies): Router {
  return Router()
    .get(PATHS.accounts, noStore, async (req, res) => {
      const { requestId, browser } = openedPage(req, cookies)
      const assessment = await flow.assess(requestId, browser)
      if (assessment.interaction !== 'choose-account' && assessment.interaction !== 'hinted-sign-in') {
        res.redirect(303, continuePath(requestId))
        return
      }
      const page = accountsPage(frames(req, assessment.request.uiLocales, await assessment.findBranding()), {
        requestId,
        browser,
        application: assessment.redirect.client.name,
        accounts: assessment.accounts,
        otherAccountPath: interactionPath('sign-in', requestId),
      })
      sendPage(res, page)
    })
    .post(PATHS.accounts, noStore, createFormBodyParser(), async (req, res) => {
      const { requestId, browser, form } = submittedForm(req, cookies, 'accounts')
      // A session that is not a candidate is ignored, and the page is shown again.
      await flow.update(requestId, browser, { chosenSid: form.sid })
      res.redirect(303, continuePath(requestId))
    })
}

interface AccountsPage {
  readonly requestId: string
  readonly browser: Browser
  /** Name of the application to which the user returns. */
  readonly application: string
  readonly accounts: readonly AccountChoice[]
  /** Path of the sign-in page. */
  readonly otherAccountPath: string
}

/**
 * Renders a button for each session of this browser (`#account-1` …), and a link to sign in to another account
 * (`#account-other`).
 */
function accountsPage(frame: PageFrame, page: AccountsPage): Page {
  const { accounts, custom, impersonation } = frame.texts
  const buttons = page.accounts.map(
    ({ sid, name, loginName, isHinted, isImpersonated }, index) =>
      html`<li><button class="account" id="account-${index + 1}" type="submit" name="sid" value="${sid}"${
        isHinted && html` autofocus`
      }><span class="name"><bdi>${name}</bdi></span> <span class="login-name"><bdi>${loginName}</bdi></span>${isImpersonated && html` <span class="login-name">${impersonation.choice}</span>`}</button></li>\n`,
  )
  return layout(frame, {
    title: accounts.title,
    content: html`<h1>${accounts.title}</h1>
<p class="intro">${accounts.intro({ application: page.application })}</p>
${ownDescription(custom.accountsDescription)}${pageForm(
  { path: PATHS.accounts, purpose: 'accounts', browser: page.browser, subject: page.requestId },
  html`<ul class="accounts">
${buttons}</ul>`,
)}
<p class="also"><a id="account-other" href="${page.otherAccountPath}">${accounts.other}</a></p>`,
  })
}
