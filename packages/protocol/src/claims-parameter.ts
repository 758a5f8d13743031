// OIDC Core section 5.5: a client asks for single claims beside those of its scopes.
import { InvalidRequestError } from './errors.ts'

/** Characters. A longer request does not fit into what carries it to the token endpoint. */
export const LONGEST_CLAIMS_PARAMETER = 1_000

/** The names of the claims that a client requests, by the place of their delivery. */
export interface ClaimsRequest {
  readonly userinfo: readonly string[]
  readonly idToken: readonly string[]
}

export const NO_CLAIMS: ClaimsRequest = { userinfo: [], idToken: [] }

/**
 * Reads a `claims` parameter. Essential and voluntary claims are treated alike: known ones are returned. Undefined
 * members are ignored (section 5.5). Throws InvalidRequestError for anything but a JSON object of objects.
 */
export function parseClaimsParameter(value: string): ClaimsRequest {
  if (value.length > LONGEST_CLAIMS_PARAMETER) {
    throw malformed(`must not be longer than ${LONGEST_CLAIMS_PARAMETER} characters`)
  }
  const request = parsed(value)
  return { userinfo: namesOf(request.userinfo), idToken: namesOf(request.id_token) }
}

function parsed(value: string): Readonly<Record<string, unknown>> {
  let request: unknown
  try {
    request = JSON.parse(value)
  } catch (cause) {
    throw malformed('must be a JSON object', cause)
  }
  if (!isObject(request)) throw malformed('must be a JSON object')
  return request
}

function namesOf(member: unknown): readonly string[] {
  if (member === undefined || member === null) return []
  if (!isObject(member)) throw malformed('may hold under userinfo and id_token only an object each')
  return Object.keys(member)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function malformed(rule: string, cause?: unknown): InvalidRequestError {
  return new InvalidRequestError(`claims ${rule}`, { reason: 'claims_malformed', cause })
}
