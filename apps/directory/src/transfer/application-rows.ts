import type { RecordOf } from '@signet/file-formats/export/records'

type Application = (RecordOf<'oidcApps'> | RecordOf<'apiApps'>)['app']

// How the format and the tables call the same thing, each way.

export const RESPONSE_TYPES = {
  OIDC_RESPONSE_TYPE_CODE: 'code',
  OIDC_RESPONSE_TYPE_ID_TOKEN: 'id_token',
  OIDC_RESPONSE_TYPE_ID_TOKEN_TOKEN: 'id_token token',
} as const
/** The device flow is not part of Signet; an application that has it elsewhere is carried through. */
export const GRANT_TYPES: Readonly<Record<string, string>> = {
  OIDC_GRANT_TYPE_AUTHORIZATION_CODE: 'authorization_code',
  OIDC_GRANT_TYPE_IMPLICIT: 'implicit',
  OIDC_GRANT_TYPE_REFRESH_TOKEN: 'refresh_token',
  OIDC_GRANT_TYPE_TOKEN_EXCHANGE: 'urn:ietf:params:oauth:grant-type:token-exchange',
}
export const APPLICATION_TYPES = {
  OIDC_APP_TYPE_WEB: 'web',
  OIDC_APP_TYPE_USER_AGENT: 'user_agent',
  OIDC_APP_TYPE_NATIVE: 'native',
} as const
export const AUTH_METHODS = {
  OIDC_AUTH_METHOD_TYPE_BASIC: 'client_secret_basic',
  OIDC_AUTH_METHOD_TYPE_POST: 'client_secret_post',
  OIDC_AUTH_METHOD_TYPE_NONE: 'none',
  OIDC_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT: 'private_key_jwt',
} as const
export const API_AUTH_METHODS = {
  API_AUTH_METHOD_TYPE_BASIC: 'client_secret_basic',
  API_AUTH_METHOD_TYPE_POST: 'client_secret_post',
  API_AUTH_METHOD_TYPE_NONE: 'none',
  API_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT: 'private_key_jwt',
} as const

export interface ApplicationRow {
  readonly application_id: string
  readonly client_id: string
  readonly project_id: string
  readonly name: string
  readonly state: 'active' | 'inactive'
  readonly type: 'web' | 'user_agent' | 'native' | 'api'
  readonly auth_method: string
  readonly redirect_uris: readonly string[]
  readonly post_logout_redirect_uris: readonly string[]
  readonly response_types: readonly string[]
  readonly grant_types: readonly string[]
  readonly access_token_type: 'bearer' | 'jwt'
  readonly access_token_signing_alg: string
  readonly id_token_signing_alg: string
  readonly access_token_lifetime_seconds?: number | undefined
  readonly id_token_lifetime_seconds?: number | undefined
  readonly id_token_userinfo_assertion: boolean
  readonly access_token_role_assertion: boolean
  readonly id_token_role_assertion: boolean
  readonly back_channel_logout_uri?: string | undefined
  readonly allowed_origins: readonly string[]
  readonly dev_mode: boolean
  readonly pkce_optional: boolean
  readonly refresh_tokens_survive_logout: boolean
  readonly may_call_api: boolean
  readonly first_party: boolean
}

export function oidcApplicationRow({ appId, app }: RecordOf<'oidcApps'>): ApplicationRow {
  return {
    ...sharedColumns(appId, app),
    type: APPLICATION_TYPES[app.appType ?? 'OIDC_APP_TYPE_WEB'],
    auth_method: AUTH_METHODS[app.authMethodType ?? 'OIDC_AUTH_METHOD_TYPE_BASIC'],
  }
}

export function apiApplicationRow({ appId, app }: RecordOf<'apiApps'>): ApplicationRow {
  return {
    ...sharedColumns(appId, app),
    type: 'api',
    auth_method: API_AUTH_METHODS[app.authMethodType ?? 'API_AUTH_METHOD_TYPE_BASIC'],
  }
}

function sharedColumns(appId: string, app: Application): Omit<ApplicationRow, 'type' | 'auth_method'> {
  return {
    application_id: appId,
    // Another product's document has none; the id of the application is as unique and can be told beforehand.
    client_id: app.clientId ?? appId,
    project_id: app.projectId,
    name: app.name,
    state: app.state === 'APP_STATE_INACTIVE' ? 'inactive' : 'active',
    redirect_uris: app.redirectUris ?? [],
    post_logout_redirect_uris: app.postLogoutRedirectUris ?? [],
    response_types: (app.responseTypes ?? []).map((type) => RESPONSE_TYPES[type]),
    grant_types: [
      ...(app.grantTypes ?? []).flatMap((type) => GRANT_TYPES[type] ?? []),
      ...(app.additionalGrantTypes ?? []),
    ],
    access_token_type: app.accessTokenType === 'OIDC_TOKEN_TYPE_JWT' ? 'jwt' : 'bearer',
    access_token_signing_alg: app.accessTokenSigningAlg ?? 'RS256',
    id_token_signing_alg: app.idTokenSigningAlg ?? 'RS256',
    access_token_lifetime_seconds: wholeSeconds(app.accessTokenLifetime),
    id_token_lifetime_seconds: wholeSeconds(app.idTokenLifetime),
    id_token_userinfo_assertion: app.idTokenUserinfoAssertion ?? false,
    access_token_role_assertion: app.accessTokenRoleAssertion ?? false,
    id_token_role_assertion: app.idTokenRoleAssertion ?? false,
    back_channel_logout_uri: app.backChannelLogoutUri || undefined,
    allowed_origins: app.additionalOrigins ?? [],
    dev_mode: app.devMode ?? false,
    pkce_optional: app.pkceOptional ?? false,
    refresh_tokens_survive_logout: app.refreshTokensSurviveLogout ?? false,
    // Only an IAM_OWNER marks an application; an imported record must not keep a mark either.
    may_call_api: false,
    first_party: false,
  }
}

/** What an application brings that has no column. */
export function applicationExtras({ app }: { readonly app: Application }): Readonly<Record<string, unknown>> {
  const { version, clockSkew, skipNativeAppSuccessPage, loginVersion, grantTypes } = app
  const deviceCode = grantTypes?.includes('OIDC_GRANT_TYPE_DEVICE_CODE')
  return { version, clockSkew, skipNativeAppSuccessPage, loginVersion, ...(deviceCode && { deviceCode }) }
}

const wholeSeconds = (duration: string | undefined): number | undefined =>
  duration === undefined ? undefined : Math.trunc(Number.parseFloat(duration))

/** A client secret as the tables have it. */
export interface SecretRow {
  readonly owner_id: string
  readonly hash: string
  readonly expires_at?: string | undefined
}

/** The secrets of a client; those that may expire stand in a list of their own. */
export function secretRows(
  owner: string,
  { clientSecretHash, clientSecretHashes }: Pick<Application, 'clientSecretHash' | 'clientSecretHashes'>,
): readonly SecretRow[] {
  if (clientSecretHashes !== undefined) {
    return clientSecretHashes.map(({ hash, expirationDate }) => ({
      owner_id: owner,
      hash,
      expires_at: expirationDate,
    }))
  }
  return clientSecretHash === undefined ? [] : [{ owner_id: owner, hash: clientSecretHash }]
}
