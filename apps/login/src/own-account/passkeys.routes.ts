import { createFormBodyParser } from '@signet/http/forms'
import { html } from '@signet/http/html'
import { clientAddress } from '@signet/http/request-context'
import { noStore } from '@signet/http/response-headers'
import { type Request, type Response, Router } from 'express'
import type { AuthorizationFlow } from '../authorize/authorization-flow.ts'
import { openedPage, submittedForm } from '../pages/forms.ts'
import { type PageFrames, sendPage } from '../pages/page.ts'
import { confirmPath, continuePath, PATHS } from '../pages/paths.ts'
import type { Browser } from '../sessions/browser.ts'
import type { BrowserCookies } from '../sessions/browser-cookies.ts'
import type { PasskeyForms } from '../sign-in/passkey-form.page.ts'
import { ownSignInPath, renewCookie } from './account-page.routes.ts'
import type { OwnPasskeys, PasskeyChange } from './own-passkeys.service.ts'
import { offerPage, type PasskeyProblem, passkeysPage } from './passkeys-page.routes.ts'
import { endedSessionPage, removalPage } from './removal.page.ts'

interface PasskeysRouteDependencies {
  readonly ownPasskeys: OwnPasskeys
  readonly flow: Pick<AuthorizationFlow, 'assess'>
  readonly cookies: BrowserCookies
  readonly frames: PageFrames
  readonly passkeyForms: PasskeyForms
  readonly issuer: string
}

const MOST_NAME_CHARACTERS = 100

/** The pages on which users add, rename and delete passkeys, and the one that offers a passkey after a sign-in. */
export function passkeysRoute(dependencies: PasskeysRouteDependencies): Router {
  const { ownPasskeys, flow, cookies, frames, passkeyForms } = dependencies

  return Router()
    .get(PATHS.passkeys, noStore, (req, res) => show(dependencies, req, res))
    .post(PATHS.passkeys, noStore, createFormBodyParser(), async (req, res) => {
      const { requestId: sid, browser, form } = submittedForm(req, cookies, 'passkeys')
      const { rename, delete: deleted, name = '' } = form
      const change = { sid, clientAddress: clientAddress(req) }
      if (deleted !== undefined) {
        if (form.confirmed !== 'yes') return ask(dependencies, req, res, browser, sid, deleted)
        const endsOthers = form.others === 'yes'
        const deletion = { ...change, passkeyId: deleted, endsOthers }
        return answer(dependencies, req, res, sid, await ownPasskeys.delete(browser, deletion))
      }
      const text = name.normalize('NFC').trim()
      const length = [...text].length
      if (length < 1 || length > MOST_NAME_CHARACTERS) return show(dependencies, req, res, 'name')
      const passkeyId = rename ?? ''
      return answer(
        dependencies,
        req,
        res,
        sid,
        await ownPasskeys.rename(browser, { ...change, passkeyId, name: text }),
      )
    })
    .post(PATHS.passkeyAdd, noStore, createFormBodyParser(), async (req, res) => {
      const { requestId: sid, browser, form } = submittedForm(req, cookies, 'passkeys')
      const addition = { sid, response: form.response ?? '', clientAddress: clientAddress(req) }
      return answer(dependencies, req, res, sid, await ownPasskeys.add(browser, addition))
    })
    .get(PATHS.passkeyOffer, noStore, async (req, res) => {
      const { requestId, browser } = openedPage(req, cookies)
      const { request, findBranding } = await flow.assess(requestId, browser)
      const person = await ownPasskeys.offered(browser, requestId)
      if (person === undefined) return res.redirect(303, continuePath(requestId))
      const frame = frames(req, request.uiLocales, await findBranding())
      const form = passkeyForms.create(frame, {
        use: { purpose: 'offer', browser, subject: requestId },
        action: PATHS.passkeyOffer,
        formPurpose: 'passkey-offer',
        submitId: 'offer-add',
        submit: frame.texts.offer.add,
        person,
      })
      passkeyForms.send(res, frame, (script) => offerPage(frame, { requestId, browser, form, script }))
    })
    .post(PATHS.passkeyOffer, noStore, createFormBodyParser(), async (req, res) => {
      const { requestId, browser, form } = submittedForm(req, cookies, 'passkey-offer')
      const { response } = form
      if (response === undefined) await ownPasskeys.skipOffer(browser, requestId)
      // A refused response does not stand between the user and the application.
      else await ownPasskeys.acceptOffer(browser, requestId, { response, clientAddress: clientAddress(req) })
      res.redirect(303, continuePath(requestId))
    })
}

async function show(
  dependencies: PasskeysRouteDependencies,
  req: Request,
  res: Response,
  problem?: PasskeyProblem,
): Promise<void> {
  const { cookies, ownPasskeys, frames, passkeyForms, issuer } = dependencies
  const browser = cookies.known(req)
  const accounts = browser === undefined ? [] : await ownPasskeys.list(browser)
  if (browser === undefined || accounts.length === 0) {
    return res.redirect(303, ownSignInPath(issuer, PATHS.passkeys))
  }
  const frame = frames(req, accounts[0]?.language, accounts[0]?.branding)
  const shown = await Promise.all(
    accounts.map(async (account) => ({
      ...account,
      browser,
      confirmPath: confirmPath(account.sid, 'passkeys'),
      addForm:
        account.isConfirmed && account.mayAdd
          ? await addForm(dependencies, req, browser, account.sid)
          : undefined,
    })),
  )
  passkeyForms.send(res, frame, (script) => passkeysPage(frame, shown, { script, problem }), {
    isolated: true,
    status: problem === undefined ? 200 : 400,
  })
}

async function addForm(
  { ownPasskeys, frames, passkeyForms }: PasskeysRouteDependencies,
  req: Request,
  browser: Browser,
  sid: string,
) {
  const person = await ownPasskeys.begin(browser, sid)
  if (person === undefined) return undefined
  const frame = frames(req)
  return passkeyForms.create(frame, {
    use: { purpose: 'add', browser, subject: sid },
    action: PATHS.passkeyAdd,
    formPurpose: 'passkeys',
    submitId: `passkey-add-${sid}`,
    submit: frame.texts.passkeys.add,
    person,
  })
}

/** Shows the list again, or first asks the user to authenticate. */
function answer(
  dependencies: PasskeysRouteDependencies,
  req: Request,
  res: Response,
  sid: string,
  change: PasskeyChange,
): void | Promise<void> {
  const { frames, issuer, cookies } = dependencies
  if (change.kind === 'unconfirmed') return res.redirect(303, confirmPath(sid, 'passkeys'))
  if (change.kind === 'ended') return sendPage(res, endedSessionPage(frames(req), issuer), { isolated: true })
  if (change.kind !== 'done') return show(dependencies, req, res, change.kind)
  renewCookie(res, cookies, change.cookie)
  return res.redirect(303, PATHS.passkeys)
}

/** Asks before a passkey is deleted. */
async function ask(
  { ownPasskeys, frames }: PasskeysRouteDependencies,
  req: Request,
  res: Response,
  browser: Browser,
  sid: string,
  passkeyId: string,
) {
  const account = (await ownPasskeys.list(browser)).find((one) => one.sid === sid)
  const passkey = account?.passkeys.find(({ id }) => id === passkeyId)
  if (account === undefined || passkey === undefined) return res.redirect(303, PATHS.passkeys)
  if (!account.isConfirmed) return res.redirect(303, confirmPath(sid, 'passkeys'))
  const frame = frames(req, account.language, account.branding)
  const use = { purpose: 'passkeys', browser, subject: sid } as const
  const fields = html`<input type="hidden" name="delete" value="${passkeyId}">`
  const { loginName } = account
  const { passkeys } = frame.texts
  const page = {
    ...{ path: PATHS.passkeys, backPath: PATHS.passkeys, loginName, ...use, fields, title: passkeys.title },
    submit: passkeys.delete({ name: passkey.name }),
  }
  sendPage(res, removalPage(frame, page), { isolated: true })
}
