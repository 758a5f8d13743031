import { createFormBodyParser } from '@signet/http/forms'
import { type Html, html } from '@signet/http/html'
import { clientAddress } from '@signet/http/request-context'
import { noStore } from '@signet/http/response-headers'
import { type Request, type Response, Router } from 'express'
import { formProblem, pageForm } from '../pages/form-page.ts'
import { submittedForm } from '../pages/forms.ts'
import { type PageFrame, sendPage } from '../pages/page.ts'
import { confirmPath, ofAccount, PATHS } from '../pages/paths.ts'
import type { Browser } from '../sessions/browser.ts'
import type { OwnAccount } from '../sessions/own-accounts.service.ts'
import {
  type AccountPageDependencies,
  accountPage,
  renewCookie,
  shownAccount,
} from './account-page.routes.ts'
import type { OwnLink, OwnLinks } from './own-links.service.ts'
import { endedSessionPage, removalPage } from './removal.page.ts'

interface LinksDependencies extends AccountPageDependencies {
  readonly ownLinks: OwnLinks
}

interface Shown {
  readonly browser: Browser
  readonly account: OwnAccount
}

/** The accounts at identity providers by which the user signs in: `#link-1-delete` … */
export function linksRoute(dependencies: LinksDependencies): Router {
  const { ownLinks, ownAccounts, cookies, frames, issuer } = dependencies
  const path = PATHS.ownLinks

  async function show(req: Request, res: Response, { browser, account }: Shown, isOnlyWayIn = false) {
    const frame = frames(req, account.language, account.branding)
    const { sid } = account.session
    const { links: title } = frame.texts
    const { links, isConfirmed } = await ownLinks.list(account)
    const list = html`<ul class="applications">
${links.map((link, index) => linkItem(frame, link, isConfirmed && `link-${index + 1}-delete`))}</ul>`
    const advice =
      !isConfirmed &&
      html`<p class="also"><a id="links-confirm" class="confirm" href="${confirmPath(sid, 'links')}">${frame.texts.passkeys.confirmFirst}</a></p>\n`
    const content = html`<p>${title.intro}</p>
${formProblem('links-problem', isOnlyWayIn ? title.onlyWayIn : undefined).alert}${links.length === 0 ? html`<p>${title.none}</p>` : pageForm({ path, purpose: 'own-links', browser, subject: sid }, list)}
${advice}`
    const page = accountPage(frame, account, { path, title: title.title, content })
    sendPage(res, page, { isolated: true, status: isOnlyWayIn ? 409 : 200 })
  }

  /** Asks before a link is deleted. */
  async function ask(req: Request, res: Response, { browser, account }: Shown, linkId: string) {
    const { sid } = account.session
    const { links, isConfirmed } = await ownLinks.list(account)
    const link = links.find(({ id }) => id === linkId)
    if (link === undefined) return res.redirect(303, ofAccount(path, sid))
    if (!isConfirmed) return res.redirect(303, confirmPath(sid, 'links'))
    const frame = frames(req, account.language, account.branding)
    const { title, removalAdvice, delete: submit } = frame.texts.links
    const fields = html`<input type="hidden" name="delete" value="${linkId}">`
    const page = {
      ...{ path, backPath: ofAccount(path, sid), loginName: account.loginName, fields, title },
      ...({ purpose: 'own-links', browser, subject: sid, advice: removalAdvice } as const),
      submit: submit({ provider: link.providerName }),
    }
    sendPage(res, removalPage(frame, page), { isolated: true })
  }

  return Router()
    .get(path, noStore, async (req, res) => {
      const shown = await shownAccount(req, res, dependencies)
      if (shown !== undefined) await show(req, res, shown)
    })
    .post(path, noStore, createFormBodyParser(), async (req, res) => {
      const { requestId: sid, browser, form } = submittedForm(req, cookies, 'own-links')
      const { delete: linkId = '', confirmed, others } = form
      const shown = { browser, account: await ownAccounts.require(browser, sid) }
      if (confirmed !== 'yes') return ask(req, res, shown, linkId)
      const deletion = { sid, linkId, endsOthers: others === 'yes', clientAddress: clientAddress(req) }
      const outcome = await ownLinks.delete(browser, deletion)
      if (outcome.kind === 'unconfirmed') return res.redirect(303, confirmPath(sid, 'links'))
      if (outcome.kind === 'only-way-in') return show(req, res, shown, true)
      if (outcome.kind === 'ended')
        return sendPage(res, endedSessionPage(frames(req), issuer), { isolated: true })
      renewCookie(res, cookies, outcome.cookie)
      res.redirect(303, ofAccount(path, sid))
    })
}

function linkItem(
  { texts }: PageFrame,
  { id, providerName, displayName, createdAt, lastUsedAt }: OwnLink,
  buttonId: string | false,
): Html {
  const { links } = texts
  const day = (date: Date) =>
    new Intl.DateTimeFormat(texts.language, { dateStyle: 'long', timeZone: 'UTC' }).format(date)
  const use = lastUsedAt === undefined ? links.unused : links.used({ day: day(lastUsedAt) })
  return html`<li><h2 class="item"><bdi>${providerName}</bdi></h2>
<p class="quiet"><bdi>${displayName}</bdi> · ${links.added({ day: day(createdAt) })} · ${use}</p>
${buttonId !== false && html`<button class="danger" id="${buttonId}" type="submit" name="delete" value="${id}">${links.delete({ provider: providerName })}</button>`}</li>\n`
}
