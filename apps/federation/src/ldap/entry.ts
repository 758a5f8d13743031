// Values of an entry of a directory. The names of attributes do not depend on upper and lower case (RFC 4512 section 2.5).
import type { Entry } from 'ldapts'
import { Refused } from '../conversation/refusal.ts'

export interface DirectoryEntry {
  readonly dn: string
  /** The values of an attribute that are text. */
  texts(attribute: string): readonly string[]
  /** The values of an attribute that were asked for as octets. */
  octets(attribute: string): readonly Buffer[]
}

/** Reads an entry. Throws Refused for one without a name, and for one whose server kept values of an attribute back. */
export function readEntry({ dn, ...attributes }: Entry): DirectoryEntry {
  if (typeof dn !== 'string' || dn === '') throw new Refused('answer_malformed', { expected: 'a name' })
  const values = new Map<string, readonly unknown[]>()
  for (const [type, value] of Object.entries(attributes)) {
    // Active Directory returns many values in parts.
    if (/;range=/i.test(type)) throw new Refused('too_many_groups', { received: type })
    values.set(type.toLowerCase(), Array.isArray(value) ? value : [value])
  }
  const valuesOf = (attribute: string) => values.get(attribute.toLowerCase()) ?? []
  return {
    dn,
    texts: (attribute) => valuesOf(attribute).filter((value) => typeof value === 'string'),
    octets: (attribute) => valuesOf(attribute).filter((value) => Buffer.isBuffer(value)),
  }
}
