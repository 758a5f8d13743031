// The page of the link that proves an e-mail address. A stranger may have registered with the address of another person,
// so the proof counts in a session of the account only, or ends everything that could sign in to it before.
import { createFormBodyParser, queryParameters } from '@signet/http/forms'
import { type Html, html } from '@signet/http/html'
import { clientAddress } from '@signet/http/request-context'
import { noStore } from '@signet/http/response-headers'
import { type Request, type Response, Router } from 'express'
import { ownClientQuery } from '../authorize/own-sign-in.ts'
import { describedBy, formPage, formProblem, pageForm } from '../pages/form-page.ts'
import { anonymousFields, submittedForm } from '../pages/forms.ts'
import { layout, type Page, type PageFrame, sendPage } from '../pages/page.ts'
import { hiddenLoginName, passwordField, passwordHint } from '../pages/password-field.ts'
import { PATHS, withRawQuery } from '../pages/paths.ts'
import { orUnavailable } from '../pages/problems.ts'
import type { Browser } from '../sessions/browser.ts'
import type { OwnAccount, OwnAccounts } from '../sessions/own-accounts.service.ts'
import {
  accountFacts,
  afterLink,
  type LinkDependencies,
  linkFrame,
  messagePage,
  passwordProblems,
  refuse,
} from './link.routes.ts'
import type { LinkedAccount, PresentedToken, Recovery } from './recovery.ts'

interface VerifyDependencies extends LinkDependencies {
  readonly ownAccounts: OwnAccounts
  readonly issuer: string
}

/** A link has a token of this length; a code is shorter. */
const TOKEN_CHARACTERS = 43

/**
 * Routes of the page that verifies an address. Without a token it asks for the code of the message. Opening the page
 * spends nothing.
 */
export function verifyEmailRoute(dependencies: VerifyDependencies): Router {
  const { recovery, cookies, frames } = dependencies

  return Router()
    .get(PATHS.verifyEmail, noStore, async (req, res) => {
      const { token, state } = queryParameters(req)
      const secret = token ?? state
      if (secret === undefined) {
        const fields = anonymousFields(res, cookies, 'mail-link')
        return sendPage(res, codePage(frames(req), fields), { isolated: true })
      }
      await show(dependencies, res, presented(req, secret), { check: recovery.checkLink })
    })
    .post(PATHS.verifyEmail, noStore, createFormBodyParser(), async (req, res) => {
      const posted: Readonly<Record<string, string>> = req.body
      // The form of a session has its id as `request`, the others have none.
      if (posted.request !== undefined) return confirm(dependencies, req, res)
      const { form } = submittedForm(req, cookies, 'mail-link')
      const token = presented(req, form.token ?? '')
      if (form.password !== undefined) return setPassword(dependencies, req, res, token, form.password)
      await show(dependencies, res, token, { check: recovery.check })
    })
}

const presented = (req: Request, secret: string): PresentedToken => ({
  ...{ secret, purpose: 'email_verification' },
  clientAddress: clientAddress(req),
})

async function show(
  dependencies: VerifyDependencies,
  res: Response,
  token: PresentedToken,
  { check, problems = [] }: { readonly check: Recovery['check']; readonly problems?: readonly string[] },
): Promise<void> {
  const { frames, cookies, ownAccounts, findRegistrationPolicy } = dependencies
  const checked = await orUnavailable(async () => ({ kind: 'checked', ...(await check(token)) }) as const)
  if (checked.kind === 'unavailable') return refuse(res, frames(res.req), 'unavailable', token)
  if ('refused' in checked) return refuse(res, frames(res.req), checked.refused, token)
  const frame = await linkFrame(dependencies, res.req, checked)
  const browser = cookies.known(res.req)
  const accounts = await ownAccounts.list(browser)
  const own = accounts.find(({ session }) => session.userId === checked.userId)
  const page = { secret: token.secret, account: checked }
  const status = problems.length > 0 ? 400 : 200
  if (browser !== undefined && own !== undefined) {
    const shown = sessionPage(frame, { ...page, browser, own })
    return sendPage(res, shown, { status, isolated: true })
  }
  const policy = checked.passwordAllowed ? await findRegistrationPolicy(checked.organizationId) : undefined
  const hint = policy && passwordHint(frame.texts.register, policy)
  const fields = anonymousFields(res, cookies, 'mail-link')
  const shown = strangerPage(frame, {
    ...page,
    fields,
    signInPath: signInPath(dependencies, page),
    hint,
    problems,
  })
  return sendPage(res, shown, { status, isolated: true })
}

/** The sign-in returns to the link with its token as `state`; a typed code is typed again. */
function signInPath({ issuer }: VerifyDependencies, { secret, account }: LinkPage): string {
  const query = new URLSearchParams({ prompt: 'login', login_hint: account.loginName })
  if (secret.length === TOKEN_CHARACTERS) query.set('state', secret)
  return withRawQuery(PATHS.authorize, `${ownClientQuery(`${issuer}${PATHS.verifyEmail}`)}&${query}`)
}

async function confirm(dependencies: VerifyDependencies, req: Request, res: Response): Promise<void> {
  const { cookies, ownAccounts, frames, recovery, findClient } = dependencies
  const { requestId: sid, browser, form } = submittedForm(req, cookies, 'verify-email')
  const { session } = await ownAccounts.require(browser, sid)
  const token = presented(req, form.token ?? '')
  const frame = frames(req)
  const outcome = await orUnavailable(
    async () => ({ kind: 'verified', ...(await recovery.verifyEmail(token, session.userId)) }) as const,
  )
  if (outcome.kind === 'unavailable') return refuse(res, frame, 'unavailable', token)
  if ('refused' in outcome) return refuse(res, frame, outcome.refused, token)
  const branded = await linkFrame(dependencies, req, session)
  const { doneTitle, emailDone } = branded.texts.recovery
  const onward = await afterLink(branded, outcome.clientId, findClient)
  return sendPage(res, messagePage(branded, doneTitle, emailDone, onward), { isolated: true })
}

async function setPassword(
  dependencies: VerifyDependencies,
  req: Request,
  res: Response,
  token: PresentedToken,
  password: string,
) {
  const { frames, recovery, findClient } = dependencies
  const frame = frames(req)
  const { register } = frame.texts
  if (password === '') {
    return show(dependencies, res, token, { check: recovery.check, problems: [register.problems.required] })
  }
  const outcome = await orUnavailable(
    async () => ({ kind: 'set', ...(await recovery.setPassword(token, password)) }) as const,
  )
  if (outcome.kind === 'unavailable') return refuse(res, frame, 'unavailable', token)
  if ('refused' in outcome) return refuse(res, frame, outcome.refused, token)
  if (outcome.problems.length > 0) {
    return show(dependencies, res, token, {
      check: recovery.check,
      problems: passwordProblems(frame, outcome.problems),
    })
  }
  const branded = await linkFrame(dependencies, req, outcome)
  const texts = branded.texts.recovery
  const onward = await afterLink(branded, outcome.clientId, findClient)
  return sendPage(res, messagePage(branded, texts.doneTitle, texts.passwordDone, onward), { isolated: true })
}

interface LinkPage {
  readonly secret: string
  readonly account: LinkedAccount
}

/** Renders the page for a browser with a session of the person: `#verify-submit`. */
function sessionPage(
  frame: PageFrame,
  { secret, account, browser, own }: LinkPage & { readonly browser: Browser; readonly own: OwnAccount },
): Page {
  const { recovery } = frame.texts
  const { sid } = own.session
  return layout(frame, {
    title: recovery.verifyTitle,
    content: html`<h1>${recovery.verifyTitle}</h1>
<p class="intro">${recovery.verifyIntro}</p>
${accountFacts(frame, account)}${pageForm(
  { path: PATHS.verifyEmail, purpose: 'verify-email', browser, subject: sid },
  html`<input type="hidden" name="token" value="${secret}">
<button id="verify-submit" type="submit">${recovery.verifySubmit}</button>`,
)}`,
  })
}

interface StrangerPage extends LinkPage {
  readonly fields: Html
  readonly signInPath: string
  /** The rules for a password; undefined where the organization allows none. */
  readonly hint: string | undefined
  readonly problems: readonly string[]
}

/**
 * Renders the page for a browser without a session of the person: `#verify-sign-in`, or `#new-password` and
 * `#new-password-submit`.
 */
function strangerPage(frame: PageFrame, page: StrangerPage): Page {
  const { recovery } = frame.texts
  return layout(frame, {
    title: recovery.verifyTitle,
    content: html`<h1>${recovery.verifyTitle}</h1>
<p class="intro">${recovery.verifySignInIntro}</p>
${accountFacts(frame, page.account)}<p class="also"><a id="verify-sign-in" href="${page.signInPath}">${recovery.verifySignIn}</a></p>
${page.hint !== undefined && passwordForm(frame, page)}`,
  })
}

function passwordForm(frame: PageFrame, { fields, secret, account, hint, problems }: StrangerPage): Html {
  const { recovery, newPassword } = frame.texts
  const problem = formProblem('new-password-problem', problems.join(' '))
  return html`<details id="verify-new-password"${problem.id !== undefined && html` open`}>
<summary>${recovery.verifyNewPassword}</summary>
<p>${recovery.verifyNewPasswordIntro}</p>
${problem.alert}
${pageForm(
  { path: PATHS.verifyEmail, hidden: fields },
  html`<input type="hidden" name="token" value="${secret}">
${hiddenLoginName(account.loginName)}<label for="new-password">${newPassword.password}</label>
<p class="hint" id="new-password-hint">${hint}</p>
${passwordField(frame, {
  id: 'new-password',
  name: 'password',
  label: newPassword.password,
  autocomplete: 'new-password',
  attributes: html`${describedBy('new-password-hint', problem.id)}${problem.invalid}`,
})}<button class="second" id="new-password-submit" type="submit">${newPassword.submit}</button>`,
)}
</details>`
}

/** `#code`, `#verify-submit`. */
function codePage(frame: PageFrame, fields: Html): Page {
  const { recovery } = frame.texts
  return formPage(frame, {
    title: recovery.verifyTitle,
    intro: html`<p class="intro">${recovery.verifyCodeIntro}</p>`,
    path: PATHS.verifyEmail,
    hidden: fields,
    fields: html`<label for="code">${recovery.code}</label>
<input id="code" name="token" type="text" dir="ltr" autocomplete="one-time-code" autocapitalize="characters" spellcheck="false" maxlength="100" required autofocus>
<button id="verify-submit" type="submit">${recovery.codeSubmit}</button>`,
  })
}
