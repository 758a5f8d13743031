// Resource Indicators for OAuth 2.0 (RFC 8707): an API has a URI, by which requests and tokens name it.

import { InvalidTargetError } from './errors.ts'

/** The paths by which clients name our own APIs (RFC 8707, RFC 9728). */
export const OWN_APIS = ['/management/v1', '/admin/v1'] as const

const LONGEST_URI = 500
/** The characters of RFC 3986 section 2 without #. None is a space, by which a list is separated. */
const URI_CHARACTERS = /^[A-Za-z0-9\-._~:/?@!$&'()*+,;=%[\]]+$/

/** Says why a text is no URI of an API (RFC 8707 section 2); undefined for one that is. URIs are compared as they stand. */
export function resourceUriProblem(text: string): string | undefined {
  if (text.length > LONGEST_URI) return `must have at most ${LONGEST_URI} characters`
  if (!/^[a-z][a-z0-9+.-]*:/.test(text) || !URI_CHARACTERS.test(text) || !URL.canParse(text))
    return 'must be an absolute URI without a fragment, such as https://api.example.com'
  if (OWN_APIS.some((path) => text.endsWith(path)))
    return `must not end in ${OWN_APIS.join(' or ')}, which are the APIs of Signet`
  return undefined
}

/** Whether a URI is that of one of our own APIs, whose audience is the project `signet`. */
export const isOwnApi = (uri: string, issuer: string): boolean =>
  OWN_APIS.some((path) => uri === `${issuer}${path}`)

/** The most APIs that one request names. */
const MOST_URIS = 20

/**
 * The URIs of the parameter `resource`: one, or several that were joined by spaces; none for a blank value. Throws
 * InvalidTargetError for more than a request may name, since each one is looked up.
 */
export function resourceUris(value = ''): readonly string[] {
  const uris = [...new Set(value.split(' ').filter((uri) => uri !== ''))]
  if (uris.length <= MOST_URIS) return uris
  throw new InvalidTargetError(`resource names more than ${MOST_URIS} APIs`, { reason: 'resource_unknown' })
}

/** The scope that adds a project to the audience. */
export const audienceScope = (projectId: string): string => `urn:service:iam:org:project:id:${projectId}:aud`

/** The refusal of a resource, in the same words whether no API has the URI or it does not allow the client. */
export const unknownResource = (uri: string): InvalidTargetError =>
  new InvalidTargetError('resource is not the resourceUri of an API that this client may use', {
    reason: 'resource_unknown',
    values: { received: uri },
  })
