// Asks before a page removes a way to sign in, and says what became of the session.
import { type Html, html } from '@signet/http/html'
import { type FormUse, formPage } from '../pages/form-page.ts'
import { layout, type Page, type PageFrame } from '../pages/page.ts'
import { PATHS } from '../pages/paths.ts'
import { ownSignInPath } from './account-page.routes.ts'

interface RemovalPage extends FormUse {
  readonly path: string
  readonly loginName: string
  readonly title: string
  /** The text of the button, which names the factor. */
  readonly submit: string | Html
  readonly advice?: string
  /** The hidden fields that name the change. */
  readonly fields: Html
  readonly backPath: string
}

/** `#removal-others`, which is checked, `#removal-submit` and `#removal-back`. */
export function removalPage(
  frame: PageFrame,
  { loginName, advice, submit, fields, backPath, ...form }: RemovalPage,
): Page {
  const { factors, confirm } = frame.texts
  return formPage(frame, {
    ...form,
    intro: html`<p class="intro">${confirm.account({ loginName })}</p>
<p>${advice ?? factors.removalAdvice}</p>`,
    fields: html`${fields}
<input type="hidden" name="confirmed" value="yes">
<label class="choice" for="removal-others"><input id="removal-others" name="others" type="checkbox" value="yes" checked> <span>${factors.removalOthers}</span></label>
<button class="danger" id="removal-submit" type="submit">${submit}</button>`,
    after: html`
<p class="also"><a id="removal-back" href="${backPath}">${confirm.back}</a></p>`,
  })
}

/** The session rested on the factor that was removed: `#removal-sign-in`. */
export function endedSessionPage(frame: PageFrame, issuer: string): Page {
  const { factors, login, recovery } = frame.texts
  return layout(frame, {
    title: recovery.doneTitle,
    content: html`<h1>${recovery.doneTitle}</h1>
<p role="status" id="removal-ended">${factors.removalEnded}</p>
<p class="also"><a id="removal-sign-in" href="${ownSignInPath(issuer, PATHS.account)}">${login.title}</a></p>`,
  })
}
