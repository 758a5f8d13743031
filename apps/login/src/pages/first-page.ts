import { type Html, html } from '@signet/http/html'
import { noStore } from '@signet/http/response-headers'
import { ENDPOINT_PATHS } from '@signet/protocol/routes'
import { Router } from 'express'
import type { FirstSteps, LoginConfig } from '../config.ts'
import type { BrowserCookies } from '../sessions/browser-cookies.ts'
import type { OwnAccount, OwnAccounts } from '../sessions/own-accounts.service.ts'
import { layout, type PageFrame, type PageFrames, sendPage } from './page.ts'
import { ofAccount, PATHS } from './paths.ts'

interface FirstPageDependencies {
  readonly frames: PageFrames
  readonly issuer: string
  readonly cookies: BrowserCookies
  readonly ownAccounts: OwnAccounts
  readonly config: Pick<LoginConfig, 'firstSteps'>
}

/**
 * The page at the issuer itself: says what this service is, who is signed in, and links to what a person or a developer may
 * look for. On the machine of a developer it shows the first steps, too.
 */
export function firstPageRoute(dependencies: FirstPageDependencies): Router {
  const { frames, issuer, cookies, ownAccounts, config } = dependencies
  return Router().get(PATHS.first, noStore, async (req, res) => {
    const accounts = await ownAccounts.list(cookies.known(req))
    const frame = frames(req)
    const { first } = frame.texts
    const page = layout(frame, {
      title: first.title,
      content: html`<h1>${first.title}</h1>
<p>${first.intro({ issuer })}</p>
${signedIn(frame, accounts)}
<ul class="links">
<li><a href="${PATHS.account}">${frame.texts.account.title}</a></li>
<li><a href="${PATHS.applications}">${first.applications}</a></li>
<li><a href="${PATHS.factors}">${first.factors}</a></li>
${frame.hasPasskeys && html`<li><a href="${PATHS.passkeys}">${first.passkeys}</a></li>\n`}<li><a href="${ENDPOINT_PATHS.discovery}">${first.discovery}</a></li>
<li><a href="${REFERENCE}">${first.reference}</a></li>
</ul>
${config.firstSteps && firstSteps(frame, { ...config.firstSteps, issuer })}`,
    })
    sendPage(res, page)
  })
}

/** The reference of the management API, which the directory service answers. */
const REFERENCE = '/management/v1/reference'

/** Each account of this browser with its page, or the way to the sign-in page. */
function signedIn({ texts: { first } }: PageFrame, accounts: readonly OwnAccount[]): Html {
  if (accounts.length === 0)
    return html`<p><a id="first-sign-in" href="${PATHS.account}">${first.signIn}</a></p>`
  return html`${accounts.map(
    ({ session, loginName }) =>
      html`<p class="first-account"><a href="${ofAccount(PATHS.account, session.sid)}">${first.signedIn({ loginName })}</a></p>\n`,
  )}`
}

/** The address at which `npm run docs` serves the documentation. */
const DOCUMENTATION = 'http://localhost:8090'

interface ShownSteps extends FirstSteps {
  readonly issuer: string
}

function firstSteps(
  { texts: { first } }: PageFrame,
  { mailbox, console, applications, issuer }: ShownSteps,
): Html {
  return html`<section id="first-steps">
<h2>${first.machine}</h2>
${mailbox !== undefined && html`<p><a id="first-mailbox" href="${mailbox}">${first.mailbox}</a></p>\n`}${console !== undefined && html`<p><a id="first-console" href="${console}">${first.console}</a></p>\n`}${
  applications.length > 0 &&
  html`<h3>${first.samples}</h3>
<p class="quiet">${first.samplesHint}</p>
<dl class="facts">
${applications.map(({ name, url, command }) => html`<dt>${name}</dt><dd><a href="${url}"><bdi dir="ltr">${url}</bdi></a><br>${code(command)}</dd>\n`)}</dl>
`
}<h3>${first.own}</h3>
<p class="quiet">${first.ownHint}</p>
<p>${code(`npm run signet -- login --issuer ${issuer}`)}</p>
<p>${code(newApplication(applications.length > 0 ? 'portal' : 'PROJECT'))}</p>
<p class="quiet">${first.docs}</p>
<p>${code('npm run docs')} <a href="${DOCUMENTATION}"><bdi dir="ltr">${DOCUMENTATION}</bdi></a></p>
</section>`
}

const newApplication = (project: string) =>
  `npm run signet -- app add express --project ${project} --url http://localhost:4000 --folder ../shop`

/** A command, which reads from left to right in every language. */
const code = (command: string): Html => html`<code dir="ltr">${command}</code>`
