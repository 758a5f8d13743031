import { type Html, html } from '@signet/http/html'
import { formProblem, pageForm } from '../pages/form-page.ts'
import { layout, type Page, type PageFrame } from '../pages/page.ts'
import { PATHS } from '../pages/paths.ts'
import type { Browser } from '../sessions/browser.ts'
import type { OwnPasskey } from '../sign-in/own-passkey.ts'
import { accountNavigation } from './account-page.routes.ts'
import type { AccountWithPasskeys } from './own-passkeys.service.ts'

/** Reason for showing the page again. */
export type PasskeyProblem = 'refused' | 'expired' | 'name'

interface ShownAccount extends AccountWithPasskeys {
  readonly browser: Browser
  /** Path of the page on which the user authenticates again. */
  readonly confirmPath: string
  /** Undefined where no passkey can be added now. */
  readonly addForm: Html | undefined
}

/** Lists each account of this browser with its passkeys: `#passkey-1-name`, `#passkey-1-rename`, `#passkey-1-delete` … */
export function passkeysPage(
  frame: PageFrame,
  accounts: readonly ShownAccount[],
  { script, problem }: { readonly script: Html; readonly problem: PasskeyProblem | undefined },
): Page {
  const { passkeys, passkey } = frame.texts
  const problems: Readonly<Record<PasskeyProblem, string>> = {
    refused: passkeys.refused,
    expired: passkey.expired,
    name: passkeys.nameInvalid,
  }
  let number = 0
  const sections = accounts.map((account, index) => {
    const items = account.passkeys.map((one) => {
      number += 1
      return passkeyItem(frame, account, one, `passkey-${number}`)
    })
    return html`<section aria-labelledby="account-${index + 1}">
<h2 id="account-${index + 1}"><bdi>${account.loginName}</bdi></h2>
${items.length === 0 && html`<p>${passkeys.none}</p>`}${items.length > 0 && html`<ul class="applications">\n${items}</ul>`}
${additions(frame, account)}
</section>\n`
  })
  return layout(frame, {
    title: passkeys.title,
    content: html`<h1>${passkeys.title}</h1>
<p class="intro">${passkeys.intro}</p>
${formProblem('passkeys-problem', problem && problems[problem]).alert}
${sections}${accountNavigation(frame, { sid: accounts[0]?.sid ?? '', path: PATHS.passkeys })}${script}`,
  })
}

function additions({ texts }: PageFrame, { isConfirmed, mayAdd, addForm, confirmPath }: ShownAccount): Html {
  const { passkeys } = texts
  if (!isConfirmed)
    return html`<p class="also"><a class="confirm" href="${confirmPath}">${passkeys.confirmFirst}</a></p>`
  if (!mayAdd || addForm === undefined) return html`<p>${passkeys.notAllowed}</p>`
  return html`${addForm}<noscript><p>${passkeys.addNeedsScript}</p></noscript>`
}

function passkeyItem(frame: PageFrame, account: ShownAccount, passkey: OwnPasskey, prefix: string): Html {
  const { passkeys } = frame.texts
  const day = (date: Date) =>
    new Intl.DateTimeFormat(frame.texts.language, { dateStyle: 'long', timeZone: 'UTC' }).format(date)
  const use =
    passkey.lastUsedAt === undefined ? passkeys.unused : passkeys.used({ day: day(passkey.lastUsedAt) })
  const { id, name } = passkey
  return html`<li><h3 id="${prefix}"><bdi>${name}</bdi></h3>
<p class="quiet">${passkeys.added({ day: day(passkey.createdAt), use, backup: backup(frame, passkey) })}</p>
${passkey.cloned && html`<p class="alert">${passkeys.cloned}</p>`}
${pageForm(
  { path: PATHS.passkeys, purpose: 'passkeys', browser: account.browser, subject: account.sid },
  html`<label for="${prefix}-name">${passkeys.name}</label>
<input id="${prefix}-name" name="name" type="text" value="${name}" dir="auto" maxlength="100" autocomplete="off">
<button class="second" id="${prefix}-rename" type="submit" name="rename" value="${id}">${passkeys.rename({ name })}</button>
${account.isConfirmed && html`<button class="danger" id="${prefix}-delete" type="submit" name="delete" value="${id}">${passkeys.delete({ name })}</button>`}`,
)}</li>\n`
}

function backup({ texts: { passkeys } }: PageFrame, { backupEligible, backedUp }: OwnPasskey): string {
  if (!backupEligible) return passkeys.deviceBound
  return backedUp ? passkeys.synced : passkeys.syncable
}

interface OfferPage {
  readonly requestId: string
  readonly browser: Browser
  readonly form: Html
  readonly script: Html
}

/** Asks whether to add a passkey: `#offer-add`, `#offer-skip`. */
export function offerPage(frame: PageFrame, { requestId, browser, form, script }: OfferPage): Page {
  const { offer } = frame.texts
  return layout(frame, {
    title: offer.title,
    content: html`<h1>${offer.title}</h1>
<p>${offer.advice}</p>
${form}${pageForm({ path: PATHS.passkeyOffer, purpose: 'passkey-offer', browser, subject: requestId }, html`<button class="second" id="offer-skip" type="submit">${offer.skip}</button>`)}
<p class="quiet">${offer.later}</p>
${script}`,
  })
}
