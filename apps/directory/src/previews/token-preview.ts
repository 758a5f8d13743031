/** The claims that the tokens of a sign-in would have, as the token service evaluates them. */
export interface TokenPreview {
  /** Scopes that would be granted. */
  readonly scopes: readonly string[]
  readonly droppedScopes: readonly { readonly scope: string; readonly reason: string }[]
  /** Rules that would refuse the sign-in. */
  readonly refusals: readonly {
    readonly reason: string
    readonly projectId?: string | undefined
    readonly resource?: string | undefined
  }[]
  readonly accessTokenType: 'jwt' | 'opaque'
  readonly accessToken: Readonly<Record<string, unknown>>
  readonly idToken: Readonly<Record<string, unknown>>
  readonly userinfo: Readonly<Record<string, unknown>>
}

/** Undefined when token does not know the user or the application yet. Rejects with ApiError UNAVAILABLE. */
export type PreviewTokens = (request: {
  readonly userId: string
  readonly clientId: string
  readonly scopes: readonly string[]
  readonly resources: readonly string[]
  readonly grantType: string
}) => Promise<TokenPreview | undefined>
