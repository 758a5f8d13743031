import { createFormBodyParser, queryParameters } from '@signet/http/forms'
import { type Html, html } from '@signet/http/html'
import { clientAddress } from '@signet/http/request-context'
import { noStore } from '@signet/http/response-headers'
import { type Request, type Response, Router } from 'express'
import { withoutFont } from '../pages/brand.ts'
import { describedBy, type FormProblem, formProblem, pageForm } from '../pages/form-page.ts'
import { submittedForm } from '../pages/forms.ts'
import { layout, type Page, type PageFrame, sendPage } from '../pages/page.ts'
import { hiddenLoginName, passwordField } from '../pages/password-field.ts'
import { type ConfirmedPage, confirmedPath, isConfirmedPage, PATHS, pageToConfirm } from '../pages/paths.ts'
import { orUnavailable, throttledText } from '../pages/problems.ts'
import type { Browser } from '../sessions/browser.ts'
import type { PasskeyForms } from '../sign-in/passkey-form.page.ts'
import { type AccountPageDependencies, ownSignInPath, shownAccount } from './account-page.routes.ts'
import type { AccountToConfirm, Confirmation } from './confirm.service.ts'

interface ConfirmRouteDependencies extends AccountPageDependencies {
  readonly confirmation: Confirmation
  /** Undefined: there are no passkeys. */
  readonly passkeyForms: PasskeyForms | undefined
}

/** The page on which a signed-in user authenticates again, before a change that could let another person in. */
export function confirmRoute(dependencies: ConfirmRouteDependencies): Router {
  const { confirmation, cookies, frames, passkeyForms, issuer } = dependencies
  type Outcome = Awaited<ReturnType<Confirmation['byPasskey']>> | { readonly kind: 'unavailable' }

  async function show(req: Request, res: Response, browser: Browser, sid: string, outcome?: Outcome) {
    const account = await confirmation.account(browser, sid)
    const frame = frames(req, account.language, withoutFont(account.branding))
    const changed = changedPage(req)
    const form =
      account.passkeys.length > 0 &&
      passkeyForms?.get(frame, {
        use: { purpose: 'confirm', browser, subject: sid },
        action: `${PATHS.confirmByPasskey}?for=${changed}`,
        formPurpose: 'confirm',
        submitId: 'confirm-passkey',
        submit: frame.texts.confirm.passkey,
        isSecondary: !account.passkeyOnly,
        passkeys: account.passkeys,
      })
    const problem = formProblem('confirm-problem', outcome && problemText(frame, outcome))
    if (outcome?.kind === 'throttled') res.setHeader('Retry-After', outcome.retryAfterSeconds)
    const page = (script?: Html) =>
      confirmPage(frame, {
        issuer,
        sid,
        browser,
        account,
        changed,
        problem,
        passkeys: html`${form}${script}`,
      })
    const options = { isolated: true, status: outcome === undefined ? 200 : STATUS[outcome.kind] }
    if (passkeyForms === undefined) return sendPage(res, page(), options)
    passkeyForms.send(res, frame, page, options)
  }

  async function answer(
    req: Request,
    res: Response,
    sid: string,
    browser: Browser,
    work: () => Promise<Outcome>,
  ) {
    const outcome = await orUnavailable(work)
    if (outcome.kind === 'done') return res.redirect(303, confirmedPath(changedPage(req), sid))
    return show(req, res, browser, sid, outcome)
  }

  return Router()
    .get(PATHS.confirm, noStore, async (req, res) => {
      const shown = await shownAccount(req, res, dependencies, pageToConfirm(changedPage(req)))
      if (shown === undefined) return
      const { account: sid = shown.account.session.sid } = queryParameters(req)
      await show(req, res, shown.browser, sid)
    })
    .post(PATHS.confirm, noStore, createFormBodyParser(), async (req, res) => {
      const { requestId: sid, browser, form } = submittedForm(req, cookies, 'confirm')
      const { password = '', code = '' } = form
      const proof = { sid, password, code, clientAddress: clientAddress(req) }
      await answer(req, res, sid, browser, () => confirmation.byPassword(browser, proof))
    })
    .post(PATHS.confirmByPasskey, noStore, createFormBodyParser(), async (req, res) => {
      const { requestId: sid, browser, form } = submittedForm(req, cookies, 'confirm')
      const proof = { sid, response: form.response ?? '', clientAddress: clientAddress(req) }
      await answer(req, res, sid, browser, () => confirmation.byPasskey(browser, proof))
    })
}

/** The page that asked for the confirmation. */
function changedPage(req: Request): ConfirmedPage {
  const { for: name } = queryParameters(req)
  return isConfirmedPage(name) ? name : 'passkeys'
}

const STATUS = { done: 303, refused: 400, expired: 400, throttled: 429, unavailable: 503 } as const

function problemText(
  { texts }: PageFrame,
  outcome: Awaited<ReturnType<Confirmation['byPasskey']>> | { readonly kind: 'unavailable' },
): string {
  switch (outcome.kind) {
    case 'throttled':
      return throttledText(texts, outcome)
    case 'expired':
      return texts.passkey.expired
    case 'unavailable':
      return texts.login.unavailable
    default:
      return texts.confirm.refused
  }
}

interface ConfirmPage {
  readonly issuer: string
  readonly sid: string
  readonly browser: Browser
  readonly account: AccountToConfirm
  readonly changed: ConfirmedPage
  readonly problem: FormProblem
  readonly passkeys: Html
}

/** Asks for a passkey, and unless the account has only those for the password: `#confirm-passkey`, `#confirm-password`. */
function confirmPage(frame: PageFrame, page: ConfirmPage): Page {
  const { account, problem, passkeys } = page
  const { confirm } = frame.texts
  return layout(frame, {
    title: confirm.title,
    content: html`<h1>${confirm.title}</h1>
<p class="intro">${confirm.account({ loginName: account.loginName })}</p>
${problem.alert}
${account.hasNoPassword ? signInAgain(frame, page) : !account.passkeyOnly && passwordForm(frame, page)}${passkeys}${account.passkeyOnly && account.passkeys.length === 0 && html`<p class="alert" id="confirm-stopped">${frame.texts.totp.stopped}</p>\n`}${account.passkeyOnly && account.passkeys.length > 0 && html`<noscript><p>${confirm.passkeyNeedsScript}</p></noscript>\n`}<p class="also"><a id="confirm-back" href="${confirmedPath(page.changed, page.sid)}">${confirm.back}</a></p>`,
  })
}

/** Leads to a new sign-in, since there is no password to ask for: `#confirm-sign-in`. */
function signInAgain({ texts }: PageFrame, { changed, issuer }: ConfirmPage): Html {
  const path = `${ownSignInPath(issuer, pageToConfirm(changed))}&prompt=login`
  return html`<p><a id="confirm-sign-in" href="${path}">${texts.confirm.signInAgain}</a></p>
`
}

/** Asks for the password, and a code where the account has one: `#confirm-password`, `#confirm-code`. */
function passwordForm(frame: PageFrame, { sid, browser, account, changed, problem }: ConfirmPage): Html {
  const { confirm } = frame.texts
  const described = html`${describedBy(problem.id)}${problem.invalid}`
  const fields = html`${hiddenLoginName(account.loginName)}<label for="confirm-password">${confirm.password}</label>
${passwordField(frame, {
  id: 'confirm-password',
  name: 'password',
  label: confirm.password,
  autocomplete: 'current-password',
  attributes: html` autofocus${described}`,
})}${
  account.needsCode &&
  html`<label for="confirm-code">${account.acceptsRecoveryCode ? confirm.anyCode : confirm.code}</label>
<input id="confirm-code" name="code" type="text" dir="ltr"${!account.acceptsRecoveryCode && html` inputmode="numeric"`} autocomplete="one-time-code" maxlength="60" required${described}>
`
}<button id="confirm-submit" type="submit">${confirm.submit}</button>`
  const path = `${PATHS.confirm}?for=${changed}`
  return html`${pageForm({ path, purpose: 'confirm', browser, subject: sid }, fields)}
`
}
