// The choice of a language at the foot of every page, and the address that keeps it.
import type { IncomingMessage } from 'node:http'
import { queryParameters } from '@signet/http/forms'
import { type Html, html } from '@signet/http/html'
import { noStore } from '@signet/http/response-headers'
import { UI_LOCALES } from '@signet/protocol/authorization-parameters'
import { type Request, Router } from 'express'
import type { BrowserCookies } from '../sessions/browser-cookies.ts'
import { PATHS, withRawQuery } from './paths.ts'
import type { Texts } from './texts/message.ts'

/** Longer addresses are not repeated for each language. */
const MOST_CHARACTERS = 1_500

/** The addresses of forms that show the page of another one when they are refused. */
const PAGE_OF_FORM: Readonly<Record<string, string>> = {
  [PATHS.passkey]: PATHS.login,
  [PATHS.passkeyFactor]: PATHS.totp,
  [PATHS.passkeyEnrolment]: PATHS.enrolment,
  [PATHS.passkeyAdd]: PATHS.passkeys,
  [PATHS.confirmByPasskey]: PATHS.confirm,
}

/**
 * The address under which a person opens the page of a request again; undefined where there is none. A form leads to its page,
 * with the pending request or the session that it was about.
 */
export function pageOf(req: IncomingMessage): string | undefined {
  const { originalUrl = req.url ?? '/', method, body } = req as Request
  const [path = '', query = ''] = originalUrl.split('?')
  // The page of a refused request of an application repeats none of its parameters.
  if (path !== PATHS.first && !path.startsWith('/ui/')) return undefined
  if (method === 'GET') return originalUrl.length > MOST_CHARACTERS ? undefined : originalUrl
  const request = typeof body?.request === 'string' ? body.request : ''
  const ofAccount = /^\/ui\/(?:account|passkeys|applications)\b/.test(path) && path !== PATHS.passkeyOffer
  const parameters = new URLSearchParams(query)
  if (request !== '') parameters.set(ofAccount ? 'account' : 'request', request)
  return withRawQuery(PAGE_OF_FORM[path] ?? path, `${parameters}`)
}

/** `#language` opens the list: `#language-de` …; nothing on a page without an address. */
export function languageSwitch({
  texts,
  here,
}: {
  readonly texts: Texts
  readonly here?: string | undefined
}): Html | undefined {
  if (here === undefined) return undefined
  const links = UI_LOCALES.map((locale) => {
    const path = withRawQuery(PATHS.language, `${new URLSearchParams({ lang: locale, to: here })}`)
    return html`<li><a id="language-${locale}" href="${path}" lang="${locale}" rel="nofollow"${locale === texts.language && html` aria-current="true"`}>${nameOf(locale)}</a></li>\n`
  })
  return html`<details class="languages"><summary id="language">${texts.footer.language}: ${nameOf(texts.language)}</summary>
<ul class="foot">
${links}</ul></details>
`
}

/** `Deutsch`, `Français`. */
function nameOf(locale: string): string {
  const name = new Intl.DisplayNames([locale], { type: 'language' }).of(locale) ?? locale
  return `${name.slice(0, 1).toLocaleUpperCase(locale)}${name.slice(1)}`
}

/** Keeps the language that a person chose, and returns to the page. It leads to pages of this service only. */
export function languageRoute(cookies: Pick<BrowserCookies, 'setLanguage'>, issuer: string): Router {
  return Router().get(PATHS.language, noStore, (req, res) => {
    const { lang, to = PATHS.account } = queryParameters(req)
    const language = UI_LOCALES.find((locale) => locale === lang)
    if (language !== undefined) cookies.setLanguage(res, language)
    res.redirect(303, ownPath(to, issuer))
  })
}

function ownPath(to: string, issuer: string): string {
  const { origin } = new URL(issuer)
  const url = URL.canParse(to, origin) ? new URL(to, origin) : undefined
  const isOwn = url?.origin === origin && /^\/(?![/\\])/.test(url.pathname)
  return isOwn ? `${url.pathname}${url.search}` : PATHS.account
}
