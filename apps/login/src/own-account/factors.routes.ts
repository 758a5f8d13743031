import { createFormBodyParser, queryParameters } from '@signet/http/forms'
import { html } from '@signet/http/html'
import { clientAddress } from '@signet/http/request-context'
import { noStore } from '@signet/http/response-headers'
import { type Request, type Response, Router } from 'express'
import { submittedForm } from '../pages/forms.ts'
import { sendPage } from '../pages/page.ts'
import { confirmPath, newTotpPath, PATHS } from '../pages/paths.ts'
import { orUnavailable, throttledText } from '../pages/problems.ts'
import type { Browser } from '../sessions/browser.ts'
import { recoveryCodesPage } from '../sign-in/recovery-codes.page.ts'
import {
  type AccountPageDependencies,
  ownSignInPath,
  renewCookie,
  shownAccount,
} from './account-page.routes.ts'
import { factorsPage, newTotpPage } from './factors-page.routes.ts'
import type { FactorChange, OwnFactors } from './own-factors.service.ts'
import { endedSessionPage, removalPage } from './removal.page.ts'

interface FactorsRouteDependencies extends AccountPageDependencies {
  readonly ownFactors: OwnFactors
}

const CHANGES = {
  'totp-delete': 'deleteTotp',
  codes: 'makeRecoveryCodes',
  'trust-end': 'endBrowserTrust',
} as const satisfies Readonly<Record<string, keyof OwnFactors>>

const isChange = (text: string): text is keyof typeof CHANGES => Object.hasOwn(CHANGES, text)

type Problem =
  | Extract<FactorChange, { kind: 'throttled' }>
  | { readonly kind: 'refused' }
  | { readonly kind: 'unavailable' }

/** The pages on which users add and delete a TOTP secret, make recovery codes and end the trust in browsers. */
export function factorsRoute(dependencies: FactorsRouteDependencies): Router {
  const { ownFactors, cookies } = dependencies

  return Router()
    .get(PATHS.factors, noStore, (req, res) => showList(dependencies, req, res))
    .post(PATHS.factors, noStore, createFormBodyParser(), async (req, res) => {
      const { requestId: sid, browser, form } = submittedForm(req, cookies, 'factors')
      const { change = '', trusted: browserId } = form
      const choice = { sid, clientAddress: clientAddress(req) }
      if (browserId)
        return answer(
          dependencies,
          req,
          res,
          sid,
          await ownFactors.endBrowserTrust(browser, { ...choice, browserId }),
        )
      if (!isChange(change)) return showList(dependencies, req, res, true)
      if (form.confirmed !== 'yes' && (await asks(dependencies, req, res, browser, sid, change))) return
      const removal = { ...choice, endsOthers: form.others === 'yes' }
      return answer(dependencies, req, res, sid, await ownFactors[CHANGES[change]](browser, removal))
    })
    .get(PATHS.newTotp, noStore, async (req, res) => {
      const shown = await shownAccount(req, res, dependencies)
      if (shown === undefined) return
      const { account: sid = shown.account.session.sid } = queryParameters(req)
      await showNewTotp(dependencies, req, res, { browser: shown.browser, sid })
    })
    .post(PATHS.newTotp, noStore, createFormBodyParser(), async (req, res) => {
      const { requestId: sid, browser, form } = submittedForm(req, cookies, 'factors')
      const { code = '', enrolment = '' } = form
      const choice = { sid, enrolment, code, clientAddress: clientAddress(req) }
      const change = await orUnavailable(() => ownFactors.confirmTotp(browser, choice))
      if (change.kind === 'refused' || change.kind === 'throttled' || change.kind === 'unavailable') {
        return showNewTotp(dependencies, req, res, { browser, sid, enrolment }, change)
      }
      return answer(dependencies, req, res, sid, change)
    })
}

async function showList(
  { cookies, ownFactors, frames, issuer }: FactorsRouteDependencies,
  req: Request,
  res: Response,
  isRefused = false,
): Promise<void> {
  const browser = cookies.known(req)
  const accounts = browser === undefined ? [] : await ownFactors.list(browser)
  if (browser === undefined || accounts.length === 0) {
    return res.redirect(303, ownSignInPath(issuer, PATHS.factors))
  }
  const frame = frames(req, accounts[0]?.language, accounts[0]?.branding)
  const shown = accounts.map((account) => ({
    ...account,
    browser,
    confirmPath: confirmPath(account.sid, 'factors'),
    totpPath: newTotpPath(account.sid),
  }))
  const page = factorsPage(frame, shown, { isRefused })
  sendPage(res, page, { status: isRefused ? 400 : 200, isolated: true })
}

async function showNewTotp(
  dependencies: FactorsRouteDependencies,
  req: Request,
  res: Response,
  { browser, sid, enrolment }: { browser: Browser; sid: string; enrolment?: string },
  problem?: Problem,
): Promise<void> {
  const { ownFactors, frames } = dependencies
  const offer = await ownFactors.beginTotp(browser, sid, enrolment)
  if ('kind' in offer) return answer(dependencies, req, res, sid, offer)
  const frame = frames(req, offer.language, offer.branding)
  const { totp, login } = frame.texts
  const texts = { refused: totp.refused, unavailable: login.unavailable }
  const text =
    problem && (problem.kind === 'throttled' ? throttledText(frame.texts, problem) : texts[problem.kind])
  if (problem?.kind === 'throttled') res.setHeader('Retry-After', problem.retryAfterSeconds)
  const page = newTotpPage(frame, { sid, browser, offer, problem: text })
  sendPage(res, page, { status: problem === undefined ? 200 : STATUS[problem.kind], isolated: true })
}

/** Shows new codes or the list, or first asks the user to authenticate. */
function answer(
  dependencies: FactorsRouteDependencies,
  req: Request,
  res: Response,
  sid: string,
  change: FactorChange,
): void | Promise<void> {
  const { frames, issuer, cookies } = dependencies
  switch (change.kind) {
    case 'unconfirmed':
      return res.redirect(303, confirmPath(sid, 'factors'))
    case 'ended':
      return sendPage(res, endedSessionPage(frames(req), issuer), { isolated: true })
    case 'codes': {
      renewCookie(res, cookies, change.cookie)
      const frame = frames(req, change.language, change.branding)
      const onward = { path: PATHS.factors, text: frame.texts.factors.codesKept }
      return sendPage(res, recoveryCodesPage(frame, change.codes, onward), { isolated: true })
    }
    case 'done':
      renewCookie(res, cookies, change.cookie)
      return res.redirect(303, PATHS.factors)
    default:
      return showList(dependencies, req, res, true)
  }
}

/** Asks before a change removes a factor; returns false when it removes none. */
async function asks(
  { ownFactors, frames }: FactorsRouteDependencies,
  req: Request,
  res: Response,
  browser: Browser,
  sid: string,
  change: keyof typeof CHANGES,
): Promise<boolean> {
  const name = CHANGES[change]
  if (name === 'endBrowserTrust') return false
  const removal = await ownFactors.removal(browser, { sid }, name)
  if (removal.kind === 'unconfirmed' || !removal.removes) return false
  const frame = frames(req, removal.language, removal.branding)
  const { factors } = frame.texts
  const isCodes = name === 'makeRecoveryCodes'
  const use = { purpose: 'factors', browser, subject: sid } as const
  const fields = html`<input type="hidden" name="change" value="${change}">`
  const title = isCodes ? factors.codesRenew : factors.totpDelete
  const page = {
    ...{ path: PATHS.factors, backPath: PATHS.factors, loginName: removal.loginName, ...use, fields },
    ...{ title, submit: title },
    ...(isCodes && { advice: factors.codesRenewAdvice }),
  }
  sendPage(res, removalPage(frame, page), { isolated: true })
  return true
}

const STATUS = { refused: 400, throttled: 429, unavailable: 503 } as const
