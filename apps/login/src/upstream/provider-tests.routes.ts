// The pages of a test of an identity provider. No page of a test leads to a session.
import { createFormBodyParser, queryParameters } from '@signet/http/forms'
import { type Html, html } from '@signet/http/html'
import { noStore } from '@signet/http/response-headers'
import { type Response, Router } from 'express'
import { formPage } from '../pages/form-page.ts'
import { submittedForm } from '../pages/forms.ts'
import { layout, type Page, type PageFrame, type PageFrames, sendPage } from '../pages/page.ts'
import { PATHS } from '../pages/paths.ts'
import type { Browser } from '../sessions/browser.ts'
import type { BrowserCookies } from '../sessions/browser-cookies.ts'
import type { ProviderTests } from './provider-tests.service.ts'
import { type PasswordProblem, passwordFields, statusOfProblem } from './upstream-password.page.ts'

interface ProviderTestDependencies {
  readonly providerTests: ProviderTests
  readonly cookies: BrowserCookies
  readonly frames: PageFrames
}

/** The link of a test: its page, and the way to the provider. */
export function providerTestRoute({ providerTests, cookies, frames }: ProviderTestDependencies): Router {
  async function sendPassword(
    res: Response,
    page: StartPage,
    { login_name: name = '', password = '' }: Readonly<Record<string, string>>,
  ): Promise<void> {
    const show = (problem: PasswordProblem) =>
      sendPage(res, startPage(frames(res.req), { ...page, name, problem }), {
        status: statusOfProblem(problem),
      })
    if (name.trim() === '' || password === '') return show('missing')
    const sent = await providerTests.sendPassword(page.token, page.browser, { name, password })
    if (sent.kind === 'finished') return sendResult(res, frames, sent.result)
    if (sent.kind === 'wrong') return show('wrong')
    if (sent.kind !== 'throttled') return sendProblem(res, frames, sent.kind)
    res.setHeader('Retry-After', sent.retryAfterSeconds)
    show(sent)
  }

  return Router()
    .get(PATHS.upstreamTest, noStore, async (req, res) => {
      // A form that is shown again names it as forms name their subject, in the links of the languages too.
      const { request = '', token = request } = queryParameters(req)
      const browser = cookies.knownOrNew(req)
      const opened = await providerTests.open(token, browser)
      if (opened.kind !== 'waiting') return sendProblem(res, frames, opened.kind)
      cookies.setBrowser(req, res, browser)
      sendPage(res, startPage(frames(req), { ...opened, browser, token }))
    })
    .post(PATHS.upstreamTest, noStore, createFormBodyParser(), async (req, res) => {
      const { requestId: token, browser, form } = submittedForm(req, cookies, 'provider-test')
      const opened = await providerTests.open(token, browser)
      if (opened.kind !== 'waiting') return sendProblem(res, frames, opened.kind)
      if (opened.asksPassword) return sendPassword(res, { ...opened, browser, token }, form)
      const begun = await providerTests.begin(token, browser)
      if (begun.kind === 'begun') return res.redirect(303, begun.location)
      if (begun.kind === 'finished') return sendResult(res, frames, begun.result)
      sendProblem(res, frames, begun.kind)
    })
}

/** Shows the result of a test: `#test-outcome`, `#test-result`. */
export function sendResult(res: Response, frames: PageFrames, result: string): void {
  const frame = frames(res.req)
  const { providerTest } = frame.texts
  const read: { readonly outcome: string } = JSON.parse(result)
  const outcomes: Readonly<Record<string, string>> = providerTest.outcomes
  sendPage(
    res,
    layout(frame, {
      title: providerTest.title,
      content: html`<h1>${providerTest.title}</h1>
<p id="test-outcome">${outcomes[read.outcome] ?? read.outcome}</p>
<p class="intro">${providerTest.done}</p>
<pre id="test-result" tabindex="0" dir="ltr">${JSON.stringify(read, undefined, 2)}</pre>`,
    }),
  )
}

/** Says why there is no test: `#test-problem`. */
export function sendProblem(res: Response, frames: PageFrames, kind: 'expired' | 'foreign'): void {
  const frame = frames(res.req)
  const { providerTest, login } = frame.texts
  const way: Html | undefined =
    kind === 'foreign'
      ? html`<p class="also"><a id="test-sign-in" href="${PATHS.account}">${login.title}</a></p>`
      : undefined
  const page = layout(frame, {
    title: providerTest.title,
    content: html`<h1>${providerTest.title}</h1>
<p class="alert" role="alert" id="test-problem">${providerTest[kind]}</p>${way}`,
  })
  sendPage(res, page, { status: kind === 'foreign' ? 403 : 400 })
}

interface StartPage {
  readonly browser: Browser
  readonly token: string
  readonly providerName: string
  readonly asksPassword: boolean
  readonly name?: string
  readonly problem?: PasswordProblem
}

/** Says what a test does, before it begins: `#test-start`, and for a directory the fields of `passwordFields`. */
function startPage(frame: PageFrame, page: StartPage): Page {
  const { browser, token, providerName: provider, asksPassword, name = '' } = page
  const { providerTest } = frame.texts
  const asked = asksPassword ? passwordFields(frame, { name, problem: page.problem }) : undefined
  return formPage(frame, {
    title: providerTest.title,
    intro: html`<p class="intro">${providerTest.intro({ provider })}</p>
<p>${providerTest.reader}</p>`,
    ...(asked && { problem: asked.problem }),
    ...{ path: PATHS.upstreamTest, purpose: 'provider-test', browser, subject: token },
    fields: html`${asked?.fields}<button id="test-start" type="submit">${providerTest.start}</button>`,
  })
}
