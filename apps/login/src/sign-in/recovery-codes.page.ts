import { type Html, html } from '@signet/http/html'
import { layout, type Page, type PageFrame } from '../pages/page.ts'

/**
 * Shows new recovery codes, once: `#recovery-codes`, `#recovery-codes-download`, `#recovery-codes-kept`. The page has to be
 * sent with the nonce of the frame, for the script that copies and prints: `#recovery-codes-copy`, `#recovery-codes-print`.
 */
export function recoveryCodesPage(
  frame: PageFrame,
  codes: readonly string[],
  onward: { readonly path: string; readonly text: string },
): Page {
  const { factors, product } = frame.texts
  const file = `${product}\r\n${factors.codes}\r\n\r\n${codes.join('\r\n')}\r\n`
  // The codes are shown once: a change of the language would leave them.
  return layout(
    { ...frame, here: undefined },
    {
      title: factors.codes,
      content: html`<h1>${factors.codes}</h1>
<p id="codes-advice">${factors.codesAdvice}</p>
<ol class="codes" id="recovery-codes" aria-describedby="codes-advice">
${codes.map((code) => html`<li><code dir="ltr">${code}</code></li>\n`)}</ol>
<p class="keep"><a class="button second" id="recovery-codes-download" href="data:text/plain;charset=utf-8,${encodeURIComponent(file)}" download="recovery-codes.txt">${factors.codesDownload}</a>
${scripted('copy', html`${factors.codesCopy}`)}
${scripted('print', html`${factors.codesPrint}`)}</p>
<p class="quiet" role="status" id="recovery-codes-copied" hidden>${factors.codesCopied}</p>
<p class="also"><a class="button" id="recovery-codes-kept" href="${onward.path}">${onward.text}</a></p>
<script type="module" nonce="${frame.scriptNonce}" src="${frame.codesScript}"></script>`,
    },
  )
}

/** A button that only the script shows. */
const scripted = (act: 'copy' | 'print', text: Html) =>
  html`<button class="second" id="recovery-codes-${act}" type="button" hidden>${text}</button>`
