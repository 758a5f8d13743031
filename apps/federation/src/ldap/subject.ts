// The attributes that identify an entry as long as it exists, and are not given to another one.
import { STABLE_ATTRIBUTES, type StableAttribute } from '@signet/protocol/ldap-provider'
import { Refused } from '../conversation/refusal.ts'
import type { DirectoryEntry } from './entry.ts'

/** Octets of the GUID that each group of digits has in turn: the first three groups are little-endian ([MS-DTYP] section 2.3.4). */
const GUID_GROUPS = [
  [3, 2, 1, 0],
  [5, 4],
  [7, 6],
  [8, 9],
  [10, 11, 12, 13, 14, 15],
]
const GUID_BYTES = 16

function guidText(octets: Buffer): string {
  if (octets.length !== GUID_BYTES) return ''
  return GUID_GROUPS.map((group) => Buffer.from(group.map((at) => octets[at] ?? 0)).toString('hex')).join('-')
}

/** entryUUID is that of RFC 4530, nsUniqueId that of 389 Directory Server. */
const READERS: Readonly<Record<StableAttribute, (entry: DirectoryEntry) => readonly string[]>> = {
  entryUUID: (entry) => entry.texts('entryUUID'),
  nsUniqueId: (entry) => entry.texts('nsUniqueId'),
  objectGUID: (entry) => entry.octets('objectGUID').map(guidText),
}

/** Attributes whose values are octets. */
export const OCTET_ATTRIBUTES = ['objectGUID']

/** The text that identifies an entry. Throws Refused for an entry without one, and for an attribute that may be given again. */
export function subjectOf(entry: DirectoryEntry, attribute: string): string {
  const stable = STABLE_ATTRIBUTES.find((name) => name === attribute)
  const [subject = '', ...others] = stable === undefined ? [] : READERS[stable](entry)
  if (others.length > 0 || !/^[0-9A-Fa-f]{1,16}(-[0-9A-Fa-f]{1,16}){0,7}$/.test(subject)) {
    throw new Refused('subject_missing', { expected: attribute })
  }
  return subject.toLowerCase()
}
