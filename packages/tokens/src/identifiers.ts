/** Returns `size` random bytes from a cryptographically secure source. */
export type RandomBytes = (size: number) => Buffer

/** The form of an id of an organization, project, application, grant or key, and of a `client_id`. */
export const IDENTIFIER = /^[A-Za-z0-9._~@+-]{1,200}$/

/**
 * The form of the id of a user or service user: other products write `auth0|5f7c` and `did:web:acme.example:ann`. With a colon it is a URI,
 * as RFC 7519 section 2 has it for `sub`.
 */
export const USER_IDENTIFIER =
  /^(?:[A-Za-z0-9._~@+|-]{1,200}|[A-Za-z][A-Za-z0-9+.-]{0,40}:[A-Za-z0-9._~@+:-]{1,158})$/

/**
 * The form of a `client_id` that is the URL of a document (draft-ietf-oauth-client-id-metadata-document), one of its scheme and path:
 * whether its parts keep the rules is `clientIdUrlProblem`.
 */
const CLIENT_ID_URL = /^https?:\/\/[A-Za-z0-9.-]+(?::[0-9]+)?\/[A-Za-z0-9._~@+:/-]*$/
const CLIENT_ID_URL_CHARACTERS = 200

export const IDENTIFIER_RULE = 'must be 1 to 200 characters out of A-Z a-z 0-9 . _ ~ @ + -'
export const USER_IDENTIFIER_RULE =
  'must be 1 to 200 characters out of A-Z a-z 0-9 . _ ~ @ + - |, or a URI out of A-Z a-z 0-9 . _ ~ @ + - :'

/** The form of a key of a role or of metadata: text that people can see, which is compared as it stands. */
export const KEY = /^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]{1,200}$/u
export const KEY_RULE = 'must be 1 to 200 characters, none of them a control or invisible character'

/**
 * Names of our own APIs in `aud`, so no organization, project, application, client or user may have one as its id.
 * Exactly these texts: a value of `aud` is compared byte for byte.
 */
const RESERVED: ReadonlySet<string> = new Set(['signet', 'zitadel'])

export const RESERVED_RULE = 'must not be signet or zitadel, which stand for the APIs of this service'

export function isReservedIdentifier(id: string | null | undefined): boolean {
  return typeof id === 'string' && RESERVED.has(id)
}

/** Clients resolve a segment of dots, so that the path of a role would be that of its project. */
const DOT_SEGMENT = /^\.{1,2}$/

export const DOT_SEGMENT_RULE = 'must not be . or .., which a path cannot have as a segment'

/** Whether a path can have the id or key as a segment. */
export const isPathSegment = (text: string): boolean => !DOT_SEGMENT.test(text)

/** Whether a value can be an identifier at all; a store is not asked for one that cannot. */
export function isIdentifier(value: unknown): value is string {
  return typeof value === 'string' && IDENTIFIER.test(value)
}

/** Whether a client_id has the form of a URL. No other identifier has it: none may hold a slash. */
export function isClientIdUrl(value: string): boolean {
  return value.length <= CLIENT_ID_URL_CHARACTERS && CLIENT_ID_URL.test(value)
}

/** Whether a value can be a `client_id`: an identifier or a URL. */
export function isClientIdentifier(value: unknown): value is string {
  return isIdentifier(value) || (typeof value === 'string' && isClientIdUrl(value))
}

/** Whether a value can be the id of a user, which every other identifier can be too. */
export function isUserIdentifier(value: unknown): value is string {
  return typeof value === 'string' && USER_IDENTIFIER.test(value)
}

/** A new identifier: 26 characters, lower-case base32 of a UUIDv7 (RFC 9562 section 5.7), so ids sort by creation. */
export function newIdentifier(now: Date, random: RandomBytes): string {
  const bytes = random(16)
  bytes.writeUIntBE(now.getTime(), 0, 6)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return encodeBase32(bytes).toLowerCase()
}

/** A random identifier that reveals nothing, not even its age: 128 bits as 22 characters. */
export function newOpaqueIdentifier(random: RandomBytes): string {
  return random(16).toString('base64url')
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** RFC 4648 section 6, as people write TOTP secrets: any case, spaces and padding ignored. Undefined when it is none. */
export function decodeBase32(text: string): Buffer | undefined {
  const digits = text.toUpperCase().replace(/[\s=]/g, '')
  const bytes: number[] = []
  let bits = 0
  let value = 0
  for (const digit of digits) {
    const index = ALPHABET.indexOf(digit)
    if (index < 0) return undefined
    value = ((value << 5) | index) & 0xfff
    bits += 5
    if (bits >= 8) {
      bits -= 8
      bytes.push((value >>> bits) & 0xff)
    }
  }
  return digits === '' ? undefined : Buffer.from(bytes)
}

/** RFC 4648 section 6, without padding. */
export function encodeBase32(bytes: Buffer): string {
  let text = ''
  let bits = 0
  let value = 0
  for (const byte of bytes) {
    value = (value << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += ALPHABET[(value >>> bits) & 31]
    }
    value &= (1 << bits) - 1
  }
  return bits === 0 ? text : text + ALPHABET[(value << (5 - bits)) & 31]
}
