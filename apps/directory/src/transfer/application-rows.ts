import { isDeepStrictEqual } from 'node:util'
import { applicationNameOf } from '@signet/file-formats/export/given-names'
import type { RecordOf } from '@signet/file-formats/export/lists'
import { forFlags, RECIPIENT_SETTINGS } from '@signet/protocol/application-settings'
import { forCertificateNames } from '@signet/protocol/certificate-subject'
import type { GrantType } from '@signet/protocol/grant-types'
import type { ApplicationSettings } from '../applications/application.schema.ts'
import { isWithSecret } from '../applications/application-rules.ts'
import { withoutUndefined } from './without-undefined.ts'

type Application = (RecordOf<'oidcApps'> | RecordOf<'apiApps'>)['app']

// How the format and Signet call the same thing, each way.

export const RESPONSE_TYPES = {
  OIDC_RESPONSE_TYPE_CODE: 'code',
  OIDC_RESPONSE_TYPE_ID_TOKEN: 'id_token',
  OIDC_RESPONSE_TYPE_ID_TOKEN_TOKEN: 'id_token token',
} as const
export const GRANT_TYPES: Readonly<Record<string, GrantType>> = {
  OIDC_GRANT_TYPE_AUTHORIZATION_CODE: 'authorization_code',
  OIDC_GRANT_TYPE_IMPLICIT: 'implicit',
  OIDC_GRANT_TYPE_REFRESH_TOKEN: 'refresh_token',
  OIDC_GRANT_TYPE_TOKEN_EXCHANGE: 'urn:ietf:params:oauth:grant-type:token-exchange',
  OIDC_GRANT_TYPE_DEVICE_CODE: 'urn:ietf:params:oauth:grant-type:device_code',
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
  OIDC_AUTH_METHOD_TYPE_TLS_CLIENT_AUTH: 'tls_client_auth',
  OIDC_AUTH_METHOD_TYPE_SELF_SIGNED_TLS_CLIENT_AUTH: 'self_signed_tls_client_auth',
} as const
export const API_AUTH_METHODS = {
  API_AUTH_METHOD_TYPE_BASIC: 'client_secret_basic',
  API_AUTH_METHOD_TYPE_POST: 'client_secret_post',
  API_AUTH_METHOD_TYPE_NONE: 'none',
  API_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT: 'private_key_jwt',
  API_AUTH_METHOD_TYPE_TLS_CLIENT_AUTH: 'tls_client_auth',
  API_AUTH_METHOD_TYPE_SELF_SIGNED_TLS_CLIENT_AUTH: 'self_signed_tls_client_auth',
} as const

/** An application of a document, with every setting. */
export interface ImportedApplication extends ApplicationSettings {
  readonly id: string
  readonly projectId: string
}

/** The settings of an application that its record gives. */
export type GivenApplication = Pick<ImportedApplication, 'id' | 'projectId'> & Partial<ImportedApplication>

/** The settings of an application that is new, where its record does not say them. */
const INITIAL = {
  type: 'web',
  authMethod: 'client_secret_basic',
  state: 'active',
  redirectUris: [],
  postLogoutRedirectUris: [],
  responseTypes: [],
  grantTypes: [],
  accessTokenType: 'bearer',
  accessTokenSigningAlg: 'RS256',
  idTokenSigningAlg: 'RS256',
  accessTokenLifetimeSeconds: null,
  idTokenLifetimeSeconds: null,
  backChannelLogoutUri: null,
  homePage: null,
  initiateLoginUri: null,
  allowedOrigins: [],
  groupsClaim: 'groups',
  claimMapping: {},
  crossAppAccess: {},
  ...forCertificateNames(() => null),
  ...forFlags(() => false),
} as const satisfies Partial<ImportedApplication>

export const oidcApplication = ({ appId, app }: RecordOf<'oidcApps'>): GivenApplication => ({
  ...sharedSettings(appId, app),
  ...withoutUndefined({
    type: app.appType && APPLICATION_TYPES[app.appType],
    authMethod: app.authMethodType && AUTH_METHODS[app.authMethodType],
  }),
})

export const apiApplication = ({ appId, app }: RecordOf<'apiApps'>): GivenApplication => ({
  ...sharedSettings(appId, app),
  type: 'api',
  ...withoutUndefined({ authMethod: app.authMethodType && API_AUTH_METHODS[app.authMethodType] }),
})

function sharedSettings(appId: string, app: Application): GivenApplication {
  return {
    id: appId,
    projectId: app.projectId,
    ...withoutUndefined({
      clientId: app.clientId,
      name: app.name,
      state: app.state && STATES[app.state],
      redirectUris: app.redirectUris,
      postLogoutRedirectUris: app.postLogoutRedirectUris,
      responseTypes: app.responseTypes?.map((type) => RESPONSE_TYPES[type]),
      accessTokenType: app.accessTokenType && TOKEN_TYPES[app.accessTokenType],
      accessTokenSigningAlg: app.accessTokenSigningAlg,
      idTokenSigningAlg: app.idTokenSigningAlg,
      accessTokenLifetimeSeconds: wholeSeconds(app.accessTokenLifetime),
      idTokenLifetimeSeconds: wholeSeconds(app.idTokenLifetime),
      // protojson writes what is absent as an empty text.
      backChannelLogoutUri: app.backChannelLogoutUri === '' ? null : app.backChannelLogoutUri,
      homePage: app.homePage,
      initiateLoginUri: app.initiateLoginUri,
      allowedOrigins: app.additionalOrigins,
      groupsClaim: app.groupsClaim,
      claimMapping: app.claimMapping,
      crossAppAccess: app.crossAppAccess,
      ...forCertificateNames((name) => app[name]),
      ...forFlags((flag) => app[flag]),
      // Only an IAM_OWNER sets them.
      mayCallApi: undefined,
      firstParty: undefined,
    }),
  }
}

const STATES = {
  APP_STATE_UNSPECIFIED: undefined,
  APP_STATE_ACTIVE: 'active',
  APP_STATE_INACTIVE: 'inactive',
} as const
const TOKEN_TYPES = { OIDC_TOKEN_TYPE_BEARER: 'bearer', OIDC_TOKEN_TYPE_JWT: 'jwt' } as const

const NAMED_GRANT_TYPES: ReadonlySet<string> = new Set(Object.values(GRANT_TYPES))

/**
 * An application as its record leaves it: settings that the record does not give stay, or are the usual for a new one.
 * A mark of an IAM_OWNER goes with a change of who gets the tokens of the application.
 */
export function importedApplication(
  { appId, app }: RecordOf<'oidcApps'> | RecordOf<'apiApps'>,
  given: GivenApplication,
  stored: ImportedApplication | undefined,
): ImportedApplication {
  const { grantTypes, additionalGrantTypes } = app
  const before = stored?.grantTypes ?? []
  const named = grantTypes?.flatMap((type) => GRANT_TYPES[type] ?? [])
  const settings = {
    ...INITIAL,
    // Documents of another product have none; the id of the application is as unique and is known in advance.
    clientId: app.clientId ?? appId,
    name: applicationNameOf({ appId, app }),
    ...stored,
    ...given,
    grantTypes: [
      ...(named ?? before.filter((type) => NAMED_GRANT_TYPES.has(type))),
      ...(additionalGrantTypes ?? before.filter((type) => !NAMED_GRANT_TYPES.has(type))),
    ],
  }
  const authMethod = usableMethod(settings, stored)
  // Without the method the names mean nothing; a document that names another one ends them.
  const names = authMethod === 'tls_client_auth' ? {} : forCertificateNames(() => null)
  const usable = { ...settings, authMethod, ...names }
  const isSame = RECIPIENT_SETTINGS.every((name) => isDeepStrictEqual(usable[name], stored?.[name]))
  return isSame ? usable : { ...usable, mayCallApi: false, firstParty: false }
}

/** An application in the browser keeps no secret, unless it is stored so already. */
function usableMethod(
  { type, authMethod }: Pick<ImportedApplication, 'type' | 'authMethod'>,
  stored: ImportedApplication | undefined,
): ImportedApplication['authMethod'] {
  const isStored = stored?.type === type && stored.authMethod === authMethod
  return type === 'userAgent' && isWithSecret(authMethod) && !isStored ? 'none' : authMethod
}

/** The members of an application that have no column. */
export function applicationExtras({ app }: { readonly app: Application }): Readonly<Record<string, unknown>> {
  const { version, clockSkew, skipNativeAppSuccessPage, loginVersion } = app
  return { version, clockSkew, skipNativeAppSuccessPage, loginVersion }
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
