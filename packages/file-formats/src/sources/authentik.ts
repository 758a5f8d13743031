import { isPlaceholder } from '@signet/protocol/placeholder'
import { Blueprint, type BlueprintEntry, readBlueprint } from './authentik-blueprint.ts'
import { convertProvider } from './authentik-clients.ts'
import {
  type ConvertedPart,
  isObject,
  languageTag,
  SourceError,
  type SourceFile,
  SourceMembers,
} from './conversion.ts'
import { readJsonLines } from './json-input.ts'
import type { LeftOut } from './left-out.ts'
import { clearPasswordMembers, hashMembers, type PeopleOptions, PeopleTarget } from './person.ts'

const USER = 'authentik_core.user'
const GROUP = 'authentik_core.group'
export const PROVIDER = 'authentik_providers_oauth2.oauth2provider'
export const APPLICATION = 'authentik_core.application'

/** The models whose objects are converted. Those behind them say what others of these are. */
const CONVERTED = new Set([USER, GROUP, PROVIDER, APPLICATION, 'authentik_providers_oauth2.scopemapping'])
const SETTINGS_OF_FILE = 'authentik_blueprints.metaapplyblueprint'

/** The spelling of hashes by Django; a password of a handwritten blueprint is in clear text. */
const DJANGO_HASH = /^[a-z0-9_]+\$.*\$/
const UNUSABLE = /^!/

export interface AuthentikOptions extends PeopleOptions {
  /** Public clients may go on without PKCE. */
  readonly pkceOptional?: boolean | undefined
}

/** A row of the table `authentik_core_user`. */
interface UserRow {
  readonly uuid?: unknown
  readonly password?: unknown
}

/**
 * Converts blueprints of Authentik (`ak export_blueprint`, or by hand): users, groups as roles, and OAuth2 providers with their
 * applications. A blueprint has no password hashes: files whose names begin with `passwords` hold rows of the table
 * `authentik_core_user`. Throws SourceError for files that are none of these.
 */
export async function* convertAuthentik(
  files: readonly SourceFile[],
  { pkceOptional = false, ...options }: AuthentikOptions,
  leftOut: LeftOut,
): AsyncGenerator<ConvertedPart> {
  const target = new PeopleTarget('Authentik', options, leftOut)
  const rows = new Map<string, UserRow>()
  const entries: BlueprintEntry[] = []
  for (const file of files) {
    if (/^passwords/i.test(file.name)) await readRows(file, rows, leftOut)
    else entries.push(...(await readBlueprint(file)))
  }
  const blueprint = new Blueprint(entries)
  yield target.header()
  const hasUuids = [...rows.values()].some(({ uuid }) => typeof uuid === 'string')
  const context = { blueprint, target, leftOut, pkceOptional, hasUuids }
  for (const entry of blueprint.of(PROVIDER)) yield* convertProvider(entry, context)
  const groups = new Groups(blueprint, leftOut)
  for (const entry of blueprint.of(USER)) yield* convertUser(entry, { groups, rows, target, leftOut })
  yield* target.end()
  for (const entry of blueprint.of(APPLICATION)) nameOtherApplication(entry, blueprint, leftOut)
  for (const name of rows.keys()) leftOut.add('password hashes of users that are in no file', name)
  for (const entry of entries) {
    if (entry.isAbsent) leftOut.add('entries that the blueprint deletes', exampleOf(entry))
    else if (entry.isConditional) leftOut.add('entries[].conditions', exampleOf(entry))
    if (!CONVERTED.has(entry.model) && entry.model !== SETTINGS_OF_FILE)
      leftOut.add(`entries of ${entry.model}`, exampleOf(entry))
  }
}

async function readRows(file: SourceFile, rows: Map<string, UserRow>, leftOut: LeftOut): Promise<void> {
  let count = 0
  for await (const row of readJsonLines(file)) {
    count += 1
    if (isObject(row) && typeof row.username === 'string') rows.set(row.username, row)
    else leftOut.add('rows of users without username', file.name)
  }
  if (count > 0 && rows.size === 0)
    throw new SourceError(`${file.name}: none of its ${count} rows has a username`)
}

function exampleOf({ members, id }: BlueprintEntry): string {
  const name = members.name ?? members.username ?? members.slug ?? members.pk ?? id
  return isPlaceholder(name) || name === undefined ? '' : String(name)
}

/** An application of another provider, such as SAML, LDAP or a proxy. */
function nameOtherApplication(entry: BlueprintEntry, blueprint: Blueprint, leftOut: LeftOut): void {
  if (blueprint.find(PROVIDER, entry.members.provider) === undefined)
    leftOut.add('clients[] of protocol other than OAuth 2.0', exampleOf(entry))
}

/** The groups of a blueprint by their entries, and the names of those around each. */
class Groups {
  readonly #blueprint: Blueprint
  readonly #members = new Map<BlueprintEntry, Set<BlueprintEntry>>()

  constructor(blueprint: Blueprint, leftOut: LeftOut) {
    this.#blueprint = blueprint
    for (const entry of blueprint.of(GROUP)) {
      const members = new SourceMembers('groups[]', entry.members, leftOut, exampleOf(entry))
      for (const user of listOf(entry.members.users)) {
        const found = blueprint.find(USER, user)
        if (found === undefined) members.leaveOut('users[] that are in no file')
        else this.#members.set(found, (this.#members.get(found) ?? new Set()).add(entry))
      }
      if (members.flag('is_superuser') === true) members.leaveOut('is_superuser')
      members.takeDerived('name', 'pk', 'parent', 'parents', 'users', 'num_pk')
      members.leaveRest()
    }
  }

  /** The names of the groups of a user, and of all groups around them. */
  namesOf(user: BlueprintEntry, members: SourceMembers): readonly string[] {
    const names = new Set<string>()
    const open: (readonly [entry: BlueprintEntry | undefined, value: unknown])[] = [
      ...listOf(user.members.groups).map((value) => [this.#blueprint.find(GROUP, value), value] as const),
      ...[...(this.#members.get(user) ?? [])].map((entry) => [entry, undefined] as const),
    ]
    for (const [entry, value] of open) {
      const name = entry?.members.name ?? this.#blueprint.nameOf(GROUP, value)
      if (typeof name !== 'string' || isPlaceholder(name)) members.leaveOut('groups[] that are in no file')
      else if (!names.has(name)) {
        names.add(name)
        const around = [entry?.members.parent, ...listOf(entry?.members.parents)]
        for (const parent of around)
          if (parent !== undefined && parent !== null)
            open.push([this.#blueprint.find(GROUP, parent), parent])
      }
    }
    return [...names]
  }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

interface UserContext {
  readonly groups: Groups
  readonly rows: Map<string, UserRow>
  readonly target: PeopleTarget
  readonly leftOut: LeftOut
}

function* convertUser(
  entry: BlueprintEntry,
  { groups, rows, target, leftOut }: UserContext,
): Generator<ConvertedPart> {
  const members = new SourceMembers('users[]', entry.members, leftOut, exampleOf(entry))
  const userName = members.text('username')
  const row = rows.get(userName ?? '')
  rows.delete(userName ?? '')
  const type = members.text('type') ?? 'internal'
  if (type.includes('service_account'))
    return void leftOut.add('users[] that are service accounts', userName ?? '')
  const roleKeys = groups.namesOf(entry, members)
  const attributes = new SourceMembers(
    'users[].attributes',
    members.object('attributes') ?? {},
    leftOut,
    userName,
  )
  const settings = attributes.object('settings') ?? {}
  const { locale, ...otherSettings } = settings
  for (const [name, value] of Object.entries(otherSettings)) attributes.leaveOut(`settings.${name}`, value)
  const email = members.text('email')
  const user = {
    userName,
    profile: {
      displayName: members.text('name'),
      preferredLanguage: typeof locale === 'string' && locale !== '' ? languageTag(locale) : undefined,
    },
    email: email === undefined ? undefined : { email },
    ...passwordOf(members, typeof row?.password === 'string' ? row.password : undefined),
  }
  const id = members.text('uuid') ?? (typeof row?.uuid === 'string' ? row.uuid : undefined)
  const isActive = members.flag('is_active') ?? true
  const creationDate = members.text('date_joined')
  members.takeDerived('pk', 'groups', 'last_login', 'uid', 'path', 'last_updated', 'password_change_date')
  const metadata = attributes.takeRest()
  members.leaveRest()
  yield* target.records({ id, user, isActive, creationDate, metadata, roleKeys }, userName ?? '')
}

function passwordOf(members: SourceMembers, ofRow: string | undefined) {
  const stored = ofRow ?? members.text('password_hash')
  const password = stored ?? members.text('password')
  members.takeDerived('password', 'password_hash')
  if (password === undefined || password === '' || UNUSABLE.test(password)) return {}
  // A hash in a form that is not read would be a password that each reader of the table knows.
  if (stored === undefined && !DJANGO_HASH.test(password)) return clearPasswordMembers(members, password)
  // Django names an Argon2 hash twice.
  return hashMembers(members, password.replace(/^argon2\$(?=argon2)/, '$').replace(/^bcrypt\$\$/, '$'))
}
