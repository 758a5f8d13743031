/** A successful answer of the token endpoint (RFC 6749 section 5.1, RFC 8693 section 2.2.1). */
export interface TokenResponse {
  /** Whatever was issued, an ID token too where a token exchange was asked for one. */
  readonly access_token: string
  /** `N_A`: not an access token. */
  readonly token_type: 'Bearer' | 'N_A'
  /** Seconds until what was issued expires, exactly. */
  readonly expires_in: number
  /** What was granted, which may be less than what was asked for. */
  readonly scope: string
  readonly id_token?: string
  readonly refresh_token?: string
  readonly issued_token_type?: string
}
