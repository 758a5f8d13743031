import { findHashProblem } from '@signet/password-hash/stored-hash'
import { isSample, SAMPLE_RULE } from '@signet/protocol/placeholder'
import { USER_IDENTIFIER } from '@signet/tokens/identifiers'
import {
  type ConvertedPart,
  checkRecord,
  compact,
  isObject,
  type JsonObject,
  metadataValue,
  record,
  SourceError,
  type SourceFile,
  type SourceMembers,
} from './conversion.ts'
import { readJsonList } from './json-input.ts'
import type { LeftOut } from './left-out.ts'
import { stableId } from './stable-id.ts'

/** The options of a source that holds people and no organization of its own. */
export interface PeopleOptions {
  readonly organizationId?: string | undefined
  readonly organizationName?: string | undefined
}

/** A person of a source, without undefined and empty members of the records that it becomes. */
export interface Person {
  /** The id at the source; one that is missing, or that ids here do not allow, becomes a stable one. */
  readonly id: string | undefined
  readonly user: JsonObject
  /** Undefined where the source says nothing. */
  readonly isActive?: boolean | undefined
  readonly creationDate?: string | undefined
  readonly metadata?: readonly (readonly [key: string, value: unknown])[]
  readonly roleKeys?: readonly string[]
  readonly links?: readonly JsonObject[]
}

/** The organization of a source that holds people only. Its roles stand in one project. */
export class PeopleTarget {
  readonly organizationId: string
  readonly #source: string
  readonly #name: string | undefined
  readonly #leftOut: LeftOut
  readonly #roles = new Set<string>()
  #hasProject = false
  #seen = 0
  #converted = 0

  /** Throws SourceError without the id of an organization. */
  constructor(source: string, { organizationId, organizationName }: PeopleOptions, leftOut: LeftOut) {
    if (organizationId === undefined) {
      throw new SourceError(`an export of ${source} needs the id of the organization: --organization`)
    }
    this.organizationId = organizationId
    this.#source = source.toLowerCase()
    this.#name = organizationName
    this.#leftOut = leftOut
  }

  header(): ConvertedPart {
    const org = { name: this.#name }
    return { kind: 'organization', header: compact({ orgId: this.organizationId, org }) }
  }

  /** The id that a person has here. */
  idOf(id: string | undefined, name: string): string {
    const own = id ?? name
    if (id !== undefined && USER_IDENTIFIER.test(id)) return id
    return own === '' ? '' : stableId(this.#source, this.organizationId, 'user', own)
  }

  /** The account, metadata, grant and links of a person. `example` names the person in the list of what is left out. */
  *records({ id, user, isActive, ...more }: Person, example: string): Generator<ConvertedPart> {
    this.#seen += 1
    const userId = this.idOf(id, example)
    const state = isActive === undefined ? undefined : `USER_STATE_${isActive ? 'ACTIVE' : 'INACTIVE'}`
    const converted = compact({ userId, user, state, creationDate: more.creationDate })
    const checked = checkRecord('humanUsers', converted, this.#leftOut, example)
    if (checked === undefined) return
    this.#converted += 1
    yield { kind: 'record', list: 'humanUsers', record: checked }
    const old = id !== undefined && id !== userId ? [[`${this.#source}.id`, id] as const] : []
    const metadata = new Map<string, unknown>([...(more.metadata ?? []), ...old])
    for (const [key, value] of metadata) {
      yield* record('userMetadata', { id: userId, key, value: metadataValue(value) }, this.#leftOut, example)
    }
    const roleKeys = [...new Set(more.roleKeys)]
    if (roleKeys.length > 0) yield* this.grant(userId, roleKeys, example)
    for (const link of more.links ?? []) {
      yield* record('userLinks', compact({ userId, ...link }), this.#leftOut, example)
    }
  }

  /** The roles of a person, in the project of the source. */
  *grant(userId: string, roleKeys: readonly string[], example: string): Generator<ConvertedPart> {
    for (const part of record(
      'userGrants',
      { userId, projectId: this.projectId, roleKeys },
      this.#leftOut,
      example,
    )) {
      for (const role of roleKeys) this.#roles.add(role)
      yield part
    }
  }

  /** The project and its roles. Throws SourceError when people were there and none could be read. */
  *end(): Generator<ConvertedPart> {
    if (this.#seen > 0 && this.#converted === 0) {
      throw new SourceError(`none of the ${this.#seen} people in these files could be read`)
    }
    if (this.#roles.size === 0 && !this.#hasProject) return
    const project = { projectId: this.projectId, project: {}, initial: { name: this.#source } }
    yield { kind: 'record', list: 'projects', record: project }
    for (const roleKey of this.#roles) {
      yield* record('projectRoles', { projectId: this.projectId, roleKey }, this.#leftOut, roleKey)
    }
  }

  /** The project of applications; it is made also without roles. */
  useProject(): string {
    this.#hasProject = true
    return this.projectId
  }

  get projectId(): string {
    return `${this.organizationId}-${this.#source}`
  }
}

/** The members of a user with a password hash; none for a hash that cannot be verified here, which is counted. */
export function hashMembers(members: SourceMembers, hash: string | undefined): JsonObject {
  if (hash === undefined) return {}
  const problem = findHashProblem(hash)
  if (problem === undefined) return { hashedPassword: { value: hash } }
  members.leaveOut(`password: ${problem}`)
  return {}
}

/** The members of a user with a password in clear text; none for a sample, which is counted. */
export function clearPasswordMembers(members: SourceMembers, password: string): JsonObject {
  if (!isSample(password)) return { password }
  members.leaveOut(`password: ${SAMPLE_RULE}`)
  return {}
}

/** The time of Unix milliseconds; undefined for a number that is no time. */
export function momentOf(milliseconds: string | number | undefined): string | undefined {
  const date = new Date(Number(milliseconds))
  return milliseconds === undefined || Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

/** A source whose files hold one list of people as JSON. */
export interface PeopleSource {
  readonly name: string
  /** The name of the list, where it is a member of an object. */
  readonly list: string
}

/** Converts each object of the lists in all files. Throws SourceError for files of another form. */
export async function* convertPeople(
  files: readonly SourceFile[],
  { name, list }: PeopleSource,
  { options, leftOut }: { readonly options: PeopleOptions; readonly leftOut: LeftOut },
  convert: (person: JsonObject, target: PeopleTarget) => Iterable<ConvertedPart>,
): AsyncGenerator<ConvertedPart> {
  const target = new PeopleTarget(name, options, leftOut)
  yield target.header()
  for (const file of files) {
    for await (const person of readJsonList(file, list)) {
      if (isObject(person)) yield* convert(person, target)
      else leftOut.add(`${list}[] that are no objects`, file.name)
    }
  }
  yield* target.end()
}
