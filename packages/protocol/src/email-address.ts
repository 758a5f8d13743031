// E-mail addresses (RFC 5321 section 4.1.2, RFC 6531), as they are stored, compared and written into the headers of messages.
import { asciiDomain } from './domain-name.ts'
import { shownTextProblem } from './shown-text.ts'

const LOCAL_PART_BYTES = 64
const DOMAIN_BYTES = 255
const RULE = 'must be one e-mail address such as id@acme.example'

/** Characters that would need quotes (RFC 5322 section 3.2.3), or that could end a header or an SMTP command. */
const LOCAL_PART = /^[^\s.@<>(),;:"\\[\]]+(\.[^\s.@<>(),;:"\\[\]]+)*$/u

const bytes = (text: string): number => Buffer.byteLength(text)

/** The rule that an e-mail address breaks: one mailbox, without a display name, quotes or comments. */
export function emailAddressProblem(address: string): string | undefined {
  const at = address.lastIndexOf('@')
  const localPart = address.slice(0, Math.max(at, 0))
  const domain = address.slice(at + 1)
  if (!LOCAL_PART.test(localPart) || shownTextProblem(address) !== undefined) return RULE
  if (bytes(localPart) > LOCAL_PART_BYTES) return `may have at most ${LOCAL_PART_BYTES} bytes before the @`
  if (bytes(domain) > DOMAIN_BYTES) return `may have at most ${DOMAIN_BYTES} bytes after the @`
  return domain.endsWith('.') || asciiDomain(domain) === undefined ? RULE : undefined
}

/** Whether a text is one e-mail address. */
export const isEmailAddress = (text: string): boolean => emailAddressProblem(text) === undefined

/** An e-mail address as it is compared: NFC, lower case, the domain in ASCII. */
export function emailAddressKey(address: string): string {
  const key = plainKey(address)
  const at = key.lastIndexOf('@')
  const domain = at < 0 ? undefined : asciiDomain(key.slice(at + 1))
  return domain === undefined ? key : `${key.slice(0, at)}@${domain}`
}

/** NFC, without spaces around, lower case: how names and addresses were compared before their own rules. */
export const plainKey = (text: string): string => text.normalize('NFC').trim().toLowerCase().normalize('NFC')
