/*
 * The values of members that an export of Keycloak does not have, and the default values that it writes, of each version that has
 * another one. `takeDefaults` leaves the defaults out without counting them.
 */

/** Flags of a client that count when the member is missing. Keycloak sets them when it creates a client. */
export const MISSING_CLIENT_FLAGS = {
  enabled: true,
  standardFlowEnabled: true,
  implicitFlowEnabled: false,
  directAccessGrantsEnabled: false,
  serviceAccountsEnabled: false,
  publicClient: false,
  bearerOnly: false,
} as const

/** A person without this member is disabled. */
export const MISSING_USER_ENABLED = false

export const CLIENT_DEFAULTS: Readonly<Record<string, readonly unknown[]>> = {
  protocol: ['openid-connect'],
  surrogateAuthRequired: [false],
  nodeReRegistrationTimeout: [-1, 0],
  notBefore: [0],
  frontchannelLogout: [false],
  consentRequired: [false],
  alwaysDisplayInConsole: [false],
  fullScopeAllowed: [true],
  authorizationServicesEnabled: [false],
}

/** Attributes of a client of OpenID Connect. Keycloak writes those of SAML as well. */
export const CLIENT_ATTRIBUTE_DEFAULTS: Readonly<Record<string, readonly unknown[]>> = {
  'display.on.consent.screen': ['false'],
  'exclude.session.state.from.auth.response': ['false'],
  'tls.client.certificate.bound.access.tokens': ['false'],
  'client_credentials.use_refresh_token': ['false'],
  'use.refresh.tokens': ['true'],
  'oidc.ciba.grant.enabled': ['false'],
  'oauth2.device.authorization.grant.enabled': ['false'],
  'standard.token.exchange.enabled': ['false'],
  'backchannel.logout.session.required': ['true'],
  'backchannel.logout.revoke.offline.tokens': ['false'],
  'frontchannel.logout.session.required': ['true', 'false'],
  'token.response.type.bearer.lower-case': ['false'],
  'require.pushed.authorization.requests': ['false'],
  'acr.loa.map': ['{}'],
  'dpop.bound.access.tokens': ['false'],
  'client.use.lightweight.access.token.enabled': ['false'],
  'client.introspection.response.allow.jwt.claim.enabled': ['false'],
  'request.object.required': ['not required'],
  'request.object.signature.alg': ['any'],
  'request.object.encryption.alg': ['any'],
  'request.object.encryption.enc': ['any'],
  'use.jwks.url': ['false'],
  realm_client: ['false', 'true'],
}

/** The attributes of SAML have no meaning for a client of OpenID Connect. */
export const SAML_ATTRIBUTE = /^saml[._]/

export const REALM_DEFAULTS: Readonly<Record<string, readonly unknown[]>> = {
  notBefore: [0],
  duplicateEmailsAllowed: [false],
  registrationEmailAsUsername: [false],
  rememberMe: [false],
  verifyEmail: [false],
  editUsernameAllowed: [false],
  permanentLockout: [false],
  maxTemporaryLockouts: [0],
  maxSecondaryAuthFailures: [0],
  bruteForceStrategy: ['MULTIPLE'],
  maxFailureWaitSeconds: [900],
  minimumQuickLoginWaitSeconds: [60],
  waitIncrementSeconds: [60],
  quickLoginCheckMilliSeconds: [1000],
  maxDeltaTimeSeconds: [43_200],
  eventsEnabled: [false],
  eventsExpiration: [0],
  eventsListeners: [['jboss-logging']],
  enabledEventTypes: [[]],
  adminEventsEnabled: [false],
  adminEventsDetailsEnabled: [false],
  internationalizationEnabled: [false],
  userManagedAccessAllowed: [false],
  organizationsEnabled: [false],
  adminPermissionsEnabled: [false],
  verifiableCredentialsEnabled: [false],
  scimApiEnabled: [false],
  clientProfiles: [{ profiles: [] }],
  clientPolicies: [{ policies: [] }],
  scopeMappings: [[{ clientScope: 'offline_access', roles: ['offline_access'] }]],
  clientScopeMappings: [
    { account: [{ client: 'account-console', roles: ['manage-account'] }] },
    { account: [{ client: 'account-console', roles: ['manage-account', 'view-groups'] }] },
  ],
  revokeRefreshToken: [false],
  refreshTokenMaxReuse: [0],
  sslRequired: ['external'],
  defaultSignatureAlgorithm: ['RS256'],
  accessTokenLifespanForImplicitFlow: [900],
  ssoSessionIdleTimeout: [1800],
  ssoSessionMaxLifespan: [36_000],
  ssoSessionIdleTimeoutRememberMe: [0],
  ssoSessionMaxLifespanRememberMe: [0],
  offlineSessionIdleTimeout: [2_592_000],
  offlineSessionMaxLifespanEnabled: [false],
  offlineSessionMaxLifespan: [5_184_000],
  clientSessionIdleTimeout: [0],
  clientSessionMaxLifespan: [0],
  clientOfflineSessionIdleTimeout: [0],
  clientOfflineSessionMaxLifespan: [0],
  accessCodeLifespan: [60],
  accessCodeLifespanUserAction: [300],
  accessCodeLifespanLogin: [1800],
  actionTokenGeneratedByAdminLifespan: [43_200],
  actionTokenGeneratedByUserLifespan: [300],
  oauth2DeviceCodeLifespan: [600],
  oauth2DevicePollingInterval: [5, 600],
  browserFlow: ['browser'],
  registrationFlow: ['registration'],
  directGrantFlow: ['direct grant'],
  resetCredentialsFlow: ['reset credentials'],
  clientAuthenticationFlow: ['clients'],
  dockerAuthenticationFlow: ['docker auth'],
  firstBrokerLoginFlow: ['first broker login'],
  // Roles that Keycloak makes itself; versions from 13 on have a role with all of them.
  defaultRoles: [
    ['offline_access', 'uma_authorization'],
    ['uma_authorization', 'offline_access'],
  ],
  requiredCredentials: [['password']],
  otpPolicyType: ['totp'],
  otpPolicyAlgorithm: ['HmacSHA1'],
  otpPolicyInitialCounter: [0],
  otpPolicyDigits: [6],
  otpPolicyLookAheadWindow: [1],
  otpPolicyPeriod: [30],
  otpPolicyCodeReusable: [false],
  otpSupportedApplications: [
    ['FreeOTP', 'Google Authenticator'],
    ['totpAppFreeOTPName', 'totpAppGoogleName'],
    ['totpAppFreeOTPName', 'totpAppGoogleName', 'totpAppMicrosoftAuthenticatorName'],
    ['totpAppGoogleName', 'totpAppMicrosoftAuthenticatorName', 'totpAppFreeOTPName'],
    ['totpAppGoogleName', 'totpAppFreeOTPName', 'totpAppMicrosoftAuthenticatorName'],
  ],
  ...webAuthnDefaults('webAuthnPolicy'),
  ...webAuthnDefaults('webAuthnPolicyPasswordless'),
}

function webAuthnDefaults(policy: string): Readonly<Record<string, readonly unknown[]>> {
  return {
    [`${policy}RpEntityName`]: ['keycloak'],
    [`${policy}SignatureAlgorithms`]: [['ES256'], ['ES256', 'RS256']],
    [`${policy}AttestationConveyancePreference`]: ['not specified'],
    [`${policy}AuthenticatorAttachment`]: ['not specified'],
    [`${policy}ResidentKey`]: ['not specified'],
    [`${policy}RequireResidentKey`]: ['not specified', 'Yes'],
    [`${policy}UserVerificationRequirement`]: ['not specified', 'required'],
    [`${policy}CreateTimeout`]: [0],
    [`${policy}AvoidSameAuthenticatorRegister`]: [false],
    [`${policy}PasskeysEnabled`]: [false],
  }
}
