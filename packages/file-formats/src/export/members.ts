import { forFlags } from '@signet/protocol/application-settings'
import type { ListName } from './lists.ts'
import {
  at,
  changed,
  every,
  inside,
  type Json,
  kept,
  keptBut,
  keptWith,
  leftOut,
  moved,
  type Treatment,
  type Treatments,
  values,
} from './member-treatment.ts'

const carried = keptBut('stored, not used')
const toMilliseconds = (value: unknown) => new Date(String(value)).toISOString().replace('.000Z', 'Z')
const time = changed(
  'in UTC, to the millisecond; a time in the future is left out and reported',
  toMilliseconds,
)
const trimmed = changed('without spaces at its ends', (value) => String(value).trim())
const base64 = changed('standard base64 with padding', (value) =>
  Buffer.from(String(value), 'base64').toString('base64'),
)
const sorted = changed('sorted, each once', (value) => [...new Set(value as string[])].sort())
const ownOrganization = changed('the id of the organization', (_value, record) => record.orgId)
const rfcAlgorithm = values({ RS256: null })
const wholeDuration = changed('whole seconds; one out of bounds is left out and reported', (value) =>
  String(value).replace(/\.\d+/, ''),
)
const uri = keptBut('one that the management API refuses is left out and reported')

const userState = values({
  USER_STATE_UNSPECIFIED: 'USER_STATE_ACTIVE',
  USER_STATE_INITIAL: 'USER_STATE_ACTIVE',
  USER_STATE_DELETED: 'USER_STATE_INACTIVE',
  USER_STATE_SUSPEND: 'USER_STATE_INACTIVE',
})

const secrets: Treatments = {
  clientSecretHash: keptWith('with_passwords', 'without effect beside `clientSecretHashes`'),
  'clientSecretHashes[].hash': keptWith(
    'with_passwords',
    'one hash that does not expire becomes `clientSecretHash`',
  ),
  'clientSecretHashes[].expirationDate': {
    ...changed('in UTC, to the millisecond', toMilliseconds),
    option: 'with_passwords',
  },
}

const DEVICE_FLOW = 'OIDC_GRANT_TYPE_DEVICE_CODE'

const application: Treatments = {
  appId: kept,
  ...inside('app', {
    ...every(['projectId', 'name', 'responseTypes', 'additionalGrantTypes', 'clientId'], kept),
    ...every(['redirectUris', 'postLogoutRedirectUris', 'additionalOrigins', 'backChannelLogoutUri'], uri),
    grantTypes: changed('the device flow, which is stored and not used, comes last', (value) => {
      const [device, others] = [true, false].map((is) =>
        (value as string[]).filter((type) => (type === DEVICE_FLOW) === is),
      )
      return [...(others ?? []), ...(device ?? []).slice(0, 1)]
    }),
    accessTokenType: values({ OIDC_TOKEN_TYPE_BEARER: null }),
    ...secrets,
    state: values({ APP_STATE_UNSPECIFIED: 'APP_STATE_ACTIVE' }),
    ...every(['idTokenSigningAlg', 'accessTokenSigningAlg'], rfcAlgorithm),
    ...every(['accessTokenLifetime', 'idTokenLifetime'], wholeDuration),
    groupsClaim: values({ groups: null }),
    claimMapping: keptBut('a claim that must not come from metadata is left out and reported'),
    ...forFlags(() => kept),
    ...every(['mayCallApi', 'firstParty'], leftOut('an IAM_OWNER of each instance sets it; a note says so')),
    ...every(['version', 'clockSkew', 'skipNativeAppSuccessPage', 'loginVersion'], carried),
  }),
  creationDate: time,
}

const exportsNoKeys = 'an import stores it, an export has no keys: register new ones on the target'
const key: Treatments = every(['expirationDate', 'publicKey', 'creationDate'], leftOut(exportsNoKeys))
const unread = leftOut('nothing needs it')

const texts: Treatments = { language: kept, '*': carried }
const identityProvider: Treatments = {
  idpId: kept,
  '*': keptWith('with_secrets', 'stored, not used; without the option its secrets alone are left out'),
}

const organization: Treatments = {
  orgId: kept,
  'org.name': kept,
  orgState: values({ ORG_STATE_UNSPECIFIED: 'ORG_STATE_ACTIVE', ORG_STATE_REMOVED: 'ORG_STATE_INACTIVE' }),
  creationDate: time,
  ...inside('domains[]', {
    orgId: ownOrganization,
    details: unread,
    domainName: changed(
      'in lower case; one that another organization has verified is left out and reported',
      (value) => String(value).toLowerCase(),
    ),
    isVerified: kept,
    isPrimary: keptBut('of several the first; without one, the first that is verified'),
    validationType: values({ DOMAIN_VALIDATION_TYPE_UNSPECIFIED: null }),
  }),
  ...inside('domainPolicy', {
    orgId: ownOrganization,
    ...every(['userLoginMustBeDomain', 'validateOrgDomains', 'smtpSenderAddressMatchesInstanceDomain'], kept),
  }),
  ...inside('labelPolicy', {
    ...every(['primaryColor', 'warnColor', 'backgroundColor', 'fontColor'], kept),
    ...every(['primaryColorDark', 'warnColorDark', 'backgroundColorDark', 'fontColorDark'], kept),
    ...every(['hideLoginNameSuffix', 'disableWatermark', 'themeMode'], kept),
  }),
  ...inside('lockoutPolicy', every(['maxPasswordAttempts', 'maxOtpAttempts'], changed('a number', Number))),
  ...inside('loginPolicy', {
    ...every(['allowUsernamePassword', 'allowRegister', 'allowExternalIdp', 'forceMfa'], kept),
    ...every(
      ['forceMfaLocalOnly', 'passwordlessType', 'hidePasswordReset', 'identifierFirst', 'defaultRedirectUri'],
      kept,
    ),
    ...every(['ignoreUnknownUsernames', 'allowDomainDiscovery', 'disableLoginWithEmail'], kept),
    ...every(['disableLoginWithPhone', 'passwordCheckLifetime', 'externalLoginCheckLifetime'], kept),
    ...every(['mfaInitSkipLifetime', 'secondFactorCheckLifetime', 'multiFactorCheckLifetime'], kept),
    ...every(['secondFactors', 'multiFactors', 'idps[].idpId', 'idps[].ownerType'], kept),
  }),
  ...inside('passwordComplexityPolicy', {
    minLength: changed('written as text, as protojson writes 64-bit integers', String),
    ...every(['hasUppercase', 'hasLowercase', 'hasNumber', 'hasSymbol'], kept),
  }),
  ...inside('privacyPolicy', {
    ...every(['tosLink', 'privacyLink', 'helpLink', 'docsLink', 'customLink'], uri),
    ...every(['supportEmail', 'customLinkText'], kept),
  }),
  ...inside('iamPolicy', {
    orgId: unread,
    userLoginMustBeDomain: moved('domainPolicy.userLoginMustBeDomain'),
    validateOrgDomains: moved('domainPolicy.validateOrgDomains'),
    smtpSenderAddressMatchesInstanceDomain: moved('domainPolicy.smtpSenderAddressMatchesInstanceDomain'),
  }),
  'secondFactors[].type': moved('loginPolicy.secondFactors'),
  'multiFactors[].type': moved('loginPolicy.multiFactors'),
  'idps[].idpId': moved('loginPolicy.idps[].idpId'),
  'idps[].ownerType': moved('loginPolicy.idps[].ownerType'),
}

const totpSecret: Treatment = {
  ...changed('in upper case, without spaces and padding', (value) =>
    String(value).toUpperCase().replace(/[\s=]/g, ''),
  ),
  option: 'with_otp',
}

const passkeyTime: Treatment = {
  ...changed('in UTC, to the millisecond', toMilliseconds),
  option: 'with_passkeys',
}

const passkeys: Treatments = {
  handle: keptWith('with_passkeys', 'left out and reported for a user who existed before'),
  ...inside('credentials[]', {
    passkeyId: keptWith('with_passkeys'),
    rpId: keptWith(
      'with_passkeys',
      'a passkey of another RP ID than that of the instance is left out and reported',
    ),
    ...every(
      ['credentialId', 'publicKey', 'counter', 'transports', 'aaguid', 'name'],
      keptWith('with_passkeys'),
    ),
    ...every(['backupEligible', 'backedUp'], keptWith('with_passkeys')),
    ...every(['creationDate', 'lastUseDate', 'clonedDate'], passkeyTime),
  }),
}

const hasPassword = (record: Json) => at(record, 'user.hashedPassword') ?? at(record, 'user.password')

function madeDisplayName(user: Json): unknown {
  const names = ['firstName', 'lastName'].flatMap((name) => at(user, `profile.${name}`) || [])
  return (names.join(' ') || String(user.userName)).slice(0, 200)
}

const humanUser: Treatments = {
  userId: kept,
  ...inside('user', {
    userName: trimmed,
    ...inside('profile', {
      ...every(['firstName', 'lastName', 'nickName', 'preferredLanguage', 'middleName'], kept),
      ...every(['picture', 'profileUrl', 'website', 'birthdate', 'zoneinfo'], kept),
      displayName: changed(
        'an empty one is made of the first and last name, or of the user name',
        (value, { user }) => value || madeDisplayName(user as Json),
      ),
      gender: changed('left out when it is unspecified, or `genderText` is given', (value, record) =>
        value === 'GENDER_UNSPECIFIED' || at(record, 'user.profile.genderText') ? undefined : value,
      ),
      genderText: kept,
    }),
    'email.email': kept,
    'email.isEmailVerified': keptBut('a note counts the verified addresses of each domain'),
    'phone.phone': kept,
    'phone.isPhoneVerified': changed('left out when the number is empty', (value, record) =>
      at(record, 'user.phone.phone') === '' ? undefined : value,
    ),
    ...inside('address', every(['streetAddress', 'locality', 'region', 'postalCode', 'country'], kept)),
    password: leftOut('it is hashed; an export has `hashedPassword`'),
    'hashedPassword.value': keptWith(
      'with_passwords',
      'until the next sign-in, which hashes the password again',
    ),
    'hashedPassword.algorithm': unread,
    passwordChangeRequired: changed('left out for a user without a password', (value, record) =>
      hasPassword(record) === undefined ? undefined : value,
    ),
    requestPasswordlessRegistration: carried,
    otpCode: totpSecret,
    ...inside('totpDevices[]', {
      secret: totpSecret,
      name: keptWith('with_otp', 'one without a name that has the usual parameters becomes `otpCode`'),
      ...every(['algorithm', 'digits', 'period'], keptWith('with_otp')),
    }),
    ...inside('passkeys', passkeys),
    idps: carried,
    recoveryCodes: keptWith('with_otp', 'stored, not used'),
  }),
  state: userState,
  ...every(['creationDate', 'changeDate'], time),
}

const machineUser: Treatments = {
  userId: kept,
  'user.userId': unread,
  'user.userName': trimmed,
  'user.name': kept,
  'user.description': carried,
  'user.accessTokenType': values({ ACCESS_TOKEN_TYPE_BEARER: null }),
  accessTokenSigningAlg: rfcAlgorithm,
  clientId: keptBut('one is made of the user name when it is left out'),
  ...secrets,
  state: userState,
  ...every(['creationDate', 'changeDate'], time),
}

/** The treatment of every member of the format, by list. */
export const MEMBER_TREATMENTS: Readonly<Record<'organization' | ListName, Treatments>> = {
  organization,
  humanUsers: humanUser,
  machineUsers: machineUser,
  projects: {
    projectId: kept,
    ...inside('project', {
      ...every(['name', 'projectRoleAssertion', 'projectRoleCheck', 'hasProjectCheck'], kept),
      allowedAudiences: kept,
      privateLabelingSetting: kept,
    }),
    creationDate: time,
  },
  userMetadata: { id: kept, key: kept, value: base64 },
  orgMetadata: { key: kept, value: base64 },
  machineKeys: { ...every(['keyId', 'userId'], leftOut(exportsNoKeys)), type: unread, ...key },
  projectRoles: {
    ...every(['projectId', 'roleKey', 'group'], kept),
    displayName: changed('an empty one becomes the key', (value, { roleKey }) => value || roleKey),
  },
  oidcApps: {
    ...application,
    'app.appType': values({ OIDC_APP_TYPE_WEB: null }),
    'app.authMethodType': values({ OIDC_AUTH_METHOD_TYPE_BASIC: null }),
  },
  apiApps: {
    ...application,
    ...every(
      ['app.redirectUris', 'app.postLogoutRedirectUris'],
      leftOut('an API application has no sign-in; reported'),
    ),
    'app.authMethodType': values({ API_AUTH_METHOD_TYPE_BASIC: null }),
  },
  appKeys: {
    ...every(['id', 'appId'], leftOut(exportsNoKeys)),
    ...every(['projectId', 'clientId', 'type'], unread),
    ...key,
  },
  projectGrants: {
    grantId: kept,
    'projectGrant.projectId': kept,
    'projectGrant.grantedOrgId': kept,
    'projectGrant.roleKeys': carried,
  },
  userGrants: {
    ...every(['userId', 'projectId'], kept),
    projectGrantId: carried,
    roleKeys: sorted,
    userGrantId: keptBut(
      'a grant that exists keeps its own; the id of another grant is refused; one is made when it is left out',
    ),
    creationDate: time,
  },
  orgMembers: { userId: keptBut('a member without roles is none'), roles: sorted },
  projectMembers: { userId: keptBut('a member without roles is none'), projectId: kept, roles: sorted },
  projectGrantMembers: { ...every(['projectId', 'grantId', 'userId'], kept), roles: carried, '*': carried },
  actions: { actionId: kept, '*': carried },
  triggerActions: {
    ...every(['flowType', 'triggerType'], changed('the id of the v2 layout', String)),
    actionIds: carried,
    '*': carried,
  },
  oidcIdps: identityProvider,
  jwtIdps: identityProvider,
  userLinks: { ...every(['userId', 'idpId', 'providedUserId'], kept), '*': carried },
  loginTexts: texts,
  initMessages: texts,
  passwordResetMessages: texts,
  verifyEmailMessages: texts,
  verifyPhoneMessages: texts,
  domainClaimedMessages: texts,
  passwordlessRegistrationMessages: texts,
  verifySmsOtpMessages: texts,
  verifyEmailOtpMessages: texts,
  inviteUserMessages: texts,
  passwordChangeMessages: texts,
  newSignInMessages: texts,
  factorAddedMessages: texts,
  factorRemovedMessages: texts,
}
