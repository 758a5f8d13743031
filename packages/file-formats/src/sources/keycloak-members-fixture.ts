// The members of realm files as versions 4 to 26 of Keycloak write them.

export const VERSIONS = [4, 8, 12, 15, 18, 21, 24, 26] as const

/** A member with a default value, and another one that says something; from one version on, to another. */
export type Member = readonly [name: string, value: unknown, other: unknown, from?: number, to?: number]

const FLAG = (name: string, from = 0): Member => [name, false, true, from]

export const REALM: readonly Member[] = [
  ['displayName', '', 'ACME'],
  ['displayNameHtml', '', '<b>ACME</b>'],
  ['enabled', true, false],
  ['accessTokenLifespan', 300, 600],
  ['accessCodeLifespan', 60, 90],
  ['ssoSessionIdleTimeout', 1800, 900],
  ['offlineSessionMaxLifespanEnabled', false, true, 4],
  ['clientSessionMaxLifespan', 0, 60, 9],
  ['oauth2DeviceCodeLifespan', 600, 900, 13],
  ['sslRequired', 'external', 'all'],
  ['passwordPolicy', '', 'length(8) and hashIterations(27500) and notUsername(undefined)'],
  ...['registrationAllowed', 'resetPasswordAllowed', 'rememberMe', 'verifyEmail'].map((name) => FLAG(name)),
  ...['duplicateEmailsAllowed', 'editUsernameAllowed', 'registrationEmailAsUsername'].map((name) =>
    FLAG(name),
  ),
  ['loginWithEmailAllowed', true, false],
  ['bruteForceProtected', false, true],
  FLAG('permanentLockout'),
  ['maxTemporaryLockouts', 0, 3, 24],
  ['bruteForceStrategy', 'MULTIPLE', 'LINEAR', 26],
  ['quickLoginCheckMilliSeconds', 1000, 500],
  ['defaultRoles', ['offline_access', 'uma_authorization'], ['reader'], 4, 12],
  ['requiredCredentials', ['password'], ['kerberos']],
  ['otpPolicyDigits', 6, 8],
  FLAG('otpPolicyCodeReusable', 20),
  ['webAuthnPolicyRpEntityName', 'keycloak', 'ACME', 8],
  ['webAuthnPolicyRpId', '', 'acme.example', 8],
  ['webAuthnPolicyPasswordlessUserVerificationRequirement', 'not specified', 'preferred', 9],
  ['browserSecurityHeaders', {}, { xFrameOptions: 'DENY' }],
  ['smtpServer', {}, { host: 'mail.acme.example', from: 'a@acme.example' }],
  ['loginTheme', '', 'acme'],
  FLAG('eventsEnabled'),
  ['eventsListeners', ['jboss-logging'], ['own-listener']],
  FLAG('internationalizationEnabled'),
  ['supportedLocales', [], ['de', 'en']],
  ['localizationTexts', {}, { de: { hello: 'Hallo' } }, 12],
  ['browserFlow', 'browser', 'own browser'],
  ['firstBrokerLoginFlow', 'first broker login', 'own broker', 24],
  ['authenticationFlows', [], [{ alias: 'own browser', providerId: 'basic-flow' }]],
  ['requiredActions', [], [{ alias: 'TERMS', enabled: true }]],
  ['components', {}, { 'org.keycloak.storage.UserStorageProvider': [{ name: 'ldap', providerId: 'ldap' }] }],
  ['attributes', {}, { frontendUrl: 'https://sso.acme.example' }],
  ['clientPolicies', { policies: [] }, { policies: [{ name: 'fapi', enabled: true }] }, 14],
  FLAG('userManagedAccessAllowed'),
  FLAG('organizationsEnabled', 25),
  ['organizations', [], [{ name: 'north', domains: [{ name: 'north.example' }] }], 25],
  FLAG('adminPermissionsEnabled', 26),
  ['identityProviderMappers', [], [{ name: 'own', identityProviderAlias: 'corp' }]],
  ['scopeMappings', [], [{ client: 'portal', roles: ['reader'] }]],
  ['x-of-an-extension', '', { a: 1 }],
]

export const CLIENT: readonly Member[] = [
  ['name', '', 'Portal'],
  ['description', '', 'The portal of ACME'],
  ['adminUrl', '', 'https://portal.example/admin'],
  ['baseUrl', '', 'https://portal.example/home'],
  ['enabled', true, false],
  FLAG('surrogateAuthRequired'),
  FLAG('alwaysDisplayInConsole', 9),
  ['clientAuthenticatorType', 'client-secret', 'client-x509'],
  ['secret', '', 'k3J9vQpX2mT7sLw4Zb8nRd6Y'],
  ['defaultRoles', [], ['reader'], 4, 12],
  ['redirectUris', [], ['https://portal.example/cb', 'https://portal.example/*']],
  ['webOrigins', [], ['https://other.example']],
  ['notBefore', 0, 1_700_000_000],
  FLAG('consentRequired'),
  ['standardFlowEnabled', true, false],
  FLAG('implicitFlowEnabled'),
  FLAG('directAccessGrantsEnabled'),
  FLAG('publicClient'),
  FLAG('serviceAccountsEnabled'),
  FLAG('frontchannelLogout'),
  ['authenticationFlowBindingOverrides', {}, { browser: '5e000000-0000-4000-8000-000000000001' }],
  ['fullScopeAllowed', true, false],
  ['nodeReRegistrationTimeout', -1, 60],
  ['protocolMappers', [], [{ name: 'own', protocolMapper: 'script-own.js', config: {} }]],
  ['defaultClientScopes', ['profile', 'email', 'roles', 'web-origins'], ['profile', 'tenant-scope']],
  ['optionalClientScopes', ['address', 'phone', 'offline_access'], ['plain']],
  FLAG('authorizationServicesEnabled'),
  ['authorizationSettings', {}, { policyEnforcementMode: 'ENFORCING' }],
]

export const ATTRIBUTES: readonly Member[] = [
  ['access.token.lifespan', '', '900'],
  ['pkce.code.challenge.method', '', 'S256'],
  ['post.logout.redirect.uris', '', 'https://portal.example/bye', 19],
  ['backchannel.logout.url', '', 'https://portal.example/logout', 12],
  ['backchannel.logout.session.required', 'true', 'false', 12],
  ['oauth2.device.authorization.grant.enabled', 'false', 'true', 13],
  ['oidc.ciba.grant.enabled', 'false', 'true', 13],
  ['require.pushed.authorization.requests', 'false', 'true', 15],
  ['id.token.signed.response.alg', '', 'ES256'],
  ['user.info.response.signature.alg', '', 'RS256'],
  ['tls.client.certificate.bound.access.tokens', 'false', 'true'],
  ['use.refresh.tokens', 'true', 'false'],
  ['acr.loa.map', '{}', '{"gold":2}', 17],
  ['dpop.bound.access.tokens', 'false', 'true', 23],
  ['standard.token.exchange.enabled', 'false', 'true', 26],
  ['login_theme', '', 'acme'],
]

const hash = { value: Buffer.alloc(64, 7).toString('base64'), salt: Buffer.alloc(16, 5).toString('base64') }
const stored = (secret: object, data: object) => ({
  type: 'password',
  secretData: JSON.stringify(secret),
  credentialData: JSON.stringify(data),
})

/** A password as a version writes it. */
export function credentialOf(version: number): object {
  if (version < 8) {
    const parts = { hashedSaltedValue: hash.value, salt: hash.salt, hashIterations: 27_500 }
    return { type: 'password', ...parts, algorithm: 'pbkdf2-sha256', counter: 0, digits: 0, period: 0 }
  }
  if (version < 24) return stored(hash, { hashIterations: 27_500, algorithm: 'pbkdf2-sha256' })
  const additionalParameters = {
    ...{ hashLength: ['32'], memory: ['7168'], type: ['id'], version: ['1.3'], parallelism: ['1'] },
  }
  const digest = { ...hash, value: Buffer.alloc(32, 7).toString('base64'), additionalParameters: {} }
  return stored(digest, { hashIterations: 5, algorithm: 'argon2', additionalParameters })
}

export const USER: readonly Member[] = [
  ['firstName', '', 'Ann'],
  ['email', '', 'ann@acme.example'],
  ['enabled', false, true],
  ['disableableCredentialTypes', [], ['password']],
  ['requiredActions', [], ['CONFIGURE_TOTP']],
  ['realmRoles', [], ['reader']],
  ['clientRoles', {}, { portal: ['unknown'] }],
  ['groups', [], ['/staff']],
  ['notBefore', 0, 1_700_000_000],
  ['federationLink', '', 'ldap'],
  ['clientConsents', [], [{ clientId: 'portal', grantedClientScopes: ['email'] }]],
  ['federatedIdentities', [], [{ identityProvider: 'corp', userId: '7', userName: 'ann@corp' }]],
  ['createdTimestamp', 0, 1_700_000_000_000],
]

/** Members of the account of a client that has a role. */
export const SERVICE_ACCOUNT: readonly Member[] = USER.filter(([name]) =>
  [
    'disableableCredentialTypes',
    'groups',
    'realmRoles',
    'clientRoles',
    'federationLink',
    'requiredActions',
  ].includes(name),
)

export const USER_ATTRIBUTES: readonly Member[] = [
  ['plan', [], ['gold']],
  ['locale', [''], ['pt_BR']],
  ['phoneNumber', [''], ['+4930123']],
  ['phoneNumberVerified', [''], ['true']],
]

export const GROUP: readonly Member[] = [
  ['attributes', {}, { cost: ['7'] }],
  ['realmRoles', [], ['writer']],
  ['clientRoles', {}, { portal: ['unknown of the group'] }],
  ['description', '', 'All of them', 26],
]
export const ROLE: readonly Member[] = [
  ['description', '', 'Reads'],
  ['attributes', {}, { a: ['b'] }],
]
