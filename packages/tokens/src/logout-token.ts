/** OpenID Connect Back-Channel Logout 1.0 section 2.4: `typ` distinguishes it from every other JWT. */
export const LOGOUT_TOKEN_TYP = 'logout+jwt'

const LIFETIME_SECONDS = 120
const EVENT = 'http://schemas.openid.net/event/backchannel-logout'

interface LogoutToken {
  readonly issuer: string
  readonly clientId: string
  readonly userId: string
  readonly sid: string
  /** The same for every copy that is sent of one logout to one application. */
  readonly id: string
}

/** The claims of a logout token (Back-Channel Logout 1.0 section 2.4). There is never a `nonce`: it is no ID token. */
export function logoutTokenClaims({ issuer, clientId, userId, sid, id }: LogoutToken, now: Date): object {
  const issuedAt = Math.floor(now.getTime() / 1000)
  return {
    iss: issuer,
    sub: userId,
    aud: [clientId],
    iat: issuedAt,
    exp: issuedAt + LIFETIME_SECONDS,
    jti: id,
    sid,
    events: { [EVENT]: {} },
  }
}
