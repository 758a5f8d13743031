// URLs as client_id: draft-ietf-oauth-client-id-metadata-document section 3.

import { isLoopbackHost } from './redirect-uri.ts'
import { parseReservedScope } from './scopes.ts'

/** The rule that a URL breaks as a client_id; undefined for one that keeps them all. */
export function clientIdUrlProblem(
  clientId: string,
  { mayBeLoopback }: { readonly mayBeLoopback: boolean },
): string | undefined {
  if (!URL.canParse(clientId)) return 'must be an absolute URL'
  const url = new URL(clientId)
  // The parser removes dot segments, an empty path and the default port: then two texts would name one document.
  if (url.href !== clientId)
    return 'must be written in its normal form, without dot segments and default ports'
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or password'
  if (clientId.includes('#')) return 'must not have a fragment'
  if (clientId.includes('?')) return 'must not have a query'
  if (url.pathname === '/') return 'must have a path'
  // A name with a dot at its end is the same host, and no list of hosts would have it.
  if (/^\.|\.\.|\.$/.test(url.hostname)) return 'must name a host without empty labels or a dot at its end'
  const isLoopback = isLoopbackHost(url.hostname)
  if (isLoopback && !mayBeLoopback) return 'must not name a loopback host'
  if (url.protocol === 'http:' && !isLoopback) return 'must be an https URL'
  if (/^[0-9.]+$/.test(url.hostname) && !isLoopback) return 'must name a host and not an IP address'
  return undefined
}

/** The host of a client_id that is a URL; undefined for another one. */
export function clientIdHost(clientId: string): string | undefined {
  return clientId.includes('://') && URL.canParse(clientId) ? new URL(clientId).host : undefined
}

/** Scopes that a client gets which no organization registered, besides those that name an API. */
const OPEN_SCOPES: ReadonlySet<string> = new Set(['openid', 'profile', 'email', 'offline_access'])

/** Whether an unregistered client may ask for a scope. */
export const isOpenScope = (scope: string): boolean =>
  OPEN_SCOPES.has(scope) || parseReservedScope(scope)?.kind === 'project_audience'
