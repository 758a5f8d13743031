// Schemes that make a browser run or show something of its own instead of reaching an application.
const NEVER = new Set(['javascript:', 'data:', 'vbscript:', 'blob:', 'file:', 'about:', 'view-source:'])

/** Whether a browser may be sent there at all, registered or not: an absolute URI without a fragment. */
export function isRedirectTarget(uri: string): boolean {
  if (!URL.canParse(uri) || uri.includes('#')) return false
  // A URL parser forgives blanks and control characters; a header or a form must not carry them.
  return /^[\x21-\x7e]+$/.test(uri) && !NEVER.has(new URL(uri).protocol)
}

/** Adds parameters to the query of a URI without touching a byte of what is there. */
export function withQuery(uri: string, parameters: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(parameters).toString()
  if (query === '') return uri
  const separator = uri.includes('?') ? (/[?&]$/.test(uri) ? '' : '&') : '?'
  return `${uri}${separator}${query}`
}
