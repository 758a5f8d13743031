// Paths below the issuer; discovery publishes them and OIDC Discovery section 4 fixes its own.

export const ENDPOINT_PATHS = {
  discovery: '/.well-known/openid-configuration',
  authorize: '/oauth/v2/authorize',
  token: '/oauth/v2/token',
  introspect: '/oauth/v2/introspect',
  revoke: '/oauth/v2/revoke',
  keys: '/oauth/v2/keys',
  userinfo: '/oidc/v1/userinfo',
  endSession: '/oidc/v1/end_session',
} as const
