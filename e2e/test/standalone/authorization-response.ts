import { formOf } from '@signet/platform/load/http-browser'
import type { Page } from '@signet/testing/http-browser'

/** The parameters that the redirect URI of a client received, and the response mode. */
export interface AuthorizationResponse {
  readonly mode: 'query' | 'fragment' | 'form_post'
  readonly redirectUri: string
  readonly parameters: URLSearchParams
  /** The request that the client sees, as its library takes it; a browser sends no fragment along, its page reads it. */
  received(): URL | Request
}

/** Throws for any page that is not on its way to a client. */
export function readResponse(page: Page): AuthorizationResponse {
  const location = page.headers.get('location')
  if (location === null) return readFormPost(page)
  const url = new URL(location)
  const redirectUri = url.origin + url.pathname
  const received = () => url
  return url.hash === ''
    ? { mode: 'query', redirectUri, parameters: url.searchParams, received }
    : { mode: 'fragment', redirectUri, parameters: new URLSearchParams(url.hash.slice(1)), received }
}

function readFormPost(page: Page): AuthorizationResponse {
  if (!page.body.includes('<form id="form-post" method="post"'))
    throw new Error(`no response to a client, but ${page.status}:\n${page.body}`)
  const { action: redirectUri, fields } = formOf(page)
  const parameters = new URLSearchParams(fields)
  if (page.body.split('<input type="hidden"').length - 1 !== parameters.size)
    throw new Error(`a parameter is repeated in:\n${page.body}`)
  const received = () => new Request(redirectUri, { method: 'POST', body: parameters })
  return { mode: 'form_post', redirectUri, parameters, received }
}
