import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SourceError } from './conversion.ts'
import { convertAll, sourceFile } from './conversion-fixture.ts'
import { convertKeycloak } from './keycloak.ts'
import {
  ATTRIBUTES,
  CLIENT,
  credentialOf,
  GROUP,
  type Member,
  REALM,
  ROLE,
  SERVICE_ACCOUNT,
  USER,
  USER_ATTRIBUTES,
  VERSIONS,
} from './keycloak-members-fixture.ts'

/*
 * Realm files as versions 4 to 26 of Keycloak write them. Each member is missing, has a default value, another one, or one
 * of an odd type, very long, unknown, repeated or among odd elements. A member that is lost in silence is one that the conversion has the same result and the same list without.
 */

/** Values that no version writes in these places, beside those of the version. `empty` and `null` say nothing. */
const CHOICES = [
  ...(['missing', 'default', 'other', 'null', 'empty'] as const),
  ...(['number', 'text', 'list', 'object', 'long', 'mixed', 'twice'] as const),
]
type Choice = (typeof CHOICES)[number]

/** Another one for each place, because a role that a person has twice is one role. */
const longText = (place: string) => `${place} ${'long '.repeat(800)}.`
const ODD_ELEMENTS = [7, { odd: true }, ['nested'], false]

/** The value of a choice; `lesser` is a value that says less, and that the result or the list has to tell apart. */
function chosenValue(
  choice: Choice,
  place: string,
  [name, value, other]: Member,
): { value: unknown; lesser?: unknown } | undefined {
  const isList = Array.isArray(other)
  const long = longText(`${place} ${name}`)
  switch (choice) {
    case 'missing':
      return undefined
    case 'default':
      return { value }
    case 'null':
      return { value: null }
    case 'empty':
      return { value: isList ? [] : isRecord(other) ? {} : '' }
    case 'number':
      return { value: 7_000_001 }
    case 'text':
      return { value: 'NO_SUCH_VALUE' }
    case 'list':
      return { value: [7] }
    case 'object':
      return { value: { unexpected: [7] } }
    case 'long':
      return { value: isList ? [long] : long, lesser: isList ? [long.slice(0, -1)] : long.slice(0, -1) }
    case 'mixed':
      return isList ? { value: [...other, ...ODD_ELEMENTS], lesser: other } : { value: other }
    case 'twice':
      return { value: isList ? [...other, ...other] : other }
    case 'other':
      return { value: other }
  }
}
const isRecord = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
const SAYS_NOTHING: readonly Choice[] = ['default', 'null', 'empty']

type Path = readonly (string | number)[]
/** A member that says something, and a value of it that says less. */
interface Said {
  readonly path: Path
  readonly choice: Choice
  readonly lesser?: unknown
}

const choices = (members: readonly Member[]) =>
  fc.tuple(...members.map(() => fc.constantFrom<Choice>(...CHOICES)))

const RECORDS = { REALM, CLIENT, ATTRIBUTES, USER, USER_ATTRIBUTES, SERVICE_ACCOUNT, GROUP, ROLE }
const PLACES: Readonly<Record<keyof typeof RECORDS, Path>> = {
  REALM: [],
  CLIENT: ['clients', 0],
  ATTRIBUTES: ['clients', 0, 'attributes'],
  USER: ['users', 0],
  USER_ATTRIBUTES: ['users', 0, 'attributes'],
  SERVICE_ACCOUNT: ['users', 1],
  GROUP: ['groups', 0],
  ROLE: ['roles', 'realm', 0],
}
const NAMES = Object.keys(RECORDS) as readonly (keyof typeof RECORDS)[]

/** The file of a version, and its members that say something. */
function fileOf(version: number, chosen: readonly (readonly Choice[])[]) {
  const said: Said[] = []
  const membersOf = (name: keyof typeof RECORDS) =>
    Object.fromEntries(
      RECORDS[name].flatMap((member, at) => {
        const [memberName, , , from = 0, to = 99] = member
        const choice = chosen[NAMES.indexOf(name)]?.[at] ?? 'missing'
        const made = chosenValue(choice, name, member)
        if (made === undefined || version < from || version > to) return []
        if (!SAYS_NOTHING.includes(choice)) {
          const lesser = 'lesser' in made ? { lesser: made.lesser } : {}
          said.push({ path: [...PLACES[name], memberName], choice, ...lesser })
        }
        return [[memberName, made.value]]
      }),
    )
  const mapper = { name: 'tenant', protocolMapper: 'script-tenant.js', config: {} }
  const service = {
    serviceAccountsEnabled: true,
    standardFlowEnabled: false,
    secret: 'Zb8nRd6Yk3J9vQpX2mT7sLw4',
  }
  const realm = {
    ...membersOf('REALM'),
    ...{ id: 'acme', realm: 'acme', failureFactor: 3, keycloakVersion: `${version}.0.0` },
    ...(version >= 13 && { defaultRole: { name: 'default-roles-acme', composite: true } }),
    roles: { realm: [{ id: 'r1', name: 'reader', ...membersOf('ROLE') }, { name: 'writer' }], client: {} },
    groups: [{ id: 'g1', name: 'staff', path: '/staff', subGroups: [], ...membersOf('GROUP') }],
    clientScopes: [{ name: 'tenant', protocol: 'openid-connect', protocolMappers: [mapper] }],
    clients: [
      { ...membersOf('CLIENT'), id: 'c1', clientId: 'portal', attributes: membersOf('ATTRIBUTES') },
      { id: 'c2', clientId: 'nightly', ...service },
    ],
    users: [
      {
        id: 'u1',
        username: 'ann',
        credentials: [credentialOf(version)],
        attributes: membersOf('USER_ATTRIBUTES'),
        ...membersOf('USER'),
      },
      {
        id: 'u2',
        username: 'service-account-nightly',
        serviceAccountClientId: 'nightly',
        ...membersOf('SERVICE_ACCOUNT'),
      },
    ],
  }
  return { realm, said }
}

/** The file with another value in a place; undefined takes the member away. */
function withValue(realm: object, path: Path, value: unknown): object {
  const copy = structuredClone(realm) as Record<string, unknown>
  let parent: Record<string | number, unknown> = copy
  for (const part of path.slice(0, -1)) parent = parent[part] as Record<string | number, unknown>
  const name = path.at(-1) as string
  if (value === undefined) delete parent[name]
  else parent[name] = value
  return copy
}

/** The result and the list as texts, or the refusal of the file. */
async function resultOf(realm: object) {
  try {
    const { parts, values } = await convertAll(convertKeycloak, [sourceFile(realm)], {})
    return { text: JSON.stringify({ parts, values }), told: values.map((value) => JSON.stringify(value)) }
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    return { text: error.message, told: [error.message] }
  }
}

/** Whether a list has an entry more often than another one. */
function hasMore(told: readonly string[], others: readonly string[]): boolean {
  const rest = [...others]
  return told.some((entry) => {
    const at = rest.indexOf(entry)
    if (at >= 0) rest.splice(at, 1)
    return at < 0
  })
}

/** Whether neither the result nor the list tells a member from its absence, or from a value that says less. */
async function isLost(realm: object, { path, ...said }: Said): Promise<boolean> {
  const whole = await resultOf(realm)
  const absent = await resultOf(withValue(realm, path, undefined))
  if (absent.text === whole.text) return true
  if (!('lesser' in said) || hasMore(whole.told, absent.told)) return false
  return (await resultOf(withValue(realm, path, said.lesser))).text === whole.text
}

/** Members that Keycloak itself does not look at, because of others. */
function isInert(path: string, clients: readonly Readonly<Record<string, unknown>>[]): boolean {
  const [client = {}] = clients
  if (path === 'clients.0.attributes.pkce.code.challenge.method') return client.standardFlowEnabled === false
  return client.publicClient === true && /^clients\.0\.(secret|clientAuthenticatorType)$/.test(path)
}

/** Each run looks at some of the members of a file. */
const CHECKED = 6
/** About two seconds of CPU, or many minutes. */
const RUNS = process.env.SIGNET_TEST_SIZE === 'soak' ? 20_000 : 80

describe('a realm file of any version', () => {
  it('has each member that says something in the result or in the list', async () => {
    const chosen = fc.tuple(...NAMES.map((name) => choices(RECORDS[name])))
    const places = fc.array(fc.nat(10_000), { minLength: CHECKED, maxLength: CHECKED })
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...VERSIONS), chosen, places, async (version, all, numbers) => {
        const { realm, said } = fileOf(version, all)
        const checked = numbers.flatMap((number) => said[number % said.length] ?? [])
        const lost: string[] = []
        for (const one of new Set(checked)) {
          const path = one.path.join('.')
          if (!isInert(path, realm.clients) && (await isLost(realm, one))) lost.push(`${one.choice} ${path}`)
        }
        expect(lost, `version ${version}`).toEqual([])
      }),
      { numRuns: RUNS },
    )
  }, 3_600_000)

  it('counts no default value of its version, and keeps each password', async () => {
    for (const version of VERSIONS) {
      const all = NAMES.map((name) => RECORDS[name].map((): Choice => 'default'))
      const { realm } = fileOf(version, all)
      const { records, kinds } = await convertAll(convertKeycloak, [sourceFile(realm)], {})
      expect(records('humanUsers')).toMatchObject([
        { user: { hashedPassword: { value: expect.any(String) } } },
      ])
      expect(Object.keys(kinds)).toEqual(['realm.roles in realm_access and resource_access of tokens'])
    }
  })
})
