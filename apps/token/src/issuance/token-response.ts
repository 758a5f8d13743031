/** A successful answer of the token endpoint (RFC 6749 section 5.1). */
export interface TokenResponse {
  readonly access_token: string
  readonly token_type: 'Bearer'
  /** Seconds until the access token expires, exactly. */
  readonly expires_in: number
  /** What was granted, which may be less than what was asked for. */
  readonly scope: string
  readonly id_token?: string
  readonly refresh_token?: string
}
