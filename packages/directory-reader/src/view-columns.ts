import { APPLICATION_COLUMNS } from '@signet/protocol/application-settings'
import type {
  Account,
  Client,
  InstanceSettings,
  Organization,
  PersonalAccessToken,
  Project,
  RegisteredKey,
  ServiceUser,
  UserGrant,
} from './views.ts'

type Columns<Row> = Readonly<Record<keyof Row, string>>

export const CLIENT_COLUMNS: Columns<Client> = {
  ...APPLICATION_COLUMNS,
  kind: 'kind',
  applicationId: 'application_id',
  userId: 'user_id',
  projectId: 'project_id',
  organizationId: 'organization_id',
  secrets: 'secrets',
  keys: 'keys',
  active: 'active',
  tokenEpoch: 'token_epoch',
  organizationTokenEpoch: 'organization_token_epoch',
}

export const ACCOUNT_COLUMNS: Columns<Account> = {
  userId: 'user_id',
  kind: 'kind',
  organizationId: 'organization_id',
  organizationName: 'organization_name',
  organizationPrimaryDomain: 'organization_primary_domain',
  userName: 'user_name',
  loginName: 'login_name',
  name: 'name',
  givenName: 'given_name',
  familyName: 'family_name',
  middleName: 'middle_name',
  nickname: 'nickname',
  profile: 'profile',
  picture: 'picture',
  website: 'website',
  gender: 'gender',
  birthdate: 'birthdate',
  zoneinfo: 'zoneinfo',
  locale: 'locale',
  email: 'email',
  emailVerified: 'email_verified',
  phoneNumber: 'phone_number',
  phoneNumberVerified: 'phone_number_verified',
  streetAddress: 'street_address',
  locality: 'locality',
  region: 'region',
  postalCode: 'postal_code',
  country: 'country',
  metadata: 'metadata',
  active: 'active',
  tokenEpoch: 'token_epoch',
  organizationTokenEpoch: 'organization_token_epoch',
  updatedAt: 'updated_at',
}

export const ORGANIZATION_COLUMNS: Columns<Organization> = {
  organizationId: 'organization_id',
  name: 'name',
  primaryDomain: 'primary_domain',
  active: 'active',
  tokenEpoch: 'token_epoch',
  allowRegister: 'allow_register',
  maxPasswordAttempts: 'max_password_attempts',
  passwordMinLength: 'password_min_length',
  passwordNeedsUppercase: 'password_needs_uppercase',
  passwordNeedsLowercase: 'password_needs_lowercase',
  passwordNeedsNumber: 'password_needs_number',
  passwordNeedsSymbol: 'password_needs_symbol',
  forceMfa: 'force_mfa',
  passwordCheckLifetimeSeconds: 'password_check_lifetime_seconds',
  secondFactorCheckLifetimeSeconds: 'second_factor_check_lifetime_seconds',
  multiFactorCheckLifetimeSeconds: 'multi_factor_check_lifetime_seconds',
  maxOtpAttempts: 'max_otp_attempts',
}

export const MACHINE_KEY_COLUMNS: Columns<RegisteredKey> = {
  kid: 'kid',
  jwk: 'jwk',
  expiresAt: 'expires_at',
}

export const SERVICE_USER_COLUMNS: Columns<ServiceUser> = {
  userId: 'user_id',
  clientId: 'client_id',
  accessTokenType: 'access_token_type',
  accessTokenSigningAlg: 'access_token_signing_alg',
}

export const PERSONAL_ACCESS_TOKEN_COLUMNS: Columns<PersonalAccessToken> = {
  tokenId: 'token_id',
  userId: 'user_id',
  kind: 'kind',
  organizationId: 'organization_id',
  expiresAt: 'expires_at',
  active: 'active',
}

export const PROJECT_COLUMNS: Columns<Project> = {
  projectId: 'project_id',
  organizationId: 'organization_id',
  name: 'name',
  active: 'active',
  projectRoleAssertion: 'project_role_assertion',
  projectRoleCheck: 'project_role_check',
  hasProjectCheck: 'has_project_check',
  roleKeys: 'role_keys',
  allowedAudiences: 'allowed_audiences',
}

export const USER_GRANT_COLUMNS: Columns<UserGrant> = {
  userId: 'user_id',
  projectId: 'project_id',
  userGrantId: 'user_grant_id',
  organizationId: 'organization_id',
  organizationPrimaryDomain: 'organization_primary_domain',
  roleKeys: 'role_keys',
}

export const SETTING_COLUMNS: Columns<Omit<InstanceSettings, 'oidcTokenExchange'>> = {
  accessTokenLifetimeSeconds: 'access_token_lifetime_seconds',
  idTokenLifetimeSeconds: 'id_token_lifetime_seconds',
  refreshIdleSeconds: 'refresh_idle_seconds',
  refreshAbsoluteSeconds: 'refresh_absolute_seconds',
  refreshRetryWindowSeconds: 'refresh_retry_window_seconds',
  sessionIdleSeconds: 'session_idle_seconds',
  sessionAbsoluteSeconds: 'session_absolute_seconds',
  enableImpersonation: 'enable_impersonation',
  defaultOrganizationId: 'default_organization_id',
  allowImpersonatedApiCalls: 'allow_impersonated_api_calls',
  iamSignInMaxAgeSeconds: 'iam_sign_in_max_age_seconds',
  iamRequiresMfa: 'iam_requires_mfa',
}

/** The select list that gives each column the name of its member. */
export function selectList(columns: Readonly<Record<string, string>>): string {
  return Object.entries(columns)
    .map(([member, column]) => `${column} AS "${member}"`)
    .join(', ')
}
