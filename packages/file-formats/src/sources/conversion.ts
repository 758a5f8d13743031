import { isDeepStrictEqual } from 'node:util'
import { isPlaceholder, PLACEHOLDER_RULE } from '@signet/protocol/placeholder'
import { type ListName, shapeOf } from '../export/lists.ts'
import { createValueCheck, type RecordProblem } from '../export/record-check.ts'
import { underValueRules } from '../export/value-rules.ts'
import { type LeftOut, printable } from './left-out.ts'

/** A file of another product. `open` reads it from its beginning each time. */
export interface SourceFile {
  readonly name: string
  open(): AsyncIterable<Buffer>
}

/** A part of an export document, in the order of its organizations. Lists of one organization may alternate. */
export type ConvertedPart =
  | { readonly kind: 'organization'; readonly header: Readonly<Record<string, unknown>> }
  | { readonly kind: 'record'; readonly list: ListName; readonly record: unknown }

/** An input that cannot be converted at all. The message names the file and the rule, never a value. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
}

export type JsonObject = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Null, empty texts, lists and objects say nothing, so leaving them out loses nothing. */
export function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true
  return typeof value === 'object' && Object.keys(value).length === 0
}

/**
 * The members of one object of a source. A converter takes each member that it maps; `leaveRest` counts all others, so no
 * member is lost without a count. A member of an unexpected type is not taken, a placeholder is counted.
 */
export class SourceMembers {
  readonly #members: Map<string, unknown>
  readonly #kind: string
  readonly #leftOut: LeftOut
  example: string

  constructor(kind: string, object: JsonObject, leftOut: LeftOut, example = '') {
    this.#members = new Map(Object.entries(object))
    this.#kind = kind
    this.#leftOut = leftOut
    this.example = example
  }

  text(name: string): string | undefined {
    return this.#take(name, (value) => typeof value === 'string' && value !== '') as string | undefined
  }

  /** The first characters of a text. Those behind them are counted. */
  shortText(name: string, mostCharacters: number): string | undefined {
    const text = this.text(name)
    if (text === undefined || text.length <= mostCharacters) return text
    this.leaveOut(`${name} after ${mostCharacters} characters`, text)
    return text.slice(0, mostCharacters)
  }

  /** A flag that is written as a text. Another text is not taken. */
  textFlag(name: string): boolean | undefined {
    const text = this.#take(name, (value) => value === 'true' || value === 'false')
    return text === undefined ? undefined : text === 'true'
  }

  flag(name: string): boolean | undefined {
    return this.#take(name, (value) => typeof value === 'boolean') as boolean | undefined
  }

  number(name: string): number | undefined {
    return this.#take(name, (value) => typeof value === 'number') as number | undefined
  }

  object(name: string): JsonObject | undefined {
    return this.#take(name, isObject) as JsonObject | undefined
  }

  /** The elements of a list that `accepts` says are usable; the others are counted. */
  list<T>(name: string, accepts: (value: unknown) => value is T): readonly T[] {
    const values = (this.#take(name, Array.isArray) ?? []) as readonly unknown[]
    return values.filter((value): value is T => {
      if (isPlaceholder(value)) this.leaveOut(`${name}[]: ${PLACEHOLDER_RULE}`)
      else if (accepts(value)) return true
      else this.leaveOut(`${name}[]`, value)
      return false
    })
  }

  texts(name: string): readonly string[] {
    return this.list(name, (value): value is string => typeof value === 'string')
  }

  objects(name: string): readonly JsonObject[] {
    return this.list(name, isObject)
  }

  /** Takes members that repeat others of the same object. */
  takeDerived(...names: readonly string[]): void {
    for (const name of names) this.#members.delete(name)
  }

  /** Takes members that have a value which a version of the source gives them by default. */
  takeDefaults(defaults: Readonly<Record<string, readonly unknown[]>>): void {
    for (const [name, values] of Object.entries(defaults))
      this.#take(name, (written) => values.some((value) => isDeepStrictEqual(value, written)))
  }

  /** Takes members of these names. */
  takeNamed(pattern: RegExp): void {
    for (const name of [...this.#members.keys()]) if (pattern.test(name)) this.#members.delete(name)
  }

  /** The members that were not taken yet; they are taken now. */
  takeRest(): readonly (readonly [string, unknown])[] {
    const rest = [...this.#members]
    this.#members.clear()
    return rest
  }

  /** Counts a value that has no counterpart; `value` is passed on where it cannot be a secret. */
  leaveOut(what: string, value?: unknown): void {
    this.#leftOut.add(`${this.#kind}.${what}`, this.example, value)
  }

  leaveRest(): void {
    for (const [name, value] of this.takeRest()) if (!isEmpty(value)) this.leaveOut(name, value)
  }

  #take(name: string, accepts: (value: unknown) => boolean): unknown {
    const value = this.#members.get(name)
    if (isPlaceholder(value)) {
      this.#members.delete(name)
      this.leaveOut(`${name}: ${PLACEHOLDER_RULE}`)
      return undefined
    }
    if (!accepts(value)) return undefined
    this.#members.delete(name)
    return value
  }
}

/** Members without which a record is still right and gives no more rights; a bad one is left out, others refuse the record. */
const SEPARABLE =
  /^((app|project)\.)?(creationDate|changeDate|displayName|group)$|^user\.(email|phone|otpCode|hashedPassword|password|profile|address)\b|^app\.(redirectUris|postLogoutRedirectUris|additionalOrigins)\[\d+\]$|^app\.(backChannelLogoutUri|homePage|initiateLoginUri|clientSecretHash|accessTokenLifetime|idTokenLifetime)$/
const MOST_REPAIRS = 50

/**
 * Brings a record into a form that the reader of documents accepts: members that break a rule are left out and counted,
 * and the whole record where it cannot do without. Undefined then.
 */
export function checkRecord(
  list: ListName,
  record: JsonObject,
  leftOut: LeftOut,
  example: string,
): JsonObject | undefined {
  const check = CHECKS.get(list) ?? createValueCheck(shapeOf(list).schema)
  CHECKS.set(list, check)
  let current = record
  let removed = ''
  for (let repairs = 0; repairs <= MOST_REPAIRS; repairs += 1) {
    const checked = check(current, JSON.stringify(current), (name) => {
      if (repairs === 0) leftOut.add(`${list}: ${name}`, example)
    })
    // The checked record has defaults and numbers of the reader, which is not what a document holds.
    if ('record' in checked) return underRules(list, current, leftOut, example)
    const [problem] = checked.problems
    if (problem === undefined) break
    // The object around a member that was removed goes with it, which is one problem.
    const repaired = withoutField(current, problem)
    if (problem.rule !== 'is required' || problem.field !== removed) {
      const told = repaired === undefined ? 'left out' : 'kept without this member'
      leftOut.add(`${list}, ${told}: ${problem.field || 'the record'}: ${problem.rule}`, example)
    }
    removed = problem.field
    if (repaired === undefined) return undefined
    current = repaired
  }
  leftOut.add(`${list}: the record has too many members that break a rule`, example)
  return undefined
}

/** The record without the values that break a rule, each counted. */
function underRules(
  list: ListName,
  given: JsonObject,
  leftOut: LeftOut,
  example: string,
): JsonObject | undefined {
  const isRecord = (rest: object) =>
    'record' in
    (CHECKS.get(list) ?? createValueCheck(shapeOf(list).schema))(rest, JSON.stringify(rest), () => undefined)
  const { record: kept, problems } = underValueRules(list, given, isRecord)
  const told = kept === undefined ? 'left out' : 'kept without this member'
  for (const { field, rule } of problems) leftOut.add(`${list}, ${told}: ${field}: ${rule}`, example)
  return kept
}

const CHECKS = new Map<ListName, ReturnType<typeof createValueCheck>>()

/**
 * Removes the member that breaks a rule; undefined when the record needs it. A missing member takes the object around
 * it.
 */
function withoutField(
  record: JsonObject,
  { field, rule }: Pick<RecordProblem, 'field' | 'rule'>,
): JsonObject | undefined {
  const path = field.split(/[.[\]]+/).filter((part) => part !== '')
  const target = rule === 'is required' ? path.slice(0, -1) : path
  if (target.length === 0 || !SEPARABLE.test(field.replace(/\.(\d+)(?=\.|$)/g, '[$1]'))) return undefined
  const copy = structuredClone(record)
  const name = target.at(-1) as string
  let parent: unknown = copy
  for (const part of target.slice(0, -1)) {
    if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, part)) return undefined
    parent = (parent as Record<string, unknown>)[part]
  }
  if (Array.isArray(parent)) parent.splice(Number(name), 1)
  else if (isObject(parent) && Object.hasOwn(parent, name)) delete (parent as Record<string, unknown>)[name]
  else return undefined
  return copy
}

/** Removes undefined members and empty objects, at every depth. */
export function compact<T extends JsonObject>(object: T): T {
  const entries = Object.entries(object).flatMap(([name, value]) => {
    const compacted = isObject(value) ? compact(value) : value
    const isNothing = compacted === undefined || (isObject(value) && isEmpty(compacted))
    return isNothing ? [] : [[name, compacted] as const]
  })
  return Object.fromEntries(entries) as T
}

/** A language tag (RFC 5646) of a locale as Java and POSIX write it: `pt_BR`. */
export const languageTag = (locale: string): string => locale.replaceAll('_', '-')

/** A value of metadata: base64 of a text as it is, of everything else as JSON. */
export function metadataValue(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64')
}

/** Throws SourceError for a name that other records and applications know the object by, and that is a placeholder. */
export function requireFilledIn(name: unknown, member: string): void {
  if (isPlaceholder(name)) throw new SourceError(`${member} "${printable(name)}" is a ${PLACEHOLDER_RULE}`)
}

/** The record as a part, without what breaks a rule; nothing when it has to be left out. */
export function* record(
  list: Extract<ConvertedPart, { kind: 'record' }>['list'],
  value: JsonObject,
  leftOut: LeftOut,
  example: string,
): Generator<ConvertedPart> {
  const checked = checkRecord(list, value, leftOut, example)
  if (checked !== undefined) yield { kind: 'record', list, record: checked }
}
