import { type Html, html } from '@signet/http/html'
import { textDirection, UI_LOCALES, type UiLocale } from '@signet/protocol/authorization-parameters'
import { ABOUT_TEXTS, DEFAULT_TEXTS } from './default-texts.ts'
import type { NoticeOrigin } from './notices.ts'
import type { AskedBy } from './queued-message.ts'
import type { MessageKind, MessageTexts, Placeholder } from './texts/mail.schema.ts'

/** The values of placeholders, as they are stored. */
export type PlaceholderValues = Readonly<Partial<Record<Placeholder, string>>>

interface PlacedOrigin extends NoticeOrigin {
  /** City and country of the address, where they are known. */
  readonly place?: string | undefined
}

interface Message {
  readonly kind: MessageKind
  readonly language: UiLocale
  /** The texts of the organization; a missing or empty one has its default. */
  readonly texts: MessageTexts
  readonly values: PlaceholderValues
  /** Absent for a message that only tells something. */
  readonly link?: string | undefined
  readonly code?: string | undefined
  readonly about?: AboutLink | undefined
  /** The origin that a notice tells of. The texts of an organization do not replace it. */
  readonly from?: PlacedOrigin | undefined
}

/** The account that the link of a message is for. The texts of an organization do not replace it. */
interface AboutLink {
  readonly loginName: string
  readonly organization: string
  readonly application: string | null
  readonly askedBy: AskedBy | null
  /** The name of the administrator who asked, where it is known. */
  readonly inviter: string | null
}

/** Subject and both bodies of an e-mail. */
export interface RenderedMessage {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** The first language that Signet has texts for: RFC 4647 section 3.4, `de` for `de-CH`; else English. */
export function messageLanguage(preferred: string | null | undefined): UiLocale {
  const primary = preferred?.split('-', 1)[0]?.toLowerCase()
  return UI_LOCALES.find((locale) => locale === primary) ?? UI_LOCALES[0]
}

/**
 * Renders a message as text and HTML. Texts and values are plain text: HTML in them is escaped, and the subject is one
 * line. A name that a person could have chosen to look like an address or a link is left out.
 */
export function renderMessage({
  kind,
  language,
  texts,
  values,
  link,
  code,
  about,
  from,
}: Message): RenderedMessage {
  const defaults = DEFAULT_TEXTS[language][kind]
  const direction = textDirection(language)
  const fill = (text: string) => filled(text, values, direction)
  const shown = (name: keyof MessageTexts & keyof typeof defaults) => fill(texts[name] || defaults[name])
  const greeting = shown('greeting')
  const body = shown('text')
  const known = [...(about ? aboutLines(about, language) : []), ...(from ? originLines(from, language) : [])]
  const facts = known.length === 0 ? undefined : known.join('\n')
  const footer = shown('footerText')
  const spelled = code === undefined ? undefined : spellCode(code)
  const preHeader = fill(texts.preHeader ?? '')
  const subject = fill(texts.subject || defaults.subject).replaceAll(/[\p{Cc}]+/gu, ' ')
  const paragraphs = [
    greeting,
    body,
    ...(facts === undefined ? [] : [facts]),
    ...(link === undefined ? [] : [`${shown('buttonText')}:\n${link}`]),
    ...(spelled === undefined ? [] : [`${defaults.codeText}\n${spelled}`]),
    footer,
  ]
  const page = html`<!doctype html>
<html lang="${language}" dir="${direction}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${subject}</title></head>
<body style="margin:0;padding:24px;background:#f4f5f7;color:#1a1d21;font:16px/1.5 sans-serif">
${preHeader !== '' && html`<div style="display:none">${preHeader}</div>`}
<div lang="${language}" dir="${direction}" style="max-width:520px;margin:0 auto;padding:24px;background:#ffffff;border-radius:8px">
<h1 style="margin:0 0 16px;font-size:22px">${shown('title')}</h1>
${lines(greeting)}${lines(body)}${facts !== undefined && lines(facts)}
${link !== undefined && html`<p><a href="${link}" style="display:inline-block;padding:12px 20px;background:#1d4ed8;color:#ffffff;border-radius:6px;text-decoration:none">${shown('buttonText')}</a></p>`}
${spelled !== undefined && html`<p>${defaults.codeText}</p><p style="font:24px monospace;letter-spacing:2px"><bdi dir="ltr">${spelled}</bdi></p>`}
<p style="color:#5b6470;font-size:14px">${footer}</p>
</div>
</body>
</html>
`
  return { subject, text: `${paragraphs.join('\n\n')}\n`, html: page.markup }
}

function lines(text: string): Html {
  return html`<p style="white-space:pre-line">${text}</p>`
}

function aboutLines(about: AboutLink, language: UiLocale) {
  const { loginName, organization, application, askedBy } = about
  const texts = ABOUT_TEXTS[language]
  const direction = textDirection(language)
  const facts = [
    [texts.account, harmless(loginName, true)],
    [texts.organization, harmless(organization, false)],
    [texts.application, harmless(application ?? '', false)],
  ].map(([label, value = '']) => [label, value === '' ? '' : isolated(value, direction)])
  const inviter = harmless(about.inviter ?? '', false)
  const asker = askedBy === null ? '' : texts[askedBy]
  const named = inviter === '' || asker === '' ? asker : `${isolated(inviter, direction)} (${asker})`
  return [...facts, [texts.askedBy, named]]
    .filter(([, value]) => value !== '')
    .map(([label, value]) => `${label}: ${value}`)
}

function originLines(origin: PlacedOrigin, language: UiLocale) {
  const { agent, clientAddress, place, administrator = '', reason = '' } = origin
  const texts = ABOUT_TEXTS[language]
  return [
    [texts.browser, agent],
    [texts.address, place === undefined ? clientAddress : `${clientAddress} (${place})`],
    [texts.actor, harmless(administrator, false)],
    [texts.reason, harmless(reason, false, MOST_OF_REASON)],
  ]
    .filter(([, value]) => value !== '')
    .map(([label, value = '']) => `${label}: ${isolated(value, textDirection(language))}`)
}

/** Right to left, values are between the characters FSI and PDI: without them Arabic shows a date as 31-01-2026. */
function filled(text: string, values: PlaceholderValues, direction: 'ltr' | 'rtl'): string {
  // A space in front of an empty value goes with it: "Hello," and not "Hello ,".
  return text.replaceAll(/( ?)\{\{\s*\.?(\w+)\s*\}\}/g, (_, space: string, name: string) => {
    const isIdentifier = name === 'PreferredLoginName' || name === 'LastEmail'
    const value = harmless(values[name as Placeholder] ?? '', isIdentifier)
    return value === '' ? '' : `${space}${isolated(value, direction)}`
  })
}

const isolated = (value: string, direction: 'ltr' | 'rtl') =>
  direction === 'rtl' ? `\u2068${value}\u2069` : value

const MOST_OF_REASON = 500

/** People choose their names, and a stranger may register with a foreign address: a name must not become a link. */
function harmless(value: string, isIdentifier: boolean, most = 200): string {
  const flat = value.replaceAll(/[\p{Cc}]+/gu, ' ').slice(0, most)
  if (isIdentifier) return flat
  return /[/@<>]|\p{L}\.\p{L}{2}/u.test(flat) ? '' : flat
}

/** Groups of four, as `readMailSecret` accepts them. */
function spellCode(code: string): string {
  return code.replaceAll(/(.{4})(?=.)/g, '$1-')
}
