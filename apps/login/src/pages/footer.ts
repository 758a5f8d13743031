// The links of the privacy policy of an organization, at the foot of its pages (docs/guides/branding.md).
import type { Branding } from '@signet/directory-reader/branding'
import { type Html, html } from '@signet/http/html'
import { inLanguage, type PrivacyLinks } from '@signet/protocol/privacy-links'
import type { Texts } from './texts/message.ts'

interface Frame {
  readonly texts: Texts
  readonly branding: Branding | undefined
}

/** The links at the foot of a page with this content: `#link-terms`, `#link-privacy`, …; nothing without links. */
export function footer(frame: Frame, content: Html): Html | undefined {
  const links = frame.branding?.links ?? {}
  const { texts } = frame
  const opens = { inNewTab: losesEntries(content), language: texts.language, newTab: texts.footer.newTab }
  const items = [
    link('link-terms', links.tosLink, texts.footer.terms, opens),
    link('link-privacy', links.privacyLink, texts.footer.privacy, opens),
    link('link-help', links.helpLink, texts.footer.help, opens),
    link('link-docs', links.docsLink, texts.footer.docs, opens),
    link('link-custom', links.customLink, links.customLinkText, opens),
    support(links, texts.footer.support),
  ].filter((item) => item !== undefined)
  if (items.length === 0) return undefined
  return html`<footer>
<ul class="foot">
${items.map((item) => html`<li>${item}</li>\n`)}</ul>
</footer>
`
}

/** Names the terms and the privacy policy before an account is made: `#register-terms`, `#register-privacy`. */
export function registrationLinks({ texts, branding }: Frame): Html | undefined {
  const { tosLink, privacyLink } = branding?.links ?? {}
  const opens = { inNewTab: true, language: texts.language, newTab: texts.footer.newTab }
  const items = [
    link('register-terms', tosLink, texts.footer.terms, opens),
    link('register-privacy', privacyLink, texts.footer.privacy, opens),
  ].filter((item) => item !== undefined)
  if (items.length === 0) return undefined
  return html`<p class="quiet" id="register-links">${texts.footer.registration} ${items.map((item, at) => html`${at > 0 && ' · '}${item}`)}</p>\n`
}

interface Opens {
  /** Whether links open a new tab: else the browser leaves the page and loses the typed input. */
  readonly inNewTab: boolean
  readonly language: string
  readonly newTab: string
}

/** An organization could have chosen the text and the target; both are escaped, and the directory checked the scheme. */
function link(
  id: string,
  url: string | undefined,
  text: string | undefined,
  { inNewTab, language, newTab }: Opens,
): Html | undefined {
  if (url === undefined || text === undefined) return undefined
  const hint = inNewTab && html`<span class="hidden"> ${newTab}</span>`
  return html`<a id="${id}" href="${inLanguage(url, language)}" rel="noopener noreferrer"${inNewTab && html` target="_blank"`}><bdi>${text}</bdi>${hint}</a>`
}

function support({ supportEmail }: PrivacyLinks, text: string): Html | undefined {
  return supportEmail === undefined
    ? undefined
    : html`<a id="link-support" href="mailto:${supportEmail}">${text}</a>`
}

/** Whether the page has a field for people to fill in. */
function losesEntries({ markup }: Html): boolean {
  return /<(?:input|select)\b/.test(markup.replaceAll(/<input [^>]*type="hidden"[^>]*>/g, ''))
}
