const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
/** Characters that the conversion would take for the parts of a URL. */
const NOT_OF_DOMAIN = /[\s\p{Cc}/%:@?#\\<>[\]]/u

/**
 * A domain name as it is compared: ASCII (UTS #46), lower case, without the final dot. Undefined for a text that is no
 * domain name.
 */
export function asciiDomain(domain: string): string | undefined {
  const url = `http://${domain}`
  if (NOT_OF_DOMAIN.test(domain) || !URL.canParse(url)) return undefined
  const ascii = new URL(url).hostname.replace(/\.$/, '')
  return ascii.length <= 253 && ascii.split('.').every((label) => LABEL.test(label)) ? ascii : undefined
}

/** The forms that a domain name of an organization has, each with the rule. */
export const DOMAIN_NAME_FORMS = [
  [
    /^(?=.{1,253}$)[a-z0-9\u0080-\u{10ffff}]([a-z0-9.\u0080-\u{10ffff}-]*[a-z0-9\u0080-\u{10ffff}])?$/u,
    'must be a domain name such as acme.example',
  ],
  [/^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]*$/u, 'must be a domain name without invisible characters'],
] as const

/** The rule that a domain name in lower case breaks. */
export const domainNameProblem = (domain: string): string | undefined =>
  DOMAIN_NAME_FORMS.find(([form]) => !form.test(domain))?.[1]
