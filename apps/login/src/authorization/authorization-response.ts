// RFC 6749 sections 4.1.2 and 4.1.2.1; OIDC Core sections 3.1.2.5 and 3.2.2.5; RFC 9207 section 2.
import type { OAuthError } from '@signet/oauth-protocol/errors'
import type { ResponseMode } from '@signet/oauth-protocol/response-modes'
import type { ProvenRedirect } from '../authorize/redirect.ts'

/** An answer for the client, on its way through the browser. */
export interface AuthorizationResponse {
  readonly redirectUri: string
  readonly responseMode: ResponseMode
  readonly parameters: Readonly<Record<string, string>>
}

/** What a successful answer says beside `state` and `iss`: a code, or tokens. */
export type ResponseMembers = Readonly<Record<string, string>>

/** Makes the answers of one issuer: each names it, and echoes `state` as it came. */
export interface AuthorizationResponses {
  success(redirect: ProvenRedirect, members: ResponseMembers): AuthorizationResponse
  error(redirect: ProvenRedirect, error: OAuthError): AuthorizationResponse
}

export function authorizationResponses(issuer: string): AuthorizationResponses {
  const answer = (redirect: ProvenRedirect, members: ResponseMembers): AuthorizationResponse => ({
    redirectUri: redirect.redirectUri,
    responseMode: redirect.responseMode,
    parameters: {
      ...members,
      ...(redirect.state !== undefined && { state: redirect.state }),
      iss: issuer,
    },
  })
  return {
    success: answer,
    error: (redirect, error) => answer(redirect, { ...error.toResponseBody() }),
  }
}
