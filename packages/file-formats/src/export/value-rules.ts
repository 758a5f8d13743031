/*
 * The rules for single values of records: those of the management API and the bootstrap file for the same members, and for
 * every member that a placeholder of a deployment is no value. A value that breaks one is left out, and the record is kept
 * without it. A record that cannot do without the value is refused.
 */
import { exportedName, type Fields } from '@signet/protocol/fields/field'
import { ORG_MEMBERS } from '@signet/protocol/fields/organization'
import { ADDRESS_FIELDS, PROFILE_FIELDS } from '@signet/protocol/fields/person'
import { PROJECT_FIELDS } from '@signet/protocol/fields/project'
import { ROLE_FIELDS } from '@signet/protocol/fields/role'
import { LABEL_COLOURS } from '@signet/protocol/label-colours'
import {
  COLOUR,
  DOMAIN_NAME,
  EMAIL_ADDRESS,
  KIND_RULES,
  NAME,
  PHONE_NUMBER,
  POLICY_LINK,
  privacyRule,
  type ValueRule,
} from '@signet/protocol/member-values'
import {
  isPlaceholder,
  PLACEHOLDER_RULE,
  placeholderPaths,
  type ValuePath,
  withoutVariables,
} from '@signet/protocol/placeholder'
import { PRIVACY_MEMBERS } from '@signet/protocol/privacy-links'
import { KEY, KEY_RULE } from '@signet/tokens/identifiers'
import { type ListName, shapeOf } from './lists.ts'
import { organizationHeader } from './organization-header.ts'
import { type FieldProblem, fieldAt } from './record-check.ts'

export type RecordKind = ListName | 'organization'

interface MemberRule extends ValueRule {
  /** An empty text takes the value away. */
  readonly mayBeEmpty?: true
}

/** Rules by path of the member; `[]` stands for each element of a list. */
type Rules = Readonly<Record<string, MemberRule>>

const orNone = (rule: ValueRule): MemberRule => ({ ...rule, mayBeEmpty: true })

const inside = (path: string, rules: Rules): Rules =>
  Object.fromEntries(Object.entries(rules).map(([name, rule]) => [`${path}.${name}`, orNone(rule)]))

const every = (names: readonly string[], rule: ValueRule): Rules =>
  Object.fromEntries(names.map((name) => [name, rule]))

/** The rules of the fields of an entity that have one. */
function fieldRules(fields: Fields, path = ''): Rules {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => {
      const rule = KIND_RULES[field.kind]
      const under = rule && field.optional ? orNone(rule) : rule
      return under === undefined ? [] : [[`${path}${exportedName(name, field)}`, under]]
    }),
  )
}

const key: ValueRule = {
  prepare: (text) => text,
  problem: (text) => (KEY.test(text) ? undefined : KEY_RULE),
}

const VALUE_RULES: { readonly [K in RecordKind]?: Rules } = {
  organization: {
    ...fieldRules(ORG_MEMBERS, 'org.'),
    'initial.name': NAME,
    'domains[].domainName': DOMAIN_NAME,
    'loginPolicy.defaultRedirectUri': orNone(POLICY_LINK),
    ...inside('labelPolicy', every(LABEL_COLOURS, COLOUR)),
    ...inside(
      'privacyPolicy',
      Object.fromEntries(PRIVACY_MEMBERS.map((member) => [member, privacyRule(member)])),
    ),
  },
  humanUsers: {
    ...fieldRules(PROFILE_FIELDS, 'user.profile.'),
    ...every(['user.profile.displayName', 'user.profile.genderText'], orNone(NAME)),
    ...fieldRules(ADDRESS_FIELDS, 'user.address.'),
    'user.email.email': EMAIL_ADDRESS,
    'user.phone.phone': orNone(PHONE_NUMBER),
    'user.totpDevices[].name': orNone(NAME),
  },
  machineUsers: { 'user.name': NAME },
  projects: { ...fieldRules(PROJECT_FIELDS, 'project.'), 'initial.name': NAME },
  projectRoles: { roleKey: key, ...fieldRules(ROLE_FIELDS), displayName: orNone(NAME) },
  oidcApps: { 'app.name': NAME },
  apiApps: { 'app.name': NAME },
  userMetadata: { key },
  orgMetadata: { key },
}

/** Texts of pages and mails, whose variables are filled in when they are shown. */
const isTextList = (kind: RecordKind): boolean => /(Texts|Messages)$/.test(kind)
const isMetadata = (kind: RecordKind): boolean => kind === 'userMetadata' || kind === 'orgMetadata'

/** The part of a text that must hold no placeholder. */
const createCheckedText =
  (kind: RecordKind) =>
  (text: string, [member]: ValuePath): string => {
    if (isTextList(kind) || (kind === 'organization' && member === 'privacyPolicy'))
      return withoutVariables(text)
    return isMetadata(kind) && member === 'value' ? Buffer.from(text, 'base64').toString() : text
  }

/** Members by which others know the object; without one it would be another object. */
const IDENTITY = /(^|\.)(\w+Id|userName)$/

interface UnderRules<T> {
  /** The record without what breaks a rule; undefined when it cannot do without. */
  readonly record: T | undefined
  readonly problems: readonly FieldProblem[]
}

/**
 * Leaves out of a record each value that breaks a rule. `isRecord` says whether the rest is still a record; by default the
 * format does.
 */
export function underValueRules<T extends object>(
  kind: RecordKind,
  record: T,
  isRecord: (rest: object) => boolean = (rest) => schemaOf(kind).safeParse(rest).success,
): UnderRules<T> {
  // Scripts of actions are code with places of its own, and nothing here runs them.
  const placeholders =
    kind === 'actions' || !mayHoldPlaceholder(kind, record)
      ? []
      : placeholderPaths(record, createCheckedText(kind))
  const broken = placeholders.map((path) => ({ path, rule: `is a ${PLACEHOLDER_RULE}` }))
  const prepared = new Map<ValuePath, string>()
  for (const [pattern, rule] of Object.entries(VALUE_RULES[kind] ?? {})) {
    for (const { path, text } of textsAt(record, pattern.split(/\.|(?=\[\])/))) {
      if (rule.mayBeEmpty && text === '') continue
      const value = rule.prepare(text)
      const problem = rule.problem(value)
      if (value !== text) prepared.set(path, value)
      const isKnown = placeholders.some((known) => fieldAt(known) === fieldAt(path))
      if (problem !== undefined && !isKnown) broken.push({ path, rule: problem })
    }
  }
  const problems = broken.map(({ path, rule }) => ({ field: fieldAt(path), rule }))
  if (broken.length === 0 && prepared.size === 0) return { record, problems }
  let rest: object = structuredClone(record)
  for (const [path, value] of prepared) setAt(rest, path, value)
  // From the end, so that positions in lists stay.
  for (const { path } of broken.toSorted((one, other) => (order(one.path) < order(other.path) ? 1 : -1))) {
    const shorter = withoutMember(rest, path, isRecord)
    if (shorter === undefined) return { record: undefined, problems }
    rest = shorter
  }
  return { record: rest as T, problems }
}

const order = (path: ValuePath): string =>
  path.map((part) => (typeof part === 'number' ? String(part).padStart(9, '0') : part)).join('\0')

const schemaOf = (kind: RecordKind) => (kind === 'organization' ? organizationHeader : shapeOf(kind).schema)

/** Looks at the JSON as a whole: it takes a tenth of the time, and few records hold one. */
const mayHoldPlaceholder = (kind: RecordKind, record: object): boolean =>
  isMetadata(kind) || isPlaceholder(JSON.stringify(record))

/** The record without a member, or without the smallest object around it that it can do without. */
function withoutMember(
  record: object,
  path: ValuePath,
  isRecord: (rest: object) => boolean,
): object | undefined {
  if (IDENTITY.test(fieldAt(path))) return undefined
  for (let length = path.length; length > 0; length -= 1) {
    const rest = structuredClone(record)
    if (!removeAt(rest, path.slice(0, length))) return record
    if (isRecord(rest)) return rest
  }
  return undefined
}

function removeAt(record: object, path: ValuePath): boolean {
  const holder = valueAt(record, path.slice(0, -1))
  const name = path.at(-1) ?? ''
  if (Array.isArray(holder)) return holder.splice(Number(name), 1).length > 0
  if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, name)) return false
  return delete (holder as Record<string, unknown>)[name]
}

function setAt(record: object, path: ValuePath, value: string): void {
  const holder = valueAt(record, path.slice(0, -1)) as Record<string, unknown>
  holder[String(path.at(-1))] = value
}

const valueAt = (value: unknown, path: ValuePath): unknown =>
  path.reduce<unknown>((holder, name) => (holder as Record<string, unknown> | undefined)?.[name], value)

/** The texts at a path whose part `[]` stands for each element of a list. */
function textsAt(
  value: unknown,
  [first, ...rest]: readonly string[],
  path: ValuePath = [],
): readonly { readonly path: ValuePath; readonly text: string }[] {
  if (first === undefined) return typeof value === 'string' ? [{ path, text: value }] : []
  if (first === '[]')
    return Array.isArray(value) ? value.flatMap((entry, at) => textsAt(entry, rest, [...path, at])) : []
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, first)) return []
  return textsAt((value as Record<string, unknown>)[first], rest, [...path, first])
}
