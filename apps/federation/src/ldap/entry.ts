// Values of an entry of a directory. The names of attributes do not depend on upper and lower case (RFC 4512 section 2.5).
import type { Entry } from 'ldapts'
import { Refused } from '../conversation/refusal.ts'

export interface DirectoryEntry {
  readonly dn: string
  /** The values of an attribute that are text. Throws Refused where the server kept some back. */
  texts(attribute: string): readonly string[]
  /** The values of an attribute that were asked for as octets. */
  octets(attribute: string): readonly Buffer[]
  /** All that the server returned, as JSON takes it: octets in hexadecimal digits. */
  shown(): Readonly<Record<string, unknown>>
}

/** Active Directory returns many values in parts. */
const PART = /;range=.*$/i

/** Reads an entry. Throws Refused for one without a name. */
export function readEntry({ dn, ...attributes }: Entry): DirectoryEntry {
  if (typeof dn !== 'string' || dn === '') throw new Refused('answer_malformed', { expected: 'a name' })
  const values = new Map<string, readonly unknown[]>()
  const inParts = new Set<string>()
  for (const [type, value] of Object.entries(attributes)) {
    values.set(type.toLowerCase(), Array.isArray(value) ? value : [value])
    if (PART.test(type)) inParts.add(type.replace(PART, '').toLowerCase())
  }
  const valuesOf = (attribute: string) => values.get(attribute.toLowerCase()) ?? []
  return {
    dn,
    texts(attribute) {
      if (inParts.has(attribute.toLowerCase())) throw new Refused('too_many_groups', { received: attribute })
      return valuesOf(attribute).filter((value) => typeof value === 'string')
    },
    octets: (attribute) => valuesOf(attribute).filter((value) => Buffer.isBuffer(value)),
    shown: () => ({
      dn,
      ...Object.fromEntries([...values].map(([name, all]) => [name, all.map(shownValue)])),
    }),
  }
}

const shownValue = (value: unknown) => (Buffer.isBuffer(value) ? value.toString('hex') : value)
