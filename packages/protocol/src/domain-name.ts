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
