// Distinguished names as texts (RFC 4514).

/** An attribute of a name: the OID of its type, and its value as text, or `#` with the hex of its DER. */
export interface NameAttribute {
  readonly type: string
  readonly value: string
}

/** The names of RFC 4514 section 3, and those that OpenSSL writes for attributes of certificates of companies. */
const TYPES: Readonly<Record<string, string>> = {
  cn: '2.5.4.3',
  sn: '2.5.4.4',
  serialnumber: '2.5.4.5',
  c: '2.5.4.6',
  l: '2.5.4.7',
  st: '2.5.4.8',
  street: '2.5.4.9',
  o: '2.5.4.10',
  ou: '2.5.4.11',
  title: '2.5.4.12',
  businesscategory: '2.5.4.15',
  postalcode: '2.5.4.17',
  gn: '2.5.4.42',
  organizationidentifier: '2.5.4.97',
  uid: '0.9.2342.19200300.100.1.1',
  dc: '0.9.2342.19200300.100.1.25',
  emailaddress: '1.2.840.113549.1.9.1',
  jurisdictionl: '1.3.6.1.4.1.311.60.2.1.1',
  jurisdictionst: '1.3.6.1.4.1.311.60.2.1.2',
  jurisdictionc: '1.3.6.1.4.1.311.60.2.1.3',
}

/**
 * Returns a name in the one form in which equal names are equal texts: types are OIDs, the attributes of one relative name are
 * sorted, and values are compared character by character, which is stricter than the matching rules of a directory. The first
 * relative name is the most specific one (RFC 4514 section 2.1), which a certificate has last.
 */
export function canonicalName(relativeNames: readonly (readonly NameAttribute[])[]): string {
  return JSON.stringify(
    relativeNames.map((attributes) => attributes.map(({ type, value }) => `${type}=${value}`).toSorted()),
  )
}

/** Reads a name such as `CN=client,O=Example\, Inc.,C=DE` (RFC 4514 section 3). Undefined for a text that is none. */
export function readDistinguishedName(text: string): readonly (readonly NameAttribute[])[] | undefined {
  const relativeNames: NameAttribute[][] = []
  let attributes: NameAttribute[] = []
  let rest = text
  for (;;) {
    const found = ATTRIBUTE.exec(rest)
    const { type = '', value = '', separator = '' } = found?.groups ?? {}
    const attribute = found === null ? undefined : readAttribute(type, value)
    if (attribute === undefined) return undefined
    attributes.push(attribute)
    if (separator !== '+') {
      relativeNames.push(attributes)
      attributes = []
    }
    if (separator === '') return relativeNames
    rest = rest.slice(found?.[0].length)
  }
}

/** A type, its value with the escapes of RFC 4514 section 3, and the character behind it. */
const ATTRIBUTE =
  /^ *(?<type>[A-Za-z][A-Za-z0-9-]*|\d+(?:\.\d+)+)=(?<value>(?:[^"+,;<>\\\0]|\\(?:[ #=,+"\\;<>]|[0-9A-Fa-f]{2}))*)(?<separator>[,+]|$)/u

function readAttribute(name: string, text: string): NameAttribute | undefined {
  const type = /^\d/.test(name) ? name : TYPES[name.toLowerCase()]
  const value = text.startsWith('#') ? readHexValue(text.slice(1)) : readValue(text)
  return type === undefined || value === undefined ? undefined : { type, value }
}

function readValue(text: string): string | undefined {
  // Blanks at the ends have to be escaped; unescaped they come from a form that is not this one, such as `CN = x`.
  if (text === '' || /^ |(?<!\\) $/.test(text)) return undefined
  const bytes: Buffer[] = []
  for (const [, hex, escaped, plain] of text.matchAll(/\\([0-9A-Fa-f]{2})|\\(.)|([^\\]+)/gsu))
    bytes.push(hex === undefined ? Buffer.from(escaped ?? plain ?? '') : Buffer.from(hex, 'hex'))
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(bytes))
  } catch {
    return undefined
  }
}

const STRING_TAGS: Readonly<Record<number, string>> = {
  12: 'utf-8',
  19: 'utf-8',
  22: 'utf-8',
  30: 'utf-16be',
}

/** RFC 4514 section 2.4: the DER of a value. A string is the same value as its text. */
function readHexValue(hex: string): string | undefined {
  if (!/^(?:[0-9A-Fa-f]{2}){2,}$/.test(hex)) return undefined
  const der = Buffer.from(hex, 'hex')
  const encoding = STRING_TAGS[der[0] ?? 0]
  const length = der[1] ?? 0
  if (encoding === undefined || length >= 0x80) return `#${hex.toLowerCase()}`
  if (der.length !== 2 + length) return undefined
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(der.subarray(2))
  } catch {
    return undefined
  }
}
