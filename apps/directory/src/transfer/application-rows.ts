import type { RecordOf } from '@signet/file-formats/export/lists'
import { forFlags } from '@signet/protocol/application-settings'
import type { GrantType } from '@signet/protocol/grant-types'
import type { ApplicationSettings } from '../applications/application.schema.ts'

type Application = (RecordOf<'oidcApps'> | RecordOf<'apiApps'>)['app']

// How the format and Signet call the same thing, each way.

export const RESPONSE_TYPES = {
  OIDC_RESPONSE_TYPE_CODE: 'code',
  OIDC_RESPONSE_TYPE_ID_TOKEN: 'id_token',
  OIDC_RESPONSE_TYPE_ID_TOKEN_TOKEN: 'id_token token',
} as const
/** The device flow is not part of Signet; an application that has it elsewhere is carried through. */
export const GRANT_TYPES: Readonly<Record<string, GrantType>> = {
  OIDC_GRANT_TYPE_AUTHORIZATION_CODE: 'authorization_code',
  OIDC_GRANT_TYPE_IMPLICIT: 'implicit',
  OIDC_GRANT_TYPE_REFRESH_TOKEN: 'refresh_token',
  OIDC_GRANT_TYPE_TOKEN_EXCHANGE: 'urn:ietf:params:oauth:grant-type:token-exchange',
}
export const APPLICATION_TYPES = {
  OIDC_APP_TYPE_WEB: 'web',
  OIDC_APP_TYPE_USER_AGENT: 'userAgent',
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

/** An application of a document, with every setting. */
export interface ImportedApplication extends ApplicationSettings {
  readonly id: string
  readonly projectId: string
}

export function oidcApplication({ appId, app }: RecordOf<'oidcApps'>): ImportedApplication {
  return {
    ...sharedSettings(appId, app),
    type: APPLICATION_TYPES[app.appType ?? 'OIDC_APP_TYPE_WEB'],
    authMethod: AUTH_METHODS[app.authMethodType ?? 'OIDC_AUTH_METHOD_TYPE_BASIC'],
  }
}

export function apiApplication({ appId, app }: RecordOf<'apiApps'>): ImportedApplication {
  return {
    ...sharedSettings(appId, app),
    type: 'api',
    authMethod: API_AUTH_METHODS[app.authMethodType ?? 'API_AUTH_METHOD_TYPE_BASIC'],
  }
}

function sharedSettings(appId: string, app: Application): Omit<ImportedApplication, 'type' | 'authMethod'> {
  return {
    id: appId,
    // Documents of another product have none; the id of the application is as unique and is known in advance.
    clientId: app.clientId ?? appId,
    projectId: app.projectId,
    name: app.name,
    state: app.state === 'APP_STATE_INACTIVE' ? 'inactive' : 'active',
    redirectUris: app.redirectUris ?? [],
    postLogoutRedirectUris: app.postLogoutRedirectUris ?? [],
    responseTypes: (app.responseTypes ?? []).map((type) => RESPONSE_TYPES[type]),
    grantTypes: [
      ...(app.grantTypes ?? []).flatMap((type) => GRANT_TYPES[type] ?? []),
      ...(app.additionalGrantTypes ?? []),
    ],
    accessTokenType: app.accessTokenType === 'OIDC_TOKEN_TYPE_JWT' ? 'jwt' : 'bearer',
    accessTokenSigningAlg: app.accessTokenSigningAlg ?? 'RS256',
    idTokenSigningAlg: app.idTokenSigningAlg ?? 'RS256',
    accessTokenLifetimeSeconds: wholeSeconds(app.accessTokenLifetime),
    idTokenLifetimeSeconds: wholeSeconds(app.idTokenLifetime),
    backChannelLogoutUri: app.backChannelLogoutUri || null,
    allowedOrigins: app.additionalOrigins ?? [],
    groupsClaim: app.groupsClaim ?? 'groups',
    claimMapping: app.claimMapping ?? {},
    ...forFlags((flag) => app[flag] ?? false),
    // Only an IAM_OWNER marks an application; an imported record must not keep a mark either.
    mayCallApi: false,
    firstParty: false,
  }
}

/** The members of an application that have no column. */
export function applicationExtras({ app }: { readonly app: Application }): Readonly<Record<string, unknown>> {
  const { version, clockSkew, skipNativeAppSuccessPage, loginVersion, grantTypes } = app
  const deviceCode = grantTypes?.includes('OIDC_GRANT_TYPE_DEVICE_CODE')
  return { version, clockSkew, skipNativeAppSuccessPage, loginVersion, ...(deviceCode && { deviceCode }) }
}

const wholeSeconds = (duration: string | undefined): number | null =>
  duration === undefined ? null : Math.trunc(Number.parseFloat(duration))

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
