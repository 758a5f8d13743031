import { type Html, html } from '@signet/http-server/html'
import { layout, type PageFrame } from './page.ts'

export interface FormPostPage {
  /** A redirect URI that was proven to belong to the client. */
  readonly action: string
  readonly parameters: Readonly<Record<string, string>>
  readonly scriptNonce: string
}

/** OAuth 2.0 Form Post Response Mode: the answer as a form that submits itself, with a button where scripts are off. */
export function formPostPage(frame: PageFrame, page: FormPostPage): Html {
  const { formPost } = frame.texts
  const inputs = Object.entries(page.parameters).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`,
  )
  return layout(frame, {
    title: formPost.title,
    content: html`<h1>${formPost.title}</h1>
<p>${formPost.advice}</p>
<form id="form-post" method="post" action="${page.action}">
${inputs}<button id="form-post-submit" type="submit">${formPost.submit}</button>
</form>
<script nonce="${page.scriptNonce}">document.getElementById('form-post').submit()</script>`,
  })
}
