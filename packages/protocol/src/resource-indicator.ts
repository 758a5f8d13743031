// Resource Indicators for OAuth 2.0 (RFC 8707): an API has a URI, by which requests and tokens name it.

import { InvalidTargetError } from './errors.ts'

/** The paths by which clients name our own APIs (RFC 8707, RFC 9728). */
export const OWN_APIS = ['/management/v1', '/admin/v1'] as const

const LONGEST_URI = 500
/** RFC 3986 section 2: no space, quote or bracket, so that a list is separated by spaces. */
const URI_CHARACTERS = /^[A-Za-z0-9\-._~:/?@!$&'()*+,;=%]+$/

/** Says why a text is no URI of an API (RFC 8707 section 2); undefined for one that is. URIs are compared as they stand. */
export function resourceUriProblem(text: string): string | undefined {
  if (text.length > LONGEST_URI) return `must have at most ${LONGEST_URI} characters`
  if (!/^[a-z][a-z0-9+.-]*:/.test(text) || !URI_CHARACTERS.test(text) || !URL.canParse(text))
    return 'must be an absolute URI without a fragment, such as https://api.example.com'
  return undefined
}

/** Whether a URI is that of one of our own APIs, whose audience is the project `signet`. */
export const isOwnApi = (uri: string, issuer: string): boolean =>
  OWN_APIS.some((path) => uri === `${issuer}${path}`)

/** The URIs of the parameter `resource`: one, or several that were joined by spaces. */
export const resourceUris = (value: string | undefined): readonly string[] => [
  ...new Set((value ?? '').split(' ').filter((uri) => uri !== '')),
]

/** The scope that adds a project to the audience; our own API has no resource URI. */
export const audienceScope = (projectId: string): string => `urn:service:iam:org:project:id:${projectId}:aud`

/** The refusal of a resource, in the same words whether no API has the URI or it does not allow the client. */
export const unknownResource = (uri: string): InvalidTargetError =>
  new InvalidTargetError('resource is not the resourceUri of an API that this client may use', {
    reason: 'resource_unknown',
    values: { received: uri },
  })
