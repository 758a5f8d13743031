import { type Html, html } from '@signet/http/html'
import { describedBy, formFields, formPage, formProblem } from '../pages/form-page.ts'
import { layout, type Page, type PageFrame } from '../pages/page.ts'
import { PATHS } from '../pages/paths.ts'
import type { Texts } from '../pages/texts/message.ts'
import type { Browser } from '../sessions/browser.ts'
import { totpSecret } from '../sign-in/totp-secret.page.ts'
import { accountNavigation } from './account-page.routes.ts'
import type { AccountWithFactors, TotpOffer } from './own-factors.service.ts'

interface ShownAccount extends AccountWithFactors {
  readonly browser: Browser
  /** Path of the page on which the user authenticates again. */
  readonly confirmPath: string
  /** Path of the page that adds a TOTP secret. */
  readonly totpPath: string
}

/** Lists each account of this browser with its second factors: `#account-1-totp-add`, `#account-1-codes` … */
export function factorsPage(
  frame: PageFrame,
  accounts: readonly ShownAccount[],
  { isRefused }: { readonly isRefused: boolean },
): Page {
  const { factors } = frame.texts
  const sections = accounts.map(
    (account, index) => html`<section aria-labelledby="account-${index + 1}">
<h2 id="account-${index + 1}">${account.loginName}</h2>
${account.isConfirmed ? undefined : html`<p class="also"><a class="confirm" href="${account.confirmPath}">${factors.confirmFirst}</a></p>\n`}${accountForm(frame, account, `account-${index + 1}`)}
</section>\n`,
  )
  return layout(frame, {
    title: factors.title,
    content: html`<h1>${factors.title}</h1>
<p class="intro">${factors.intro}</p>
${formProblem('factors-problem', isRefused ? factors.refused : undefined).alert}
${sections}${accountNavigation(frame, { sid: accounts[0]?.sid ?? '', path: PATHS.factors })}`,
  })
}

function accountForm({ texts }: PageFrame, account: ShownAccount, prefix: string): Html {
  const { factors } = texts
  const { totp, passkey, recoveryCodes, trustedBrowsers, isConfirmed } = account
  const button = (change: string, text: string, style = 'second') =>
    html`<button class="${style}" id="${prefix}-${change}" type="submit" name="change" value="${change}">${text}</button>\n`
  const hasFactor = totp || passkey
  const add = html`<p><a id="${prefix}-totp-add" href="${account.totpPath}">${factors.totpAdd}</a></p>\n`
  const codesLeft = recoveryCodes > 0 ? factors.codesLeft({ count: recoveryCodes }) : factors.noCodes
  return html`<form class="factors" method="post" action="${PATHS.factors}">
${formFields({ purpose: 'factors', browser: account.browser, subject: account.sid })}
<h3>${factors.totp}</h3>
<p id="${prefix}-totp">${totp ? factors.totpSet : factors.totpNotSet}</p>
${isConfirmed && (totp ? button('totp-delete', factors.totpDelete, 'danger') : add)}<h3>${factors.codes}</h3>
<p id="${prefix}-codes-left">${hasFactor ? codesLeft : factors.codesNeedFactor}</p>
${isConfirmed && hasFactor && (recoveryCodes > 0 ? button('codes', factors.codesRenew, 'danger') : button('codes', factors.codesMake))}<h3>${factors.trust}</h3>
<p>${trustedBrowsers ? factors.trusted : factors.notTrusted}</p>
${browserList(texts, account, prefix)}${trustedBrowsers && button('trust-end', factors.trustEnd)}</form>`
}

/** `#account-1-browser-1-end` … */
function browserList(texts: Texts, { browsers }: ShownAccount, prefix: string): Html | undefined {
  if (browsers.length === 0) return undefined
  const { factors, account } = texts
  const format = new Intl.DateTimeFormat(texts.language, {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  })
  const items = browsers.map(({ id, agent, trustedAt, lastUsedAt, isThis }, index) => {
    const name = agent === '' ? factors.trustUnknown : agent
    const [since, used] = [format.format(trustedAt), format.format(lastUsedAt)]
    return html`<li><p><strong><bdi>${name}</bdi></strong>${isThis && html` · ${account.sessions.thisDevice}`}</p>
<p class="quiet">${factors.trustSince({ time: since })} · ${account.sessions.used({ time: used })}</p>
<button class="second" id="${prefix}-browser-${index + 1}-end" type="submit" name="trusted" value="${id}">${factors.trustEndOne({ name, time: since })}</button></li>\n`
  })
  return html`<ul class="applications">\n${items}</ul>\n`
}

interface NewTotpPage {
  readonly sid: string
  readonly browser: Browser
  readonly offer: TotpOffer
  readonly problem?: string | undefined
}

/** Shows a new secret and asks for its first code: `#enrolment-qr`, `#enrolment-code`, `#enrolment-submit`. */
export function newTotpPage(frame: PageFrame, { sid, browser, offer, ...page }: NewTotpPage): Page {
  const { factors, custom } = frame.texts
  const problem = formProblem('enrolment-problem', page.problem)
  return formPage(frame, {
    title: factors.totpAdd,
    intro: html`<p class="intro">${frame.texts.confirm.account({ loginName: offer.loginName })}</p>
<p id="enrolment-advice">${factors.totpAdvice}</p>
`,
    problem,
    before: totpSecret(frame.texts, offer),
    path: PATHS.newTotp,
    purpose: 'factors',
    browser,
    subject: sid,
    fields: html`<input type="hidden" name="enrolment" value="${offer.enrolment}">
<label for="enrolment-code">${custom.enrolmentCode}</label>
<input id="enrolment-code" name="code" type="text" dir="ltr" inputmode="numeric" autocomplete="one-time-code" maxlength="20" required${describedBy(problem.id, 'enrolment-advice')}${problem.invalid}>
<button id="enrolment-submit" type="submit">${custom.enrolmentSubmit}</button>`,
    after: html`
<p class="also"><a id="factors-back" href="${PATHS.factors}">${factors.back}</a></p>`,
  })
}
