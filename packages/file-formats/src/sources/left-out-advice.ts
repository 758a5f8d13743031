/** The consequence of leaving a value out: for sign-ins, for the claims of tokens, or for neither. */
export type Effect = 'sign-in' | 'claims' | 'settings'

/** The kind of object that a value belongs to. */
export type Subject = 'application' | 'person' | 'other'

/** A task whose completion the management API shows. */
export type Task = 'redirect-uri' | 'pkce' | 'secret' | 'service-role' | 'key' | 'code-flow'

export interface Advice {
  readonly effect: Effect
  readonly about: Subject
  readonly task?: Task
  /** Returns the task, given the printable value where it may be shown. */
  readonly next?: (value: string | undefined) => string
}

const blockedAdvice: Advice['next'] = (id) =>
  `mend ${id ?? 'what it refers to'}, and import the document again: what is there is skipped`

/** The advice for kinds of values, by the beginning of their names. The first that fits counts. */
const ADVICE: readonly (readonly [kind: RegExp, effect: Effect, next?: Advice['next'], task?: Task])[] = [
  [
    /^clients(\[\])?(\.attributes)?[.:] ?(redirectUris|callbacks|post\.logout|allowed_logout_urls).*wildcard/,
    'sign-in',
    (uri) => `register the exact URI${uri === undefined ? '' : ` in place of ${uri}`}`,
    'redirect-uri',
  ],
  [
    /^(oidcApps|apiApps), kept without this member: app\.redirectUris/,
    'sign-in',
    (uri) => `register a URI that the rules allow${uri === undefined ? '' : ` in place of ${uri}`}`,
    'redirect-uri',
  ],
  [
    /^clients.*may go on without PKCE/,
    'settings',
    () => 'send a code challenge (PKCE), then take the setting pkceOptional away',
    'pkce',
  ],
  [
    /^clients.*without PKCE/,
    'sign-in',
    () => 'send a code challenge (PKCE), or set pkceOptional until the application does',
    'pkce',
  ],
  [
    /^clients\[\]\.keys that sign assertions/,
    'sign-in',
    (place) =>
      `register its public key (--set publicKeyPem), or generate one for it: signet application-key create${place === undefined ? '' : `; Keycloak read it from ${place}`}`,
    'key',
  ],
  [
    /^clients\[\]\.clientAuthenticatorType/,
    'sign-in',
    () => 'authenticate with a secret, and make a new one: signet application rotate-secret',
    'secret',
  ],
  [
    /^(clients|applications|oidcApps, kept|apiApps, kept).*(secret|authenticate)/i,
    'sign-in',
    () => 'make a new secret: signet application rotate-secret',
    'secret',
  ],
  [
    /^clients.*direct(Access)?Grants/i,
    'sign-in',
    () => 'sign people in with the authorization code flow: the token endpoint takes no passwords of people',
    'code-flow',
  ],
  [
    /^clients\[\]\.sub$/,
    'claims',
    (mode) =>
      `let the application know people by e-mail address or preferred_username: sub is another value here${mode === undefined ? '' : ` (it was ${mode})`}`,
  ],
  [/^clients.*grant/i, 'sign-in', () => 'use a grant type that Signet has'],
  [
    /^(humanUsers|machineUsers|machineKeys|projects|oidcApps|apiApps|appKeys|oidcIdps|userLinks|\w+TrustedIssuers), not imported because/,
    'sign-in',
    blockedAdvice,
  ],
  [
    /^(projectRoles|projectGrants|userGrants|userMetadata|orgMetadata|\w+Members), not imported because/,
    'claims',
    blockedAdvice,
  ],
  [/, not imported because/, 'settings', blockedAdvice],
  [/^(oidcApps|apiApps), left out/, 'sign-in', () => 'create the application by hand'],
  [/^clients\[\]\.clientId/, 'sign-in', (clientId) => `use the new client id in place of ${clientId}`],
  [/^clients\[\] of protocol/, 'sign-in', () => 'move the application to OpenID Connect'],
  [
    /^clients\[\]\.service account role/,
    'claims',
    (role) =>
      `make a service user for what it does without a person, and give it the role ${role ?? 'that it had'}: signet service-user create, signet user-grant create`,
    'service-role',
  ],
  [
    /^clients\[\]\.administrative role of its service account/,
    'claims',
    (role) =>
      `let an administrator decide what it may do in place of ${role ?? 'its administrative role'}: signet organization-member set`,
  ],
  [/^clients\[\]\.scopes of its service user/, 'claims', (scopes) => `ask for the scopes ${scopes}`],
  [
    /^clients\[\]\.protocolMappers oidc-audience-mapper/,
    'claims',
    (audience) => `expect another audience in its tokens: ${audience ?? 'the project'}`,
  ],
  [
    /^clients\[\]\.roles in a list/,
    'claims',
    (claim) => `ask for the scope groups, which adds the claim ${claim ?? 'groups'}`,
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
  [
    /^applications, the client id is/,
    'sign-in',
    (clientId) => `use the client id${clientId === undefined ? '' : ` ${clientId}`}`,
  ],
  [
    /^applications, set by an IAM_OWNER/,
    'sign-in',
    (mark) => `ask an IAM_OWNER for ${mark ?? 'the mark'}, if the application needs it`,
  ],
  [/^(clients|oidcApps|apiApps|appKeys)/, 'settings'],
  [
    /^(organization|projects), left out/,
    'sign-in',
    () => 'mend the record, and import the document again: what is there is skipped',
  ],
  [
    /^policies, its people cannot sign in with a password/,
    'sign-in',
    () => 'set allowUsernamePassword of the login policy',
  ],
  [/^(policies|members|organization)\b/, 'settings'],
  [
    /^connections of strategy samlp with idpinitiated/,
    'sign-in',
    (name) =>
      `let sign-ins begin at ${name ?? 'the provider'} again: signet identity-provider update --set providerInitiated=true, with providerInitiatedClientId for the application`,
  ],
  [
    /^connections of strategy/,
    'sign-in',
    () =>
      'set it up as an identity provider (signet identity-provider create), or send its people a link to choose a password: signet invite --without-credentials',
  ],
  [
    /^connections\.options\.tenantId/,
    'sign-in',
    () =>
      'create the identity provider with https://login.microsoftonline.com/TENANT-ID/v2.0 as its issuer: signet identity-provider create --set preset=entra',
  ],
  [
    /^connections\.options\.map_user_id_to_id/,
    'sign-in',
    () =>
      'let people link their account at the provider: signet identity-provider update --set linkingAllowed=true',
  ],
  [/^connections\b/, 'settings', () => 'check the identity provider'],
  [
    /^tenant\.(resourceServers|clientGrants)/,
    'claims',
    () => 'expect another audience in its tokens: the project, or a client id',
  ],
  [/^tenant\b/, 'settings', () => 'set up what is needed of it by hand'],
  [
    /^organizations(\.members| of users)/,
    'claims',
    () =>
      'let applications that read org_id or org_name ask for the scope urn:service:iam:user:metadata and read auth0.organizations',
  ],
  [/^organizations\b/, 'settings', () => 'create an organization, if it needs people or settings of its own'],
  [/^machineUsers, left out/, 'sign-in', () => 'create the service user by hand'],
  [
    /^realm\.roles in realm_access/,
    'claims',
    () =>
      'let applications that read realm_access or resource_access ask for the scope groups and read the claim groups',
  ],
  [/^realm\.|^roles that Keycloak makes itself/, 'settings'],
  [
    /^users\[\] that are service accounts/,
    'sign-in',
    () => 'make a service user: signet service-user create',
  ],
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

/** Kinds about applications, and those that name no person; all others may. */
const SUBJECTS: readonly (readonly [kind: RegExp, about: Subject])[] = [
  [/^(clients|applications|oidcApps|apiApps|appKeys)\b/, 'application'],
  [
    /^(realm|roles|groups|entries|clientScopes|identityProviders|organizations?|projects?|projectRoles|policies|domains|column|constant|members? |tenant)\b/,
    'other',
  ],
]

/** Returns the consequence of leaving out values of a kind, and the task for each of them. */
export function adviceFor(kind: string): Advice {
  const about = SUBJECTS.find(([pattern]) => pattern.test(kind))?.[1] ?? 'person'
  for (const [pattern, effect, next, task] of ADVICE) {
    if (pattern.test(kind)) return { effect, about, ...(next && { next }), ...(task && { task }) }
  }
  return { effect: 'settings', about }
}
