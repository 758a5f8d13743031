import { html } from '@signet/http/html'
import { layout, type Page, type PageFrame } from '../pages/page.ts'

/** Shows new recovery codes, once: `#recovery-codes`, `#recovery-codes-kept`. */
export function recoveryCodesPage(
  frame: PageFrame,
  codes: readonly string[],
  onward: { readonly path: string; readonly text: string },
): Page {
  const { factors } = frame.texts
  return layout(frame, {
    title: factors.codes,
    content: html`<h1>${factors.codes}</h1>
<p id="codes-advice">${factors.codesAdvice}</p>
<ol class="codes" id="recovery-codes" aria-describedby="codes-advice">
${codes.map((code) => html`<li><code dir="ltr">${code}</code></li>\n`)}</ol>
<p class="also"><a id="recovery-codes-kept" href="${onward.path}">${onward.text}</a></p>`,
  })
}
