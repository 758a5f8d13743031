import { type Html, html } from '@signet/http-server/html'
import { layout, type PageFrame } from './page.ts'

export interface NoticePage {
  readonly title: string
  /** What went wrong, in words that may be shown. */
  readonly reason?: string
  /** What the person can do about it. */
  readonly advice: string
  /** A code that helps whoever operates the application. */
  readonly code?: string
}

/** A page that ends a flow: the request was rejected, or we cannot serve it now. */
export function noticePage(frame: PageFrame, { title, reason, advice, code }: NoticePage): Html {
  return layout(frame, {
    title,
    content: html`<h1>${title}</h1>
${reason !== undefined && html`<p class="alert" role="alert">${reason}</p>`}
<p>${advice}</p>
${code !== undefined && html`<p class="code">${frame.texts.rejected.code(code)}</p>`}`,
  })
}
