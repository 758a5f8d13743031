import {
  type ConvertedPart,
  type JsonObject,
  SourceError,
  type SourceFile,
  SourceMembers,
} from './conversion.ts'
import type { LeftOut } from './left-out.ts'
import { clearPasswordMembers, hashMembers, type PeopleOptions, PeopleTarget } from './person.ts'

/** An entry: the values of each attribute, in lower case, without the options of an attribute such as `;binary`. */
type Entry = ReadonlyMap<string, readonly Buffer[]>

const MOST_LINE_CHARACTERS = 1_572_864

/**
 * Converts entries of an LDAP directory (RFC 2849): people, and the groups whose members they are, which become roles. Reads
 * OpenLDAP, 389 Directory Server and Active Directory. Throws SourceError with the line for a file of another form.
 */
export async function* convertLdif(
  files: readonly SourceFile[],
  options: PeopleOptions,
  leftOut: LeftOut,
): AsyncGenerator<ConvertedPart> {
  const target = new PeopleTarget('LDIF', options, leftOut)
  const conversion: Conversion = { target, people: new Map(), leftOut }
  const groups: Group[] = []
  yield target.header()
  for (const file of files) {
    for await (const entry of readEntries(file)) {
      const kinds = textsOf(entry, 'objectclass').map((kind) => kind.toLowerCase())
      if (kinds.some((kind) => GROUPS.includes(kind))) groups.push(groupOf(entry))
      else if (kinds.some((kind) => PEOPLE.includes(kind)) && !kinds.includes('computer'))
        yield* convertPerson(entry, conversion)
      else leftOut.add(`entries of ${kinds.at(-1) ?? 'no class'}`, textOf(entry, 'dn') ?? '')
    }
  }
  // A group can stand before its members.
  yield* grantsOf(groups, conversion)
  yield* target.end()
}

interface Group {
  /** The distinguished name in lower case. */
  readonly id: string
  readonly name: string
  /** Distinguished names in lower case. */
  readonly members: readonly string[]
}

function groupOf(entry: Entry): Group {
  const members = ['member', 'uniquemember'].flatMap((attribute) => textsOf(entry, attribute))
  const id = textOf(entry, 'dn') ?? ''
  return {
    id: id.toLowerCase(),
    name: textOf(entry, 'cn') ?? id,
    members: members.map((member) => member.toLowerCase()),
  }
}

const PEOPLE = ['person', 'inetorgperson', 'organizationalperson', 'user', 'posixaccount']
const GROUPS = ['groupofnames', 'groupofuniquenames', 'group']

/** Attributes that the directory server keeps for itself. */
const OPERATIONAL = [
  ...[
    'dn',
    'objectclass',
    'structuralobjectclass',
    'entrycsn',
    'creatorsname',
    'modifiersname',
    'modifytimestamp',
  ],
  ...[
    'entrydn',
    'subschemasubentry',
    'hassubordinates',
    'distinguishedname',
    'instancetype',
    'usncreated',
    'usnchanged',
  ],
  ...[
    'whenchanged',
    'objectcategory',
    'dscorepropagationdata',
    'samaccounttype',
    'primarygroupid',
    'objectsid',
    'name',
  ],
  ...[
    'lastlogon',
    'lastlogontimestamp',
    'lastlogoff',
    'logoncount',
    'badpwdcount',
    'badpasswordtime',
    'pwdlastset',
  ],
  ...['codepage', 'countrycode', 'uidnumber', 'gidnumber', 'homedirectory', 'loginshell', 'gecos'],
] as const

/** Attributes with secrets or bytes. */
const NO_METADATA = /passw|pwd|hash|key|secret|photo|certificate|credential|pkcs/

interface Conversion {
  readonly target: PeopleTarget
  /** The ids of people by their distinguished names in lower case. */
  readonly people: Map<string, string>
  readonly leftOut: LeftOut
}

function* convertPerson(entry: Entry, { target, people, leftOut }: Conversion): Generator<ConvertedPart> {
  const name = textOf(entry, 'dn') ?? ''
  const shown = Object.fromEntries(
    [...entry].map(([attribute, values]) => [attribute, values.map((value) => value.toString()).join(', ')]),
  )
  const members = new SourceMembers('entries of people', shown, leftOut, name)
  const take = (...attributes: readonly string[]) => {
    const texts = attributes.flatMap((attribute) => textsOf(entry, attribute))
    members.takeDerived(...attributes)
    for (const _ of texts.slice(1)) members.leaveOut(`${attributes.join(' or ')}, a further value`)
    return texts[0]
  }
  const guid = entry.get('objectguid')?.[0]
  const id = take('entryuuid', 'nsuniqueid', 'ipauniqueid') ?? (guid && guidOf(guid))
  const phone = take('mobile', 'telephonenumber')
  const email = take('mail')
  const control = Number(take('useraccountcontrol') ?? 0)
  const locked =
    take('nsaccountlock')?.toLowerCase() === 'true' || take('pwdaccountlockedtime') === LOCKED_FOR_GOOD
  if (!NEVER.includes(take('accountexpires') ?? '0')) members.leaveOut('accountexpires')
  const userName = take('uid', 'samaccountname', 'userprincipalname')
  const user: JsonObject = {
    userName,
    profile: {
      firstName: take('givenname'),
      lastName: take('sn'),
      displayName: take('displayname') ?? take('cn'),
      preferredLanguage: take('preferredlanguage'),
    },
    email: email === undefined ? undefined : { email },
    phone: phone?.startsWith('+') ? { phone: phone.replace(/[ ()-]/g, '') } : undefined,
    address: {
      streetAddress: take('street', 'streetaddress'),
      locality: take('l'),
      region: take('st'),
      postalCode: take('postalcode'),
      country: take('c', 'co'),
    },
    ...passwordOf(members, take('userpassword')),
  }
  if (phone !== undefined && !phone.startsWith('+')) members.leaveOut('telephonenumber without a country')
  members.takeDerived('objectguid', 'memberof', ...OPERATIONAL)
  const creationDate = momentOf(take('createtimestamp', 'whencreated'))
  members.takeDerived('cn')
  const metadata = members.takeRest().filter(([attribute]) => {
    const isKept = !NO_METADATA.test(attribute)
    if (!isKept) members.leaveOut(attribute)
    return isKept
  })
  const example = userName ?? email ?? name
  // The flag ACCOUNTDISABLE of Active Directory.
  const isActive = (control & 2) === 0 && !locked
  people.set(name.toLowerCase(), target.idOf(id, example))
  yield* target.records({ id, user, isActive, creationDate, metadata }, example)
}

/** The time with which a password policy of OpenLDAP locks an account until an administrator unlocks it. */
const LOCKED_FOR_GOOD = '000001010000Z'
/** Ends of accounts of Active Directory that have none. */
const NEVER: readonly string[] = ['0', '9223372036854775807']

/** `{SSHA}…` and other hashes; a text without a scheme is a password. */
function passwordOf(members: SourceMembers, value: string | undefined): JsonObject {
  if (value === undefined) return {}
  return /^(\{[\w.-]+\}|\$)/.test(value) ? hashMembers(members, value) : clearPasswordMembers(members, value)
}

function* grantsOf(
  groups: readonly Group[],
  { target, people, leftOut }: Conversion,
): Generator<ConvertedPart> {
  const rolesOf = new Map<string, string[]>()
  const idsOf = new Map<string, Set<string>>()
  for (const { id, name } of groups) idsOf.set(name, (idsOf.get(name) ?? new Set()).add(id))
  for (const { id, name, members } of groups) {
    // Groups of one name in several branches are not one role, which would give its members the rights of the other's.
    const role = idsOf.get(name)?.size === 1 ? name : id
    for (const member of members) {
      const userId = people.get(member)
      if (userId === undefined) leftOut.add('members of groups that are no people here', member)
      else rolesOf.set(userId, [...(rolesOf.get(userId) ?? []), role])
    }
  }
  for (const [userId, roles] of rolesOf) yield* target.grant(userId, roles, userId)
}

const textsOf = (entry: Entry, attribute: string) =>
  (entry.get(attribute) ?? []).map((value) => value.toString())
const textOf = (entry: Entry, attribute: string) => textsOf(entry, attribute)[0]

/** The text of an objectGUID, whose first three groups are little-endian. */
function guidOf(bytes: Buffer): string | undefined {
  if (bytes.length !== 16) return undefined
  const order = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15]
  const hex = Buffer.from(order.map((at) => bytes[at] ?? 0)).toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** A time such as `20300131120000Z`. */
function momentOf(time: string | undefined): string | undefined {
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.\d+)?Z$/.exec(time ?? '')
  return parts === null
    ? undefined
    : `${parts[1]}-${parts[2]}-${parts[3]}T${parts[4]}:${parts[5]}:${parts[6]}Z`
}

/** The entries of a file. A line that begins with a space continues the one before. */
async function* readEntries(file: SourceFile): AsyncGenerator<Entry> {
  let entry = new Map<string, Buffer[]>()
  let number = 0
  for await (const { line, at } of unfoldedLines(file)) {
    number = at
    if (line === '') {
      if (entry.has('dn')) yield entry
      entry = new Map()
      continue
    }
    if (line.startsWith('#') || line.startsWith('version:')) continue
    const [, attribute = '', mark = ''] = /^([A-Za-z0-9.-]+)(?:;[\w-]+)*:([:<]?)/.exec(line) ?? []
    if (attribute === '' || (entry.size === 0 && attribute.toLowerCase() !== 'dn')) {
      throw new SourceError(`${file.name}: line ${number} is not LDIF: an entry begins with "dn:"`)
    }
    const text = line.slice(line.indexOf(':') + 1 + mark.length).trimStart()
    // A value of another file or address is not read.
    if (mark === '<') continue
    const value = mark === ':' ? Buffer.from(text, 'base64') : Buffer.from(text, 'latin1')
    const name = attribute.toLowerCase()
    // A group has as many values as members.
    const values = entry.get(name)
    if (values === undefined) entry.set(name, [value])
    else values.push(value)
  }
  if (entry.has('dn')) yield entry
}

async function* unfoldedLines(file: SourceFile) {
  let open: { line: string; at: number } | undefined
  let at = 0
  for await (const line of linesOf(file)) {
    at += 1
    if (line.startsWith(' ') && open !== undefined) {
      open.line += line.slice(1)
      if (open.line.length > MOST_LINE_CHARACTERS)
        throw new SourceError(`${file.name}: line ${open.at} is larger than 1.5 MiB`)
      continue
    }
    if (open !== undefined) yield open
    open = { line, at }
  }
  if (open !== undefined) yield open
}

/** Lines as bytes in latin1: a character of UTF-8 may be folded in its middle. */
async function* linesOf(file: SourceFile): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of file.open()) {
    const lines = (rest + chunk.toString('latin1')).split(/\r?\n/)
    rest = lines.pop() ?? ''
    if (rest.length > MOST_LINE_CHARACTERS)
      throw new SourceError(`${file.name}: a line is larger than 1.5 MiB`)
    yield* lines
  }
  if (rest !== '') yield rest
}
