// Rich Authorization Requests (RFC 9396): the parameter authorization_details and what a narrower one is.

import { InvalidAuthorizationDetailsError } from './errors.ts'
import { shownTextProblem } from './shown-text.ts'

/** An element of `authorization_details`, whose members its type defines (RFC 9396 section 2). */
export interface AuthorizationDetail {
  readonly type: string
  readonly [member: string]: unknown
}

/** A detail that a request has been granted, and the project that owns its type. */
export interface GrantedDetail {
  readonly projectId: string
  readonly detail: AuthorizationDetail
}

/** Bytes of all details of a request: a code and an access token contain them. */
export const DETAILS_BYTES_LIMIT = 2_000
const MOST_DETAILS = 10
const MOST_LEVELS = 5
/** Members and elements of all details: the schemas of their types look at each. */
const MOST_VALUES = 200

/** The members of RFC 9396 section 2.2 that list what is allowed; fewer elements allow less. */
const LISTS: ReadonlySet<string> = new Set(['locations', 'actions', 'datatypes', 'privileges'])

/** A refusal that names the detail, and the member in it, that breaks a rule. */
export function detailRefusal(
  reason: string,
  rule: string,
  { index, member = '' }: { readonly index?: number; readonly member?: string } = {},
): InvalidAuthorizationDetailsError {
  const element = index === undefined ? '' : `[${index}]`
  return new InvalidAuthorizationDetailsError(`authorization_details${element}${member} ${rule}`, { reason })
}

const malformed = (rule: string, at?: { readonly index: number; readonly member?: string }) =>
  detailRefusal('details_malformed', rule, at)

/**
 * Reads the parameter (RFC 9396 section 2) as far as no type has to be known. Throws InvalidAuthorizationDetailsError for a
 * text that is no array of objects with a type, for more details, bytes or levels than a request may have, and for a value
 * that the consent page could not show.
 */
export function parseAuthorizationDetails(text: string): readonly AuthorizationDetail[] {
  requireShort(text)
  const details = parseArray(text)
  details.forEach((detail, index) => {
    if (!isObject(detail)) throw malformed('must be an object', { index })
    if (typeof detail.type !== 'string') throw malformed('must be a string', { index, member: '.type' })
    const problem = valueProblem(detail, '', 1)
    if (problem !== undefined) throw malformed(problem.rule, { index, member: problem.member })
  })
  if (countValues(details) > MOST_VALUES)
    throw detailRefusal('details_too_long', `may have at most ${MOST_VALUES} members and elements`)
  // A number can be longer than its text was.
  requireShort(JSON.stringify(details))
  return details as readonly AuthorizationDetail[]
}

const countValues = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce((count: number, inner) => count + 1 + countValues(inner), 0)
    : 0

function requireShort(text: string): void {
  if (Buffer.byteLength(text) <= DETAILS_BYTES_LIMIT) return
  throw detailRefusal('details_too_long', `may have at most ${DETAILS_BYTES_LIMIT} bytes`)
}

function parseArray(text: string): readonly unknown[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new InvalidAuthorizationDetailsError('authorization_details must be JSON', {
      reason: 'details_malformed',
      cause,
    })
  }
  if (Array.isArray(value) && value.length > 0 && value.length <= MOST_DETAILS) return value
  throw detailRefusal('details_malformed', `must be an array of 1 to ${MOST_DETAILS} objects`)
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether every object of JavaScript has a member of this name. */
export const isInheritedName = (name: string): boolean => Object.hasOwn(Object.prototype, name)

interface ValueProblem {
  readonly member: string
  readonly rule: string
}

/** The first member that a detail must not have, or whose value it must not have. */
function valueProblem(value: unknown, member: string, level: number): ValueProblem | undefined {
  if (typeof value === 'string') {
    const rule = shownTextProblem(value)
    return rule === undefined ? undefined : { member, rule }
  }
  if (typeof value === 'number') {
    const isExact = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
    return isExact ? undefined : { member, rule: 'must be a number that a double represents exactly' }
  }
  if (typeof value !== 'object' || value === null) return undefined
  if (level > MOST_LEVELS) return { member, rule: `must not be nested deeper than ${MOST_LEVELS} levels` }
  for (const [name, inner] of Object.entries(value)) {
    const path = Array.isArray(value) ? `${member}[${name}]` : `${member}.${name}`
    if (isInheritedName(name) || shownTextProblem(name) !== undefined)
      return { member, rule: 'has a member whose name is not allowed' }
    const problem = valueProblem(inner, path, level + 1)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** Whether two values are equal; the order of members does not count. */
function isEqual(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((value, index) => isEqual(value, other[index]))
  if (!isObject(one) || !isObject(other)) return one === other
  return hasSameMembers(one, other) && Object.keys(one).every((name) => isEqual(one[name], other[name]))
}

function hasSameMembers(one: object, other: object): boolean {
  const names = Object.keys(one)
  return names.length === Object.keys(other).length && names.every((name) => Object.hasOwn(other, name))
}

/**
 * Whether a detail allows no more than a granted one. A type defines what its members mean, so each member is the same, but for
 * the lists of RFC 9396 section 2.2, which may have fewer elements. A member that is left out could be a limit.
 */
export function isWithin(asked: AuthorizationDetail, granted: AuthorizationDetail): boolean {
  return (
    hasSameMembers(asked, granted) &&
    Object.entries(asked).every(([name, value]) => {
      const limit = granted[name]
      return isEqual(value, limit) || (LISTS.has(name) && isShorterList(value, limit))
    })
  )
}

function isShorterList(asked: unknown, granted: unknown): boolean {
  if (!Array.isArray(asked) || !Array.isArray(granted) || asked.length === 0) return false
  const isDistinct = asked.every((one, at) => asked.findIndex((other) => isEqual(one, other)) === at)
  return isDistinct && asked.every((one) => granted.some((other) => isEqual(one, other)))
}

/**
 * Returns the asked details with the projects of the granted ones that they are within, each within one of its own: two
 * payments are not within one. Throws InvalidAuthorizationDetailsError for details that go further (RFC 9396 section 7).
 */
export function narrowDetails(
  granted: readonly GrantedDetail[],
  asked: readonly AuthorizationDetail[],
): readonly GrantedDetail[] {
  /** The asked detail that each granted one is taken by. */
  const takenBy = new Map<number, number>()
  // Moves earlier details to other granted ones where that makes room (an augmenting path of a bipartite matching).
  const place = (index: number, seen: Set<number>): boolean =>
    granted.some(({ detail }, at) => {
      if (seen.has(at) || !isWithin(asked[index] as AuthorizationDetail, detail)) return false
      seen.add(at)
      const earlier = takenBy.get(at)
      if (earlier !== undefined && !place(earlier, seen)) return false
      takenBy.set(at, index)
      return true
    })
  asked.forEach((_, index) => {
    if (!place(index, new Set()))
      throw detailRefusal('details_exceed_grant', 'must be within what was granted before', { index })
  })
  const grantedTo = new Map([...takenBy].map(([at, index]) => [index, granted[at]]))
  return asked.map((detail, index) => ({ projectId: grantedTo.get(index)?.projectId ?? '', detail }))
}

/** The details of the projects that an audience names. */
export const detailsFor = (
  details: readonly GrantedDetail[],
  audience: readonly string[],
): readonly GrantedDetail[] => details.filter(({ projectId }) => audience.includes(projectId))
