// Asks before a page removes a way to sign in, and says what became of the session.
import { type Html, html } from '@signet/http/html'
import { ownClientQuery } from '../authorize/own-sign-in.ts'
import { layout, type Page, type PageFrame } from '../pages/page.ts'
import { PATHS, withRawQuery } from '../pages/paths.ts'

interface RemovalPage {
  readonly path: string
  readonly loginName: string
  readonly title: string
  /** The text of the button, which names the factor. */
  readonly submit: string | Html
  readonly advice?: string
  /** The hidden fields of the form. */
  readonly fields: Html
  readonly backPath: string
}

/** `#removal-others`, which is checked, `#removal-submit` and `#removal-back`. */
export function removalPage(frame: PageFrame, page: RemovalPage): Page {
  const { factors, confirm } = frame.texts
  return layout(frame, {
    title: page.title,
    content: html`<h1>${page.title}</h1>
<p class="intro">${confirm.account({ loginName: page.loginName })}</p>
<p>${page.advice ?? factors.removalAdvice}</p>
<form method="post" action="${page.path}">
${page.fields}<input type="hidden" name="confirmed" value="yes">
<label class="choice" for="removal-others"><input id="removal-others" name="others" type="checkbox" value="yes" checked> <span>${factors.removalOthers}</span></label>
<button class="danger" id="removal-submit" type="submit">${page.submit}</button>
</form>
<p class="also"><a id="removal-back" href="${page.backPath}">${confirm.back}</a></p>`,
  })
}

/** The session rested on the factor that was removed: `#removal-sign-in`. */
export function endedSessionPage(frame: PageFrame, issuer: string): Page {
  const { factors, login, recovery } = frame.texts
  const signIn = withRawQuery(PATHS.authorize, ownClientQuery(`${issuer}${PATHS.account}`))
  return layout(frame, {
    title: recovery.doneTitle,
    content: html`<h1>${recovery.doneTitle}</h1>
<p role="status" id="removal-ended">${factors.removalEnded}</p>
<p class="also"><a id="removal-sign-in" href="${signIn}">${login.title}</a></p>`,
  })
}
