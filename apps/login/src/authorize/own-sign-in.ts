// The authorization request with which people sign in to the pages of this service.

/** No application can have it: ids have no colon. */
export const OWN_CLIENT_ID = ':account'

/** The query of the authorization request for a page of this service. */
export function ownClientQuery(redirectUri: string): string {
  return new URLSearchParams(ownClientParameters(redirectUri)).toString()
}

/** The parameters of that request, with others that replace or follow them. */
export function ownClientParameters(
  redirectUri: string,
  more: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  return {
    client_id: OWN_CLIENT_ID,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid',
    ...more,
  }
}
