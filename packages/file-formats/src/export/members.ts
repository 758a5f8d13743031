import { forFlags } from '@signet/protocol/application-settings'
import { ORG_MEMBERS } from '@signet/protocol/fields/organization'
import { PROJECT_FIELDS } from '@signet/protocol/fields/project'
import { ROLE_FIELDS } from '@signet/protocol/fields/role'
import type { ListName } from './lists.ts'
import {
  carried,
  changed,
  every,
  fieldTreatments,
  inside,
  kept,
  keptBut,
  keptWith,
  leftOut,
  moved,
  rfcAlgorithm,
  secrets,
  type Treatments,
  time,
  trimmed,
  unread,
  values,
} from './member-treatment.ts'
import { humanUser, machineUser } from './user-members.ts'

const base64 = changed('standard base64 with padding', (value) =>
  Buffer.from(String(value), 'base64').toString('base64'),
)
const sorted = changed('sorted, each once', (value) => [...new Set(value as string[])].sort())
const ownOrganization = changed('the id of the organization', (_value, record) => record.orgId)
const wholeDuration = changed('whole seconds; one out of bounds is left out and reported', (value) =>
  String(value).replace(/\.\d+/, ''),
)
const refusedElsewhere = keptBut('one that the management API refuses is left out and reported')

const application: Treatments = {
  appId: kept,
  ...inside('app', {
    name: trimmed,
    ...every(['projectId', 'responseTypes', 'grantTypes', 'additionalGrantTypes', 'clientId'], kept),
    ...every(
      [
        ...['redirectUris', 'postLogoutRedirectUris', 'additionalOrigins'],
        ...['backChannelLogoutUri', 'homePage', 'initiateLoginUri'],
        ...['tlsClientAuthSubjectDn', 'tlsClientAuthSanDns', 'tlsClientAuthSanUri'],
        ...['tlsClientAuthSanIp', 'tlsClientAuthSanEmail'],
      ],
      refusedElsewhere,
    ),
    accessTokenType: values({ OIDC_TOKEN_TYPE_BEARER: null }),
    ...secrets,
    state: values({ APP_STATE_UNSPECIFIED: 'APP_STATE_ACTIVE' }),
    ...every(['idTokenSigningAlg', 'accessTokenSigningAlg'], rfcAlgorithm),
    ...every(['accessTokenLifetime', 'idTokenLifetime'], wholeDuration),
    groupsClaim: values({ groups: null }),
    claimMapping: keptBut('a claim that must not come from metadata is left out and reported'),
    crossAppAccess: keptBut('an issuer that breaks a rule is left out and reported'),
    ...forFlags(() => kept),
    ...every(['mayCallApi', 'firstParty'], leftOut('an IAM_OWNER of each instance sets it; a note says so')),
    ...every(['version', 'clockSkew', 'skipNativeAppSuccessPage', 'loginVersion'], carried),
  }),
  creationDate: time,
}

const exportsNoKeys = 'an import stores it, an export has no keys: register new ones on the target'
const key: Treatments = every(['expirationDate', 'publicKey', 'creationDate'], leftOut(exportsNoKeys))
const trust: Treatments = {
  id: kept,
  ...every(['issuer', 'subject'], kept),
  claims: keptBut('none where it is left out, also by an update'),
  keySet: keptBut('none where it is left out, also by an update: the keys are then read by discovery'),
  creationDate: time,
}
const texts: Treatments = { language: kept, '*': carried }
const identityProvider: Treatments = {
  idpId: kept,
  '*': keptWith('with_secrets', 'stored, not used; without the option its secrets alone are left out'),
}

const organization: Treatments = {
  orgId: kept,
  ...inside('org', fieldTreatments(ORG_MEMBERS)),
  'initial.name': leftOut('`org.name` of an organization that the import creates, where that is left out'),
  'initial.allowUsernamePassword': leftOut(
    'that of the `loginPolicy` of an organization that the import creates, where that leaves it out',
  ),
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
    ...every(['primaryColor', 'warnColor', 'backgroundColor', 'fontColor'], refusedElsewhere),
    ...every(['primaryColorDark', 'warnColorDark', 'backgroundColorDark', 'fontColorDark'], refusedElsewhere),
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
    ...every(['sessionEndsWithBrowser', 'allowImpersonation'], kept),
    ...every(['disableLoginWithPhone', 'passwordCheckLifetime', 'externalLoginCheckLifetime'], kept),
    ...every(['mfaInitSkipLifetime', 'secondFactorCheckLifetime', 'multiFactorCheckLifetime'], kept),
    ...every(['secondFactors', 'multiFactors', 'idps[].idpId', 'idps[].ownerType'], kept),
  }),
  ...inside('passwordComplexityPolicy', {
    minLength: changed('written as text, as protojson writes 64-bit integers', String),
    ...every(['hasUppercase', 'hasLowercase', 'hasNumber', 'hasSymbol'], kept),
  }),
  ...inside('privacyPolicy', {
    ...every(
      ['tosLink', 'privacyLink', 'helpLink', 'docsLink', 'customLink', 'supportEmail', 'customLinkText'],
      refusedElsewhere,
    ),
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

/** The treatment of every member of the format, by list. */
export const MEMBER_TREATMENTS: Readonly<Record<'organization' | ListName, Treatments>> = {
  organization,
  humanUsers: humanUser,
  machineUsers: machineUser,
  projects: {
    projectId: kept,
    ...inside('project', fieldTreatments(PROJECT_FIELDS)),
    'initial.name': leftOut('`project.name` of a project that the import creates, where that is left out'),
    creationDate: time,
  },
  userMetadata: { id: kept, key: kept, value: base64 },
  orgMetadata: { key: kept, value: base64 },
  machineKeys: { ...every(['keyId', 'userId'], leftOut(exportsNoKeys)), type: unread, ...key },
  machineTrustedIssuers: { userId: kept, ...trust },
  projectRoles: {
    ...every(['projectId', 'roleKey'], kept),
    ...fieldTreatments(ROLE_FIELDS),
    displayName: changed(
      'without spaces at its ends; an empty one becomes the key',
      (value, { roleKey }) => String(value).trim() || roleKey,
    ),
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
  appTrustedIssuers: { appId: kept, ...trust },
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
  oidcIdps: {
    idpId: kept,
    '*': keptWith(
      'with_secrets',
      'with `idp.issuer` and `idp.clientId`, for SAML with `idp.type`, `idp.ssoUrl` and `idp.certificates`, and for LDAP with `idp.type`, `idp.servers` and `idp.baseDn`, it is an identity provider, else it is stored, not used; without the option its secrets alone are left out',
    ),
  },
  jwtIdps: identityProvider,
  userLinks: {
    ...every(['userId', 'idpId', 'providedUserId', 'providedUserName', 'issuer'], kept),
    linkId: keptBut('an identity that is linked keeps its own; one is made when it is left out'),
    creationDate: time,
    lastUseDate: time,
    '*': carried,
  },
  loginTexts: {
    language: kept,
    '*': keptBut(
      'those of pages that exist act (docs/guides/page-texts.md); the others are stored, not used',
    ),
  },
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
