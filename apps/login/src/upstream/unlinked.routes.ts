// The pages of a person whom an identity provider asserts, and who has no account here or one without a link.
import { createFormBodyParser } from '@signet/http/forms'
import { html } from '@signet/http/html'
import { clientAddress, requestId as responseId } from '@signet/http/request-context'
import { noStore } from '@signet/http/response-headers'
import { type Response, Router } from 'express'
import type { UpstreamPerson } from '../authorize/pending-authorization.ts'
import { withoutFont } from '../pages/brand.ts'
import { formProblem, pageForm } from '../pages/form-page.ts'
import { openedPage, submittedForm } from '../pages/forms.ts'
import { layout, type Page, type PageFrame, sendPage } from '../pages/page.ts'
import { continuePath, interactionPath, PATHS } from '../pages/paths.ts'
import { orUnavailable } from '../pages/problems.ts'
import type { Browser } from '../sessions/browser.ts'
import { type AnsweringDependencies, leaveSignIn, leavesPage } from '../sign-in/sign-in-step.page.ts'
import { type UpstreamSignIn, waitingPerson } from './upstream-sign-in.service.ts'

interface UnlinkedRouteDependencies extends AnsweringDependencies {
  readonly upstreamSignIn: UpstreamSignIn
}

type Problem = 'forbidden' | 'unavailable'

/** Offers a new account, and the link to one that the person signs in to first. */
export function unlinkedRoute({
  upstreamSignIn,
  flow,
  cookies,
  frames,
  events,
  sendResponse,
}: UnlinkedRouteDependencies): Router {
  async function show(res: Response, requestId: string, browser: Browser, problem?: Problem) {
    const assessment = await flow.assess(requestId, browser)
    const { request } = assessment
    const person = waitingPerson(assessment)
    const frame = frames(res.req, request.uiLocales, withoutFont(await assessment.findBranding()))
    const page = unlinkedPage(frame, { requestId, browser, person, problem, id: responseId(res.req) })
    sendPage(res, page, { status: problem === undefined ? 200 : STATUS[problem] })
  }

  return Router()
    .get(PATHS.unlinked, noStore, async (req, res) => {
      const { requestId, browser } = openedPage(req, cookies)
      await show(res, requestId, browser)
    })
    .post(PATHS.unlinked, noStore, createFormBodyParser(), async (req, res) => {
      const { requestId, browser } = submittedForm(req, cookies, 'unlinked')
      const origin = { clientAddress: clientAddress(req), responseId: responseId(req) }
      const outcome = await orUnavailable(() => upstreamSignIn.create(requestId, browser, origin))
      if (leavesPage(outcome))
        return leaveSignIn(res, requestId, outcome, { cookies, events, sendResponse }, 'registered')
      events.signInRefused(req)
      await show(res, requestId, browser, outcome.kind === 'unavailable' ? 'unavailable' : 'forbidden')
    })
}

const STATUS = { forbidden: 403, unavailable: 503 } as const

interface UnlinkedPage {
  readonly requestId: string
  readonly browser: Browser
  readonly person: UpstreamPerson
  readonly problem: Problem | undefined
  /** Id of the response, by which an administrator finds a refusal. */
  readonly id: string
}

/** Says that the account at the provider is linked to none here: `#unlinked-create`, `#unlinked-link`. */
function unlinkedPage(frame: PageFrame, { requestId, browser, person, problem, id }: UnlinkedPage): Page {
  const { unlinked, upstream, login } = frame.texts
  const { providerName: provider, account, mayCreate, mayLink } = person
  const text =
    problem && (problem === 'unavailable' ? login.unavailable : upstream.forbidden({ provider, id }))
  const create =
    mayCreate &&
    pageForm(
      { path: PATHS.unlinked, purpose: 'unlinked', browser, subject: requestId },
      html`<button id="unlinked-create" type="submit">${unlinked.create}</button>`,
    )
  const back = interactionPath('sign-in', requestId)
  return layout(frame, {
    title: unlinked.title,
    content: html`<h1>${unlinked.title}</h1>
<p class="intro">${unlinked.intro({ account, provider })}</p>
${formProblem('unlinked-problem', text).alert}${create}
${mayLink && html`<p>${unlinked.linkAdvice}</p>\n`}<p class="also"><a id="unlinked-link" href="${back}">${mayLink ? unlinked.link : unlinked.back}</a></p>`,
  })
}

/** Asks a person who has just signed in whether to link the account at the provider. Both answers continue the request. */
export function linkRoute({ upstreamSignIn, flow, cookies, frames }: UnlinkedRouteDependencies): Router {
  return Router()
    .get(PATHS.upstreamLink, noStore, async (req, res) => {
      const { requestId, browser } = openedPage(req, cookies)
      const assessment = await flow.assess(requestId, browser)
      if (assessment.interaction !== 'link-account') return res.redirect(303, continuePath(requestId))
      const { request, person, loginName } = assessment
      const frame = frames(req, request.uiLocales, withoutFont(await assessment.findBranding()))
      sendPage(res, linkPage(frame, { requestId, browser, person, loginName }))
    })
    .post(PATHS.upstreamLink, noStore, createFormBodyParser(), async (req, res) => {
      const { requestId, browser, form } = submittedForm(req, cookies, 'link-account')
      const before = await flow.assess(requestId, browser)
      if (before.interaction !== 'link-account') return res.redirect(303, continuePath(requestId))
      const answer = { accepted: form.decision === 'accept', clientAddress: clientAddress(req) }
      const refusal = await upstreamSignIn.answerLink(requestId, browser, answer)
      if (refusal === undefined) return res.redirect(303, continuePath(requestId))
      const frame = frames(req, before.request.uiLocales, withoutFont(await before.findBranding()))
      sendPage(res, linkRefusedPage(frame, requestId, before.person), { status: 403 })
    })
}

interface LinkPage {
  readonly requestId: string
  readonly browser: Browser
  readonly person: UpstreamPerson
  /** Login name of the account that is asked. */
  readonly loginName: string
}

/** Names both accounts: `#link-accept`, `#link-refuse`. */
function linkPage(frame: PageFrame, { requestId, browser, person, loginName }: LinkPage): Page {
  const { consent, linkAccount } = frame.texts
  const { providerName: provider, account } = person
  return layout(frame, {
    title: linkAccount.title,
    content: html`<h1>${linkAccount.title}</h1>
<p class="intro">${consent.account({ loginName })}</p>
<p id="link-asks">${linkAccount.asks({ account, provider })}</p>
<p>${linkAccount.meaning({ provider })}</p>
${pageForm(
  { path: PATHS.upstreamLink, purpose: 'link-account', browser, subject: requestId },
  html`<button id="link-accept" type="submit" name="decision" value="accept">${linkAccount.accept}</button>
<button class="second" id="link-refuse" type="submit" name="decision" value="refuse">${linkAccount.refuse}</button>`,
)}`,
  })
}

/** Says that the link does not exist, and leads on: `#link-continue`. */
function linkRefusedPage(
  frame: PageFrame,
  requestId: string,
  { account, providerName }: UpstreamPerson,
): Page {
  const { linkAccount } = frame.texts
  return layout(frame, {
    title: linkAccount.title,
    content: html`<h1>${linkAccount.title}</h1>
<p class="alert" role="alert" id="link-problem">${linkAccount.refused({ account, provider: providerName })}</p>
<p class="also"><a id="link-continue" href="${continuePath(requestId)}">${linkAccount.continue}</a></p>`,
  })
}
