// The links of a privacy policy (docs/spec 6.2). The directory refuses values that are no links; the pages show those
// that remain.
import { placeholderProblem, withoutVariables } from './placeholder.ts'
import { linkProblem } from './redirect-uri.ts'

/** The members that hold a URL. */
export const PRIVACY_URLS = ['tosLink', 'privacyLink', 'helpLink', 'docsLink', 'customLink'] as const
export const PRIVACY_MEMBERS = [...PRIVACY_URLS, 'supportEmail', 'customLinkText'] as const

export type PrivacyMember = (typeof PRIVACY_MEMBERS)[number]

/** Each member that acts; URLs with the placeholder of the language. */
export type PrivacyLinks = { readonly [M in PrivacyMember]?: string }

/** Placeholder in a URL that is replaced with the language of the page, `en` for example. */
const LANGUAGE_PLACEHOLDER = '{{.Lang}}'

const LONGEST_TEXT = 60

/** Returns the reason why a value of a member is refused; undefined for an empty one, which is no link. */
export function privacyLinkProblem(member: PrivacyMember, value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string') return 'must be a text'
  const unfilled = placeholderProblem(withoutVariables(value))
  if (unfilled !== undefined) return unfilled
  switch (member) {
    case 'supportEmail':
      return isAddress(value) ? undefined : 'must be an e-mail address, without mailto:'
    case 'customLinkText':
      return isLabel(value)
        ? undefined
        : `must have at most ${LONGEST_TEXT} characters, and none that are invisible`
    default:
      return value.length <= 1000 ? linkProblem(value) : 'may have 1000 characters at most'
  }
}

/** An address that is its own `mailto` URI (RFC 6068): no header fields, no encoded characters. */
function isAddress(value: string): boolean {
  return value.length <= 320 && /^[\w.+-]+@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i.test(value)
}

/** Control, format and separator characters could hide text or change its order. */
function isLabel(value: string): boolean {
  return value.length <= LONGEST_TEXT && value.trim() !== '' && !/[\p{C}\p{Zl}\p{Zp}]/u.test(value)
}

type Document = Readonly<Record<string, unknown>>

/** The members that break a rule, with the rule. A text without its link would not be shown. */
export function brokenPrivacyLinks(
  document: Document,
): readonly { readonly member: PrivacyMember; readonly rule: string }[] {
  const malformed = PRIVACY_MEMBERS.flatMap((member) => {
    const rule = privacyLinkProblem(member, document[member])
    return rule === undefined ? [] : [{ member, rule }]
  })
  const hasLink = Boolean(document.customLink)
  const hasText = Boolean(document.customLinkText)
  if (hasLink === hasText) return malformed
  const missing = hasLink ? 'customLinkText' : 'customLink'
  const member = hasLink ? 'customLink' : 'customLinkText'
  return [...malformed, { member, rule: `has no effect without ${missing}; set both or neither` }]
}

/** The members that pages show. */
export function obeyedPrivacyLinks(document: Document): PrivacyLinks {
  const broken = brokenPrivacyLinks(document).map(({ member }) => member)
  // One of the two alone is not shown.
  if (broken.includes('customLink') || broken.includes('customLinkText')) {
    broken.push('customLink', 'customLinkText')
  }
  return Object.fromEntries(
    PRIVACY_MEMBERS.flatMap((member) => {
      const value = document[member]
      return broken.includes(member) || typeof value !== 'string' || value === '' ? [] : [[member, value]]
    }),
  )
}

/** The members that a policy sets and that pages do not show. */
export function privacyLinksNotObeyed(document: Document): readonly PrivacyMember[] {
  const obeyed = obeyedPrivacyLinks(document)
  return PRIVACY_MEMBERS.filter((member) => Boolean(document[member]) && obeyed[member] === undefined)
}

/** A URL of a policy for pages in a language. */
export function inLanguage(url: string, language: string): string {
  return url.replaceAll(LANGUAGE_PLACEHOLDER, language)
}
