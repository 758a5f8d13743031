import { createFormBodyParser } from '@signet/http/forms'
import { html } from '@signet/http/html'
import { clientAddress } from '@signet/http/request-context'
import { noStore } from '@signet/http/response-headers'
import { type Request, type Response, Router } from 'express'
import { describedBy, formProblem, pageForm } from '../pages/form-page.ts'
import { submittedForm } from '../pages/forms.ts'
import { sendPage } from '../pages/page.ts'
import { hiddenLoginName, passwordField, passwordHint } from '../pages/password-field.ts'
import { confirmPath, ofAccount, PATHS } from '../pages/paths.ts'
import { orUnavailable, throttledText } from '../pages/problems.ts'
import type { Browser } from '../sessions/browser.ts'
import type { OwnAccount } from '../sessions/own-accounts.service.ts'
import {
  type AccountPageDependencies,
  accountPage,
  renewCookie,
  shownAccount,
} from './account-page.routes.ts'
import type { OwnSecurity } from './own-security.service.ts'

interface PasswordDependencies extends AccountPageDependencies {
  readonly ownSecurity: OwnSecurity
}

/** The page on which a signed-in user changes the password: `#current-password`, `#new-password`, `#password-submit`. */
export function ownPasswordRoute(dependencies: PasswordDependencies): Router {
  return Router()
    .get(PATHS.ownPassword, noStore, async (req, res) => {
      const shown = await shownAccount(req, res, dependencies)
      if (shown !== undefined) await show(dependencies, res, shown)
    })
    .post(PATHS.ownPassword, noStore, createFormBodyParser(), (req, res) => change(dependencies, req, res))
}

async function show(
  { frames, ownSecurity }: PasswordDependencies,
  res: Response,
  { browser, account }: { readonly browser: Browser; readonly account: OwnAccount },
  problem?: { readonly text: string; readonly status: number },
) {
  const frame = frames(res.req, account.language, account.branding)
  const { account: texts, newPassword, register } = frame.texts
  const { sid } = account.session
  if (!(await ownSecurity.mayChangePassword(account))) {
    return res.redirect(303, confirmPath(sid, 'password'))
  }
  const rules = await ownSecurity.passwordRules(account)
  const shown = formProblem('password-problem', problem?.text)
  const fields = html`${hiddenLoginName(account.loginName)}<label for="current-password">${texts.password.current}</label>
${passwordField(frame, {
  id: 'current-password',
  name: 'current',
  label: texts.password.current,
  autocomplete: 'current-password',
  attributes: html` autofocus${describedBy(shown.id)}${shown.invalid}`,
})}<label for="new-password">${newPassword.password}</label>
<p class="hint" id="new-password-hint">${rules && passwordHint(register, rules)}</p>
${passwordField(frame, {
  id: 'new-password',
  name: 'password',
  label: newPassword.password,
  autocomplete: 'new-password',
  attributes: html`${describedBy('new-password-hint', shown.id)}${shown.invalid}`,
})}<button id="password-submit" type="submit">${newPassword.submit}</button>`
  const use = { path: PATHS.ownPassword, purpose: 'own-password', browser, subject: sid } as const
  const content = html`<p>${texts.password.advice}</p>
${shown.alert}
${pageForm(use, fields)}
`
  sendPage(
    res,
    accountPage(frame, account, { path: PATHS.ownPassword, title: texts.links.password, content }),
    {
      isolated: true,
      status: problem?.status ?? 200,
    },
  )
}

async function change(dependencies: PasswordDependencies, req: Request, res: Response) {
  const { cookies, ownAccounts, frames, ownSecurity } = dependencies
  const { requestId: sid, browser, form } = submittedForm(req, cookies, 'own-password')
  const account = await ownAccounts.require(browser, sid)
  const refuse = (text: string, status = 400) =>
    show(dependencies, res, { browser, account }, { text, status })
  const { account: texts, login, newPassword, register } = frames(req).texts
  const { current = '', password = '' } = form
  if (current === '' || password === '') return refuse(texts.password.missing)
  const choice = { sid, current, password, clientAddress: clientAddress(req) }
  const outcome = await orUnavailable(() => ownSecurity.changePassword(browser, choice))
  switch (outcome.kind) {
    case 'done':
      renewCookie(res, cookies, outcome.cookie)
      return res.redirect(303, `${ofAccount(PATHS.account, sid)}&done=password`)
    case 'unconfirmed':
      return res.redirect(303, confirmPath(sid, 'password'))
    case 'throttled':
      res.setHeader('Retry-After', outcome.retryAfterSeconds)
      return refuse(throttledText(frames(req).texts, outcome), 429)
    case 'unavailable':
      return refuse(login.unavailable, 503)
    case 'refused':
      return refuse(texts.password.refused)
    case 'problems':
      return refuse(
        outcome.problems
          .map((code) => (code === 'password_same' ? newPassword.same : register.problems[code]))
          .join(' '),
      )
  }
}
