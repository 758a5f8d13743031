import { redirectTargetProblem } from '@signet/oauth-protocol/registered-uri'

/** Whether a browser may be sent there at all, registered or not. */
export function isRedirectTarget(uri: string): boolean {
  return redirectTargetProblem(uri) === undefined
}

/** Adds parameters to the query of a URI without touching a byte of what is there. */
export function withQuery(uri: string, parameters: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(parameters).toString()
  if (query === '') return uri
  const separator = uri.includes('?') ? (/[?&]$/.test(uri) ? '' : '&') : '?'
  return `${uri}${separator}${query}`
}
