import { html } from '@signet/http/html'
import { ENDPOINT_PATHS } from '@signet/protocol/routes'
import { Router } from 'express'
import { layout, type PageFrames, sendPage } from './page.ts'
import { PATHS } from './paths.ts'

interface FirstPageDependencies {
  readonly frames: PageFrames
  readonly issuer: string
  readonly hasPasskeys: boolean
}

/** The page at the issuer itself: says what this service is and links to what a person or a developer may look for. */
export function firstPageRoute({ frames, issuer, hasPasskeys }: FirstPageDependencies): Router {
  return Router().get(PATHS.first, (req, res) => {
    const frame = frames(req)
    const { first } = frame.texts
    const page = layout(frame, {
      title: first.title,
      content: html`<h1>${first.title}</h1>
<p>${first.intro({ issuer })}</p>
<ul>
<li><a href="${PATHS.account}">${frame.texts.account.title}</a></li>
<li><a href="${PATHS.applications}">${first.applications}</a></li>
<li><a href="${PATHS.factors}">${first.factors}</a></li>
${hasPasskeys && html`<li><a href="${PATHS.passkeys}">${first.passkeys}</a></li>\n`}<li><a href="${ENDPOINT_PATHS.discovery}">${first.discovery}</a></li>
<li><a href="${REFERENCE}">${first.reference}</a></li>
</ul>`,
    })
    sendPage(res, page)
  })
}

/** The reference of the management API, which the directory service answers. */
const REFERENCE = '/management/v1/reference'
