import { createFormBodyParser, queryParameters } from '@signet/http/forms'
import { type Html, html } from '@signet/http/html'
import { clientAddress } from '@signet/http/request-context'
import { noStore } from '@signet/http/response-headers'
import { type Request, type Response, Router } from 'express'
import { ownClientQuery } from '../authorize/own-sign-in.ts'
import { describedBy, formProblem, pageForm } from '../pages/form-page.ts'
import { submittedForm } from '../pages/forms.ts'
import { layout, type PageFrame, sendPage } from '../pages/page.ts'
import { confirmPath, ofAccount, PATHS, withRawQuery } from '../pages/paths.ts'
import type { Texts } from '../pages/texts/message.ts'
import type { Browser } from '../sessions/browser.ts'
import type { OwnAccount } from '../sessions/own-accounts.service.ts'
import { ownChange } from '../sessions/sign-in-proof.ts'
import { type AccountPageDependencies, accountPage, shownAccount } from './account-page.routes.ts'
import type { OwnDirectory } from './own-directory.ts'
import type { IsConfirmed } from './usable-factors.ts'

interface EmailDependencies extends AccountPageDependencies {
  readonly isConfirmed: IsConfirmed
  readonly ownDirectory: Pick<
    OwnDirectory,
    'requestEmailChange' | 'requestEmailVerification' | 'findEmailChange' | 'confirmEmailChange'
  >
}

interface Shown {
  readonly browser: Browser
  readonly account: OwnAccount
  /** Frame with the branding of the account. */
  readonly frame: PageFrame
}

const PROBLEM = 'email-problem'
/** The attributes of a field with the problem. */
const DESCRIBED = html` aria-invalid="true"${describedBy(PROBLEM)}`

const STATUS = { invalid: 400, same: 400, no_server: 400, limited: 429, token: 400, throttled: 429 } as const

/**
 * The page on which users change their e-mail address: `#new-email`, `#email-submit`, then `#code` of the message. The
 * link of the message opens it too, for the account that the link is for: `#email-confirm`, or `#email-sign-in` in a browser
 * without a session of its person. A token counts only in such a session: a link that went to a mistyped address must not
 * let the stranger who has that address in, and its page does not name the account.
 */
export function emailRoute(dependencies: EmailDependencies): Router {
  const { ownDirectory, ownAccounts, isConfirmed, cookies } = dependencies

  return Router()
    .get(PATHS.ownEmail, noStore, async (req, res) => {
      const { token } = queryParameters(req)
      if (token !== undefined) return showLink(dependencies, req, res, token)
      const found = await shownAccount(req, res, dependencies)
      if (found === undefined) return
      const { session } = found.account
      if (!(await isConfirmed(session))) return res.redirect(303, confirmPath(session.sid, 'email'))
      showAddress(res, shownOf(dependencies, req, found.browser, found.account))
    })
    .post(PATHS.ownEmail, noStore, createFormBodyParser(), async (req, res) => {
      const { requestId: sid, browser, form } = submittedForm(req, cookies, 'own-email')
      const shown = shownOf(dependencies, req, browser, await ownAccounts.require(browser, sid))
      if (form.token !== undefined) return confirm(dependencies, req, res, shown, form.token)
      const { session } = shown.account
      if (form.verify !== undefined) return sendVerification(dependencies, req, res, shown)
      if (!(await isConfirmed(session))) return res.redirect(303, confirmPath(sid, 'email'))
      const { address = '' } = form
      const change = ownChange(session, clientAddress(req))
      const { language } = shown.frame.texts
      const outcome = await ownDirectory.requestEmailChange(change, { address, language })
      if (outcome === 'sent') return showCode(res, shown)
      showAddress(res, shown, address, outcome)
    })
}

const shownOf = (
  { frames }: EmailDependencies,
  req: Request,
  browser: Browser,
  account: OwnAccount,
): Shown => ({
  browser,
  account,
  frame: frames(req, account.language, account.branding),
})

/** Sends the message that proves the address of the account again; the overview says what became of it. */
async function sendVerification(
  { ownDirectory }: EmailDependencies,
  req: Request,
  res: Response,
  { account: { session }, frame }: Shown,
) {
  const change = ownChange(session, clientAddress(req))
  const outcome = await ownDirectory.requestEmailVerification(change, frame.texts.language)
  res.redirect(303, `${ofAccount(PATHS.account, session.sid)}&message=${outcome}`)
}

function send(
  res: Response,
  { browser, account, frame }: Shown,
  fields: Html,
  { intro, problem }: { readonly intro: string | Html; readonly problem?: keyof typeof STATUS | undefined },
) {
  const { email: texts, links } = frame.texts.account
  const { sid } = account.session
  const { alert } = formProblem(PROBLEM, problem && texts.problems[problem])
  const use = { path: PATHS.ownEmail, purpose: 'own-email', browser, subject: sid } as const
  const content = html`<p>${intro}</p>
${alert}
${pageForm(use, fields)}`
  sendPage(res, accountPage(frame, account, { path: PATHS.ownEmail, title: links.email, content }), {
    isolated: true,
    status: problem === undefined ? 200 : STATUS[problem],
  })
}

function showCode(res: Response, shown: Shown, problem?: keyof typeof STATUS) {
  const { account, recovery } = shown.frame.texts
  const fields = html`<label for="code">${recovery.code}</label>
<input id="code" name="token" type="text" dir="ltr" autocomplete="one-time-code" autocapitalize="characters" spellcheck="false" maxlength="100" required autofocus${problem && DESCRIBED}>
<button id="email-confirm" type="submit">${recovery.verifySubmit}</button>`
  send(res, shown, fields, { intro: account.email.sent, problem })
}

async function showLink(dependencies: EmailDependencies, req: Request, res: Response, secret: string) {
  const { ownDirectory, cookies, ownAccounts, issuer } = dependencies
  const found = await ownDirectory.findEmailChange({ secret, clientAddress: clientAddress(req) })
  if (found === undefined) {
    return sendPlain(dependencies, res, STATUS.token, ({ account }) => {
      return html`${formProblem(PROBLEM, account.email.problems.token).alert}
<p class="also"><a id="account-back" href="${PATHS.account}">${account.back}</a></p>`
    })
  }
  const { address } = found
  const browser = cookies.known(req)
  const account = (await ownAccounts.list(browser)).find(({ session }) => session.userId === found.userId)
  if (browser === undefined || account === undefined) {
    const signIn = `${ownClientQuery(`${issuer}${PATHS.account}`)}&prompt=login`
    return sendPlain(dependencies, res, 200, (texts) => {
      return html`<p>${texts.account.email.signInFirst({ address })}</p>
<p class="also"><a id="email-sign-in" href="${withRawQuery(PATHS.authorize, signIn)}">${texts.login.title}</a></p>`
    })
  }
  const shown = shownOf(dependencies, req, browser, account)
  const { texts } = shown.frame
  const fields = html`<input type="hidden" name="token" value="${secret}">
<button id="email-confirm" type="submit">${texts.recovery.verifySubmit}</button>`
  send(res, shown, fields, { intro: texts.account.email.confirm({ address }) })
}

/** A page of no account. */
function sendPlain(
  { frames }: EmailDependencies,
  res: Response,
  status: number,
  contentOf: (texts: Texts) => Html,
) {
  const frame = frames(res.req)
  const title = frame.texts.account.links.email
  const content = html`<h1>${title}</h1>\n${contentOf(frame.texts)}`
  sendPage(res, layout(frame, { title, content }), { isolated: true, status })
}

function showAddress(res: Response, shown: Shown, address = '', problem?: keyof typeof STATUS) {
  const { email } = shown.frame.texts.account
  const fields = html`<label for="new-email">${email.newAddress}</label>
<input id="new-email" name="address" type="email" value="${address}" dir="ltr" autocomplete="email" maxlength="320" required autofocus${problem && DESCRIBED}>
<button id="email-submit" type="submit">${email.submit}</button>`
  send(res, shown, fields, { intro: email.intro, problem })
}

async function confirm(
  { ownDirectory }: EmailDependencies,
  req: Request,
  res: Response,
  shown: Shown,
  secret: string,
) {
  const { session } = shown.account
  const { sid } = session
  const change = ownChange(session, clientAddress(req))
  const outcome = await ownDirectory.confirmEmailChange(change, secret)
  if (outcome === 'done') return res.redirect(303, ofAccount(PATHS.account, sid))
  return showCode(res, shown, outcome === 'throttled' ? 'throttled' : 'token')
}
