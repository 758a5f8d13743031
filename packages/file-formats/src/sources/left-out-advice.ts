/** The consequence of leaving a value out: for sign-ins, for the claims of tokens, or for neither. */
export type Effect = 'sign-in' | 'claims' | 'settings'

export interface Advice {
  readonly effect: Effect
  /** Returns the task, given the printable value where it may be shown. */
  readonly next?: (value: string | undefined) => string
}

/** The advice for kinds of values, by the beginning of their names. The first that fits counts. */
const ADVICE: readonly (readonly [kind: RegExp, effect: Effect, next?: Advice['next']])[] = [
  [
    /^clients(\[\])?(\.attributes)?[.:] ?(redirectUris|callbacks|post\.logout|allowed_logout_urls).*wildcard/,
    'sign-in',
    (uri) => `register the exact URI${uri === undefined ? '' : ` in place of ${uri}`}`,
  ],
  [
    /^clients.*without PKCE/,
    'sign-in',
    () => 'send a code challenge (PKCE), or import with --pkce-optional until the application does',
  ],
  [
    /^clients.*(secret|authenticate)/i,
    'sign-in',
    () => 'make a new secret: signet application rotate-secret',
  ],
  [
    /^clients.*direct(Access)?Grants/i,
    'sign-in',
    () => 'sign people in with the authorization code flow: the token endpoint takes no passwords of people',
  ],
  [/^clients.*grant/i, 'sign-in', () => 'use a grant type that Signet has'],
  [/^(oidcApps|apiApps), left out/, 'sign-in', () => 'create the application by hand'],
  [/^clients\[\]\.clientId/, 'sign-in', (clientId) => `use the new client id in place of ${clientId}`],
  [/^clients\[\] of protocol/, 'sign-in', () => 'move the application to OpenID Connect'],
  [
    /^clients\[\]\.service account role/,
    'claims',
    (role) => `give its service account${role === undefined ? ' its roles' : ` the role ${role}`} again`,
  ],
  [
    /^clients\[\]\.(protocolMappers|defaultClientScopes|optionalClientScopes)/,
    'claims',
    (mapper) => `check the claims of its tokens${mapper === undefined ? '' : `: ${mapper}`}`,
  ],
  [
    /^clients\[\]\.claims from metadata/,
    'claims',
    (claims) => `ask for the scope urn:service:iam:user:metadata, which reveals ${claims ?? 'its claims'}`,
  ],
  [/^clients/, 'settings'],
  [
    /^(humanUsers, left out|users(\[\])?( that are| without|\[\] that))/,
    'sign-in',
    () => 'create the person by hand, or mend the record and import it again',
  ],
  [
    /password|hash|credential|^users.*(otp|totp|mfa|multifactor)/i,
    'sign-in',
    () => 'send the person a link to set a new password, or a new second factor',
  ],
  [
    /^entries of people\.accountexpires/,
    'sign-in',
    () => 'deactivate the person when the account ends, or ended before the import',
  ],
  [/^users\[\]\.requiredActions/, 'settings'],
  [/^(users.*(roles|groups|attributes)|roles|groups|userGrants|userMetadata|humanUsers)/, 'claims'],
]

/** Returns the consequence of leaving out values of a kind, and the task for each of them. */
export function adviceFor(kind: string): Advice {
  for (const [pattern, effect, next] of ADVICE) {
    if (pattern.test(kind)) return { effect, ...(next && { next }) }
  }
  return { effect: 'settings' }
}
