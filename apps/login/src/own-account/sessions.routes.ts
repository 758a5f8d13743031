import { createFormBodyParser } from '@signet/http/forms'
import { html } from '@signet/http/html'
import { clientAddress } from '@signet/http/request-context'
import { noStore } from '@signet/http/response-headers'
import type { Places } from '@signet/service/places'
import { type Request, type Response, Router } from 'express'
import { pageForm } from '../pages/form-page.ts'
import { submittedForm } from '../pages/forms.ts'
import { sendPage } from '../pages/page.ts'
import { confirmPath, ofAccount, PATHS } from '../pages/paths.ts'
import { agentText } from '../sessions/user-agent.ts'
import {
  type AccountPageDependencies,
  accountPage,
  renewCookie,
  shownAccount,
} from './account-page.routes.ts'
import type { OwnSecurity } from './own-security.service.ts'

interface SessionsDependencies extends AccountPageDependencies {
  readonly ownSecurity: OwnSecurity
  readonly places: Pick<Places, 'find'>
}

/** The sessions of the user in all browsers: `#session-1-end` …, `#end-others`. */
export function ownSessionsRoute(dependencies: SessionsDependencies): Router {
  const { ownSecurity, places, cookies, frames } = dependencies

  async function show(req: Request, res: Response) {
    const shown = await shownAccount(req, res, dependencies)
    if (shown === undefined) return
    const { browser, account } = shown
    const frame = frames(req, account.language, account.branding)
    const { sessions: texts, links } = frame.texts.account
    const time = new Intl.DateTimeFormat(frame.texts.language, {
      dateStyle: 'long',
      timeStyle: 'short',
      timeZone: 'UTC',
    })
    const known = await ownSecurity.sessions(account)
    const items = known.map(
      ({ sid, authenticatedAt, lastUsedAt, signedInFrom, applications, isThis, impersonation }, index) => {
        const began = time.format(authenticatedAt)
        const place = signedInFrom && places.find(signedInFrom.clientAddress, frame.texts.language)
        const device = signedInFrom ? agentText(signedInFrom) : ''
        return html`<li><h2 class="item">${device === '' ? texts.unknownDevice : html`<bdi>${device}</bdi>`}</h2>
<p class="quiet">${isThis && html`<strong>${texts.thisDevice}</strong> · `}${texts.began({ time: began })} · ${texts.used({ time: time.format(lastUsedAt) })}</p>
${impersonation && html`<p class="alert">${frame.texts.impersonation.session(impersonation)}</p>\n`}${signedInFrom && html`<p class="quiet">${texts.address} <bdi dir="ltr">${signedInFrom.clientAddress}</bdi>${place !== undefined && html` · <bdi>${place}</bdi>`}</p>\n`}${applications.length > 0 && html`<p class="quiet">${texts.usedFor} <bdi>${applications.join(', ')}</bdi></p>\n`}${!isThis && html`<button class="danger" id="session-${index + 1}-end" type="submit" name="end" value="${sid}">${texts.end({ time: began })}</button>`}</li>\n`
      },
    )
    const { sid } = account.session
    const use = { path: PATHS.ownSessions, purpose: 'own-sessions', browser, subject: sid } as const
    const content = pageForm(
      use,
      html`<ul class="applications">
${items}</ul>
<p>${texts.othersAdvice}</p>
<button class="danger" id="end-others" type="submit" name="others" value="yes">${texts.endOthers}</button>`,
    )
    sendPage(res, accountPage(frame, account, { path: PATHS.ownSessions, title: links.sessions, content }), {
      isolated: true,
    })
  }

  return Router()
    .get(PATHS.ownSessions, noStore, show)
    .post(PATHS.ownSessions, noStore, createFormBodyParser(), async (req, res) => {
      const { requestId: sid, browser, form } = submittedForm(req, cookies, 'own-sessions')
      const choice = { sid, clientAddress: clientAddress(req) }
      if (form.others === undefined) {
        const outcome = await ownSecurity.endSession(browser, { ...choice, ended: form.end ?? '' })
        const next = outcome === 'done' ? ofAccount(PATHS.ownSessions, sid) : confirmPath(sid, 'sessions')
        return res.redirect(303, next)
      }
      const outcome = await ownSecurity.endOthers(browser, choice)
      if (outcome.kind === 'unconfirmed') return res.redirect(303, confirmPath(sid, 'sessions'))
      renewCookie(res, cookies, outcome.cookie)
      res.redirect(303, ofAccount(PATHS.ownSessions, sid))
    })
}
