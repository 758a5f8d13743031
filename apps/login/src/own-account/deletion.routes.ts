import { createFormBodyParser } from '@signet/http/forms'
import { html } from '@signet/http/html'
import { clientAddress } from '@signet/http/request-context'
import { noStore } from '@signet/http/response-headers'
import { type Response, Router } from 'express'
import { withoutFont } from '../pages/brand.ts'
import { pageForm } from '../pages/form-page.ts'
import { submittedForm } from '../pages/forms.ts'
import { layout, sendPage } from '../pages/page.ts'
import { confirmPath, PATHS } from '../pages/paths.ts'
import type { Browser } from '../sessions/browser.ts'
import type { OwnAccount } from '../sessions/own-accounts.service.ts'
import { ownChange } from '../sessions/sign-in-proof.ts'
import { type AccountPageDependencies, accountPage, shownAccount } from './account-page.routes.ts'
import type { OwnDirectory } from './own-directory.ts'
import type { IsConfirmed } from './usable-factors.ts'

interface DeletionDependencies extends AccountPageDependencies {
  readonly isConfirmed: IsConfirmed
  readonly ownDirectory: Pick<OwnDirectory, 'find' | 'deleteAccount'>
}

/** The page on which users delete their accounts: `#deletion-login-name`, `#deletion-submit`, then `#deletion-done`. */
export function deletionRoute(dependencies: DeletionDependencies): Router {
  const { isConfirmed, ownAccounts, ownDirectory, cookies, frames } = dependencies

  function show(
    res: Response,
    { browser, account }: { readonly browser: Browser; readonly account: OwnAccount },
    isRefused = false,
  ) {
    const frame = frames(res.req, account.language, withoutFont(account.branding))
    const { deletion, links } = frame.texts.account
    const { sid } = account.session
    const described = isRefused && html` aria-invalid="true" aria-describedby="deletion-problem"`
    const fields = html`<label for="deletion-login-name">${deletion.confirm({ loginName: account.loginName })}</label>
<input id="deletion-login-name" name="login_name" type="text" dir="auto" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="400" required${described}>
${isRefused && html`<p class="problem" id="deletion-problem">${deletion.refused}</p>`}
<button class="danger" id="deletion-submit" type="submit">${deletion.submit}</button>`
    const use = { path: PATHS.ownDeletion, purpose: 'own-deletion', browser, subject: sid } as const
    const content = html`<p>${deletion.advice}</p>
${pageForm(use, fields)}`
    const status = isRefused ? 400 : 200
    sendPage(res, accountPage(frame, account, { path: PATHS.ownDeletion, title: links.deletion, content }), {
      isolated: true,
      status,
    })
  }

  function showForbidden(res: Response, account: OwnAccount) {
    const frame = frames(res.req, account.language, account.branding)
    const { deletion, links } = frame.texts.account
    const content = html`<p id="deletion-forbidden">${deletion.forbidden}</p>`
    sendPage(res, accountPage(frame, account, { path: PATHS.ownDeletion, title: links.deletion, content }), {
      isolated: true,
      status: 403,
    })
  }

  return Router()
    .get(PATHS.ownDeletion, noStore, async (req, res) => {
      const shown = await shownAccount(req, res, dependencies)
      if (shown === undefined) return
      const { session } = shown.account
      const { mayDelete } = await ownDirectory.find(session.userId)
      if (!mayDelete) return showForbidden(res, shown.account)
      if (!(await isConfirmed(session))) return res.redirect(303, confirmPath(session.sid, 'deletion'))
      show(res, shown)
    })
    .post(PATHS.ownDeletion, noStore, createFormBodyParser(), async (req, res) => {
      const { requestId: sid, browser, form } = submittedForm(req, cookies, 'own-deletion')
      const account = await ownAccounts.require(browser, sid)
      if (!(await isConfirmed(account.session))) return res.redirect(303, confirmPath(sid, 'deletion'))
      if (!isSameName(form.login_name ?? '', account.loginName)) return show(res, { browser, account }, true)
      const isDeleted = await ownDirectory.deleteAccount(ownChange(account.session, clientAddress(req)))
      if (!isDeleted) return showForbidden(res, account)
      const frame = frames(req, account.language, account.branding)
      const { doneTitle, done } = frame.texts.account.deletion
      const content = html`<h1>${doneTitle}</h1>\n<p id="deletion-done" role="status">${done}</p>`
      sendPage(res, layout(frame, { title: doneTitle, content }), { isolated: true })
    })
}

const isSameName = (typed: string, loginName: string) =>
  typed.normalize('NFC').trim().toLowerCase() === loginName.normalize('NFC').toLowerCase()
