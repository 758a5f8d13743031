import type { ApplicationSettings } from '../applications/application.ts'
import type { Columns } from './row-statement.ts'

/** Where each setting of an application lies. */
const COLUMNS = {
  clientId: 'client_id',
  name: 'name',
  state: 'state',
  type: 'type',
  authMethod: 'auth_method',
  redirectUris: 'redirect_uris',
  postLogoutRedirectUris: 'post_logout_redirect_uris',
  responseTypes: 'response_types',
  grantTypes: 'grant_types',
  accessTokenType: 'access_token_type',
  accessTokenSigningAlg: 'access_token_signing_alg',
  idTokenSigningAlg: 'id_token_signing_alg',
  accessTokenLifetimeSeconds: 'access_token_lifetime_seconds',
  idTokenLifetimeSeconds: 'id_token_lifetime_seconds',
  idTokenUserinfoAssertion: 'id_token_userinfo_assertion',
  accessTokenRoleAssertion: 'access_token_role_assertion',
  idTokenRoleAssertion: 'id_token_role_assertion',
  backChannelLogoutUri: 'back_channel_logout_uri',
  allowedOrigins: 'allowed_origins',
  devMode: 'dev_mode',
  pkceOptional: 'pkce_optional',
  refreshTokensSurviveLogout: 'refresh_tokens_survive_logout',
} as const satisfies Readonly<Record<keyof ApplicationSettings, string>>

export const APPLICATION_SETTINGS: readonly string[] = Object.keys(COLUMNS)

/** The list of a SELECT that reads every setting under its name. */
export const APPLICATION_SELECT_LIST = Object.entries(COLUMNS)
  .map(([setting, column]) =>
    setting === 'type'
      ? `CASE type WHEN 'user_agent' THEN 'userAgent' ELSE type END AS type`
      : `${column} AS "${setting}"`,
  )
  .join(', ')

/** The columns of the settings that are given. */
export function applicationColumns(settings: object): Columns {
  const values: Readonly<Record<string, unknown>> = { ...settings }
  const given = Object.entries(COLUMNS).filter(([setting]) => values[setting] !== undefined)
  return Object.fromEntries(
    given.map(([setting, column]) => [
      column,
      setting === 'type' && values.type === 'userAgent' ? 'user_agent' : values[setting],
    ]),
  )
}
