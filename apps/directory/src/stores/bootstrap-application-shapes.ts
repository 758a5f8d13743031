import { GRANT_TYPES } from '@signet/oauth-protocol/grant-types'
import type { Queryable } from '@signet/postgres/pool'
import type { FieldValues } from '../bootstrap/merge-bootstrap.ts'
import type { APPLICATION_TYPES } from '../bootstrap/schema/application.ts'
import { type CredentialWriting, setClientSecret } from './bootstrap-credentials.ts'
import { ownerId } from './bootstrap-organization-shapes.ts'
import type { TableShape } from './bootstrap-table-writer.ts'

type Kind = 'application' | 'application_key'
type ApplicationType = (typeof APPLICATION_TYPES)[number]

/** bootstrap-file.md: what an application is given that does not say; the authorization code flow with refresh. */
const CODE_FLOW = {
  response_types: ['code'],
  grant_types: [GRANT_TYPES.authorizationCode, GRANT_TYPES.refreshToken],
}
const DEFAULTS = {
  web: { ...CODE_FLOW, auth_method: 'client_secret_basic' },
  userAgent: { ...CODE_FLOW, auth_method: 'none' },
  native: { ...CODE_FLOW, auth_method: 'none' },
  api: { response_types: [], grant_types: [], auth_method: 'client_secret_basic' },
} as const satisfies Record<ApplicationType, Readonly<Record<string, unknown>>>

export function applicationShapes(
  tx: Queryable,
  writing: CredentialWriting,
): Readonly<Record<Kind, TableShape>> {
  return {
    application: {
      table: 'application',
      identity: ({ id }) => ({ application_id: id }),
      owner: (object) => ({ project_id: ownerId(object) }),
      initial: (_, values: FieldValues) => ({
        client_id: writing.newId(),
        created_at: writing.now(),
        ...DEFAULTS[values.get('type') as ApplicationType],
      }),
      columns: COLUMNS,
      effects: {
        clientSecret: ({ id }, secret) =>
          setClientSecret(
            tx,
            writing,
            { table: 'application_secret', column: 'application_id', id },
            String(secret),
          ),
      },
    },
    application_key: {
      table: 'application_key',
      identity: (object) => ({ application_id: ownerId(object), kid: object.id }),
      columns: { jwk: (jwk) => ({ jwk: JSON.stringify(jwk) }) },
    },
  }
}

const COLUMNS: TableShape['columns'] = {
  clientId: (client_id) => ({ client_id }),
  name: (name) => ({ name }),
  type: (type) => ({ type: type === 'userAgent' ? 'user_agent' : type }),
  authMethod: (auth_method) => ({ auth_method }),
  redirectUris: (redirect_uris) => ({ redirect_uris }),
  postLogoutRedirectUris: (post_logout_redirect_uris) => ({ post_logout_redirect_uris }),
  responseTypes: (response_types) => ({ response_types }),
  grantTypes: (grant_types) => ({ grant_types }),
  accessTokenType: (access_token_type) => ({ access_token_type }),
  accessTokenSigningAlg: (access_token_signing_alg) => ({ access_token_signing_alg }),
  idTokenSigningAlg: (id_token_signing_alg) => ({ id_token_signing_alg }),
  accessTokenLifetime: (access_token_lifetime_seconds) => ({ access_token_lifetime_seconds }),
  idTokenLifetime: (id_token_lifetime_seconds) => ({ id_token_lifetime_seconds }),
  idTokenUserinfoAssertion: (id_token_userinfo_assertion) => ({ id_token_userinfo_assertion }),
  accessTokenRoleAssertion: (access_token_role_assertion) => ({ access_token_role_assertion }),
  idTokenRoleAssertion: (id_token_role_assertion) => ({ id_token_role_assertion }),
  backChannelLogoutUri: (back_channel_logout_uri) => ({ back_channel_logout_uri }),
  allowedOrigins: (allowed_origins) => ({ allowed_origins }),
  devMode: (dev_mode) => ({ dev_mode }),
  pkceOptional: (pkce_optional) => ({ pkce_optional }),
  refreshTokensSurviveLogout: (refresh_tokens_survive_logout) => ({ refresh_tokens_survive_logout }),
}
