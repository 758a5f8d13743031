// The search for the entry of a person. The filter is made of values and not of text, so that no value can be read as a part of it.
import { NESTED_GROUPS, POSIX_GROUPS } from '@signet/protocol/ldap-provider'
import { AndFilter, EqualityFilter, ExtensibleFilter, type Filter, OrFilter } from 'ldapts'
import type { Provider } from '../conversation/provider.ts'
import { Refused } from '../conversation/refusal.ts'
import { STATE_ATTRIBUTES } from './account-state.ts'
import type { LdapConnection } from './connection.ts'
import { type DirectoryEntry, readEntry } from './entry.ts'
import { OCTET_ATTRIBUTES } from './subject.ts'

/** The attributes of RFC 4519, RFC 2798 and Active Directory that fill a standard claim, the first that there is. */
export const STANDARD_ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  preferred_username: ['uid', 'sAMAccountName'],
  given_name: ['givenName'],
  family_name: ['sn'],
  name: ['displayName', 'cn'],
  locale: ['preferredLanguage'],
  email: ['mail'],
  phone_number: ['telephoneNumber', 'mobile'],
}

const MEMBER_OF_CHAIN = '1.2.840.113556.1.4.1941'
/** Number above the most that a person may have. */
const MOST_GROUPS = 201

const equal = (attribute: string, value: string) => new EqualityFilter({ attribute, value })

/** Finds the one entry with a name that was typed. Throws Refused for none and for several. */
export async function findPerson(
  connection: Pick<LdapConnection, 'search'>,
  provider: Provider,
  name: string,
): Promise<DirectoryEntry> {
  const named = provider.nameAttributes.map((attribute) => equal(attribute, name))
  const filter = new AndFilter({
    filters: [equal('objectClass', provider.objectClass), new OrFilter({ filters: named })],
  })
  const attributes = [
    ...[provider.subjectClaim, ...STATE_ATTRIBUTES, ...Object.values(STANDARD_ATTRIBUTES).flat()],
    ...[...provider.requiredClaims.map((claim) => claim.name)],
    ...provider.mappedClaims.map(({ value }) => value),
    ...(provider.groupsClaim === POSIX_GROUPS ? ['uid', 'gidNumber'] : []),
    ...(isOfEntry(provider.groupsClaim) ? [provider.groupsClaim] : []),
  ]
  const entries = await connection.search(provider.baseDn, {
    ...{ filter, attributes: [...new Set(attributes)], octets: OCTET_ATTRIBUTES, most: 2 },
  })
  const [entry, ...others] = entries
  if (entry === undefined) throw new Refused('person_unknown', { isCredential: true })
  if (others.length > 0) throw new Refused('person_ambiguous', { isCredential: true })
  return readEntry(entry)
}

/** Whether the groups are in other entries than that of the person. */
export const searchesForGroups = ({ groupsClaim }: Pick<Provider, 'groupsClaim'>): boolean =>
  groupsClaim !== '' && !isOfEntry(groupsClaim)

const isOfEntry = (groups: string) => groups !== '' && groups !== NESTED_GROUPS && groups !== POSIX_GROUPS

/** The groups of a person: names of entries, or of groups of RFC 2307, or the values of an attribute. */
export async function findGroups(
  connection: Pick<LdapConnection, 'search'>,
  { baseDn, groupsClaim }: Provider,
  person: DirectoryEntry,
): Promise<readonly string[]> {
  if (groupsClaim === '') return []
  if (isOfEntry(groupsClaim)) return person.texts(groupsClaim)
  const isNested = groupsClaim === NESTED_GROUPS
  const filter = isNested ? nestedGroups(person) : posixGroups(person)
  if (filter === undefined) return []
  const attributes = isNested ? ['1.1'] : ['cn']
  const entries = await connection.search(baseDn, { filter, attributes, most: MOST_GROUPS })
  return entries.map(readEntry).flatMap(({ dn, texts }) => (isNested ? [dn] : texts('cn')))
}

function nestedGroups({ dn }: DirectoryEntry): Filter {
  const inChain = new ExtensibleFilter({ matchType: 'member', rule: MEMBER_OF_CHAIN, value: dn })
  return new AndFilter({ filters: [equal('objectClass', 'group'), inChain] })
}

/** Undefined: the person has neither a name nor a group of RFC 2307. */
function posixGroups({ texts }: DirectoryEntry): Filter | undefined {
  const memberships = [
    ...texts('uid').map((uid) => equal('memberUid', uid)),
    ...texts('gidNumber').map((number) => equal('gidNumber', number)),
  ]
  if (memberships.length === 0) return undefined
  return new AndFilter({
    filters: [equal('objectClass', 'posixGroup'), new OrFilter({ filters: memberships })],
  })
}
