// The pages that links of e-mails open. A GET spends nothing, since mail scanners open links; the form does.

import { createFormBodyParser, queryParameters } from '@signet/http/forms'
import { type Html, html } from '@signet/http/html'
import { clientAddress } from '@signet/http/request-context'
import { noStore } from '@signet/http/response-headers'
import { type Request, type Response, Router } from 'express'
import type { FindClient } from '../authorize/oauth-client.ts'
import type { FindRegistrationPolicy, NewPasswordProblem } from '../authorize/registration-rules.ts'
import type { FindBranding } from '../branding/find-branding.ts'
import { withoutFont } from '../pages/brand.ts'
import { describedBy, formPage, formProblem } from '../pages/form-page.ts'
import { anonymousFields, submittedForm } from '../pages/forms.ts'
import { layout, type Page, type PageFrame, type PageFrames, sendPage } from '../pages/page.ts'
import { hiddenLoginName, passwordField, passwordHint } from '../pages/password-field.ts'
import { PATHS } from '../pages/paths.ts'
import { orUnavailable } from '../pages/problems.ts'
import { NO_APPLICATION, wayOnLinks } from '../pages/way-on.ts'
import type { BrowserCookies } from '../sessions/browser-cookies.ts'
import { signInLink } from './forgot.routes.ts'
import type { LinkedAccount, MailPurpose, PresentedToken, Recovery, Refusal } from './recovery.ts'

export interface LinkDependencies {
  readonly recovery: Recovery
  readonly findRegistrationPolicy: FindRegistrationPolicy
  readonly cookies: BrowserCookies
  readonly frames: PageFrames
  readonly findClient: FindClient
  readonly branding: Pick<FindBranding, 'ofOrganization'>
}

/**
 * Creates the frame of a page of a valid link, with the branding of the organization of its account. Pages of other tokens
 * have that of Signet.
 */
export async function linkFrame(
  { frames, branding }: Pick<LinkDependencies, 'frames' | 'branding'>,
  req: Request,
  { organizationId }: { readonly organizationId: string },
): Promise<PageFrame> {
  const own = organizationId === '' ? undefined : await branding.ofOrganization(organizationId)
  return frames(req, undefined, withoutFont(own))
}

/** The links of a page on which the link of a message ends: to its application, if that names a page, and to the account. */
export async function afterLink(frame: PageFrame, clientId: string, findClient: FindClient): Promise<Html> {
  const client = clientId === '' ? undefined : await findClient(clientId).catch(() => undefined)
  const finished = client?.start && { application: client.name, url: client.start }
  return wayOnLinks(frame, { ...NO_APPLICATION, finished: finished || undefined })
}

const STATUS = { invalid: 400, password_sign_in_not_allowed: 403, throttled: 429, unavailable: 503 } as const

type Problem = keyof typeof STATUS

/** The texts of the broken rules for a password. */
export function passwordProblems({ texts }: PageFrame, codes: readonly NewPasswordProblem[]) {
  return codes.map((code) =>
    code === 'password_same' ? texts.newPassword.same : texts.register.problems[code],
  )
}

/** Lines with the account of a link and its requester: `#link-account`. */
export function accountFacts({ texts: { recovery } }: PageFrame, account: LinkedAccount): Html {
  const { loginName, organizationName: organization, application, askedBy, inviter } = account
  const askedTexts = {
    registration: recovery.askedByRegistration,
    administrator: recovery.askedByAdministrator,
  }
  const asked =
    askedBy === 'administrator' && inviter !== ''
      ? recovery.askedByNamed({ name: inviter })
      : askedBy && askedTexts[askedBy]
  const facts = [
    recovery.linkAccount({ loginName }),
    recovery.linkOrganization({ organization }),
    ...(application === '' ? [] : [recovery.linkApplication({ application })]),
    ...(asked === undefined ? [] : [asked]),
  ]
  return html`<ul id="link-account">
${facts.map((fact) => html`<li><bdi>${fact}</bdi></li>\n`)}</ul>
`
}

/** The page of a link that sets a password: a reset, or the first one of an invited person. */
export function passwordLinkRoute(
  dependencies: LinkDependencies,
  path: string,
  purpose: Exclude<MailPurpose, 'email_verification'>,
): Router {
  const { recovery, findRegistrationPolicy, cookies, frames, findClient } = dependencies
  /** Returns the request of a sign-in that is pending in this browser, for the way back only. */
  const requestOf = (req: Request, requestId: string | undefined) =>
    cookies.known(req, requestId) === undefined ? undefined : requestId

  async function show(
    res: Response,
    token: PresentedToken,
    requestId: string | undefined,
    {
      problems = [],
      check = recovery.check,
    }: { problems?: readonly string[]; check?: Recovery['check'] } = {},
  ) {
    const checked = await orUnavailable(async () => ({ kind: 'checked', ...(await check(token)) }) as const)
    if (checked.kind === 'unavailable') return refuse(res, frames(res.req), 'unavailable', token)
    if ('refused' in checked) return refuse(res, frames(res.req), checked.refused, token)
    const frame = await linkFrame(dependencies, res.req, checked)
    const policy = await findRegistrationPolicy(checked.organizationId)
    const hint = policy && passwordHint(frame.texts.register, policy)
    const fields = anonymousFields(res, cookies, 'mail-link', requestId)
    const page = passwordPage(frame, {
      ...{ path, purpose, token: token.secret, fields, hint, problems, account: checked },
    })
    const status = problems.length > 0 ? 400 : 200
    return sendPage(res, page, { status, isolated: true })
  }

  return Router()
    .get(path, noStore, async (req, res) => {
      const { token = '', request } = queryParameters(req)
      const presented = { secret: token, purpose, clientAddress: clientAddress(req) }
      await show(res, presented, requestOf(req, request), { check: recovery.checkLink })
    })
    .post(path, noStore, createFormBodyParser(), async (req, res) => {
      const { form } = submittedForm(req, cookies, 'mail-link')
      const { token: secret = '', password } = form
      const requestId = requestOf(req, form.request)
      const token = { secret, purpose, clientAddress: clientAddress(req) }
      // A code that was typed: the password comes next.
      if (password === undefined) return show(res, token, requestId)
      const frame = frames(req)
      const { problems } = frame.texts.register
      if (password === '') return show(res, token, requestId, { problems: [problems.required] })
      const outcome = await orUnavailable(
        async () => ({ kind: 'set', ...(await recovery.setPassword(token, password)) }) as const,
      )
      if (outcome.kind === 'unavailable') return refuse(res, frame, 'unavailable', token)
      if ('refused' in outcome) return refuse(res, frame, outcome.refused, token)
      if (outcome.problems.length > 0) {
        return show(res, token, requestId, { problems: passwordProblems(frame, outcome.problems) })
      }
      const branded = await linkFrame(dependencies, req, outcome)
      const { doneTitle, passwordDone } = branded.texts.recovery
      const onward =
        signInLink(branded, requestId) ?? (await afterLink(branded, outcome.clientId, findClient))
      return sendPage(res, messagePage(branded, doneTitle, passwordDone, onward), { isolated: true })
    })
}

/** The page of a token that is refused. */
export function refuse(
  res: Response,
  frame: PageFrame,
  problem: Problem | Refusal['refused'],
  { purpose }: PresentedToken,
): void {
  const { recovery } = frame.texts
  const { invalid, tooManyCodes, passwordNotAllowed, unavailable } = recovery
  const text = {
    invalid,
    throttled: tooManyCodes,
    password_sign_in_not_allowed: passwordNotAllowed,
    unavailable,
  }[problem]
  // A message that proves an address is asked for on the page of the account, after a sign-in.
  const againPath = purpose === 'email_verification' ? PATHS.account : PATHS.forgot
  const again =
    problem !== 'password_sign_in_not_allowed' &&
    html`<p class="also"><a id="again" href="${againPath}">${recovery.again}</a></p>`
  const content = html`<h1>${recovery.refusedTitle}</h1>
${formProblem('link-problem', text).alert}
${again}`
  sendPage(res, layout(frame, { title: recovery.refusedTitle, content }), {
    status: STATUS[problem],
    isolated: true,
  })
}

interface PasswordPage {
  readonly path: string
  readonly purpose: 'password_reset' | 'invitation'
  readonly token: string
  /** The hidden fields of the form. */
  readonly fields: Html
  /** The rules for the password. */
  readonly hint: string | undefined
  readonly problems: readonly string[]
  readonly account: LinkedAccount
}

/** `#new-password`, `#new-password-submit`. */
function passwordPage(frame: PageFrame, page: PasswordPage): Page {
  const { recovery, newPassword } = frame.texts
  const isInvitation = page.purpose === 'invitation'
  const resetIntro = page.account.provesAddress ? recovery.resetProvesIntro : recovery.resetIntro
  const title = isInvitation ? recovery.invitationTitle : newPassword.title
  const problem = formProblem('new-password-problem', page.problems.join(' '))
  return formPage(frame, {
    title,
    intro: html`<p class="intro">${isInvitation ? recovery.invitationIntro : resetIntro}</p>
${isInvitation && html`<p>${recovery.invitationVoids}</p>`}${accountFacts(frame, page.account)}`,
    problem,
    path: page.path,
    hidden: page.fields,
    fields: html`<input type="hidden" name="token" value="${page.token}">
${hiddenLoginName(page.account.loginName)}<label for="new-password">${newPassword.password}</label>
<p class="hint" id="new-password-hint">${page.hint}</p>
${passwordField(frame, {
  id: 'new-password',
  name: 'password',
  label: newPassword.password,
  autocomplete: 'new-password',
  attributes: html` autofocus${describedBy('new-password-hint', problem.id)}${problem.invalid}`,
})}<button id="new-password-submit" type="submit">${isInvitation ? recovery.invitationSubmit : newPassword.submit}</button>`,
  })
}

export function messagePage(frame: PageFrame, title: string, text: string, link: Html): Page {
  return layout(frame, {
    title,
    content: html`<h1>${title}</h1>
<p class="intro" id="done">${text}</p>
${link}`,
  })
}
