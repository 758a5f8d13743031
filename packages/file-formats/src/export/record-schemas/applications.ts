import { forFlags, GROUPS_CLAIMS } from '@signet/protocol/application-settings'
import { z } from 'zod'
import {
  creationDate,
  enumeration,
  expirationDate,
  flag,
  identifier,
  issuerTrust,
  newIdentifier,
  publicKey,
  seconds,
  valueText,
} from './fields.ts'
import { secretHash, storedSecret } from './users.ts'

const uris = z.array(valueText).max(1_000).optional()
const signingAlg = z.enum(['RS256', 'ES256', 'EdDSA']).optional()
const carried = z.unknown().optional()
const ignoredFlag = flag.catch(undefined)

/** The flags of the format, and those that only Signet writes. */
const { devMode, accessTokenRoleAssertion, idTokenRoleAssertion, idTokenUserinfoAssertion, ...ownFlags } =
  forFlags(() => flag)

/** The members that both kinds of applications share, Signet's own included. */
const shared = {
  projectId: identifier,
  name: valueText.optional(),
  redirectUris: uris,
  postLogoutRedirectUris: uris,
  responseTypes: z
    .array(
      enumeration([
        'OIDC_RESPONSE_TYPE_CODE',
        'OIDC_RESPONSE_TYPE_ID_TOKEN',
        'OIDC_RESPONSE_TYPE_ID_TOKEN_TOKEN',
      ]),
    )
    .optional(),
  grantTypes: z
    .array(
      enumeration([
        'OIDC_GRANT_TYPE_AUTHORIZATION_CODE',
        'OIDC_GRANT_TYPE_IMPLICIT',
        'OIDC_GRANT_TYPE_REFRESH_TOKEN',
        'OIDC_GRANT_TYPE_DEVICE_CODE',
        'OIDC_GRANT_TYPE_TOKEN_EXCHANGE',
      ]),
    )
    .optional(),
  // Grant types for which the format has no name.
  additionalGrantTypes: z
    .array(z.enum(['client_credentials', 'urn:ietf:params:oauth:grant-type:jwt-bearer']))
    .optional(),
  devMode,
  accessTokenType: enumeration(['OIDC_TOKEN_TYPE_BEARER', 'OIDC_TOKEN_TYPE_JWT']).optional(),
  accessTokenRoleAssertion,
  idTokenRoleAssertion,
  idTokenUserinfoAssertion,
  additionalOrigins: uris,
  backChannelLogoutUri: valueText.optional(),
  clientId: newIdentifier.optional(),
  clientSecretHash: secretHash.optional(),
  clientSecretHashes: z.array(storedSecret).max(20).optional(),
  state: enumeration(['APP_STATE_UNSPECIFIED', 'APP_STATE_ACTIVE', 'APP_STATE_INACTIVE']).optional(),
  idTokenSigningAlg: signingAlg,
  accessTokenSigningAlg: signingAlg,
  accessTokenLifetime: seconds.optional(),
  idTokenLifetime: seconds.optional(),
  groupsClaim: z.enum(GROUPS_CLAIMS).optional(),
  claimMapping: z.record(z.string(), z.string().max(2_000)).optional(),
  crossAppAccess: z
    .record(
      z.string(),
      z.object({ clientId: z.string().max(2_000), scopes: z.array(z.string().max(2_000)).max(1_000) }),
    )
    .optional(),
  homePage: valueText.optional(),
  initiateLoginUri: valueText.optional(),
  tlsClientAuthSubjectDn: valueText.optional(),
  tlsClientAuthSanDns: valueText.optional(),
  tlsClientAuthSanUri: valueText.optional(),
  tlsClientAuthSanIp: valueText.optional(),
  tlsClientAuthSanEmail: valueText.optional(),
  ...ownFlags,
  // An export writes them and an import ignores them.
  mayCallApi: ignoredFlag,
  firstParty: ignoredFlag,
  version: carried,
  clockSkew: carried,
  skipNativeAppSuccessPage: carried,
  loginVersion: carried,
}

export const oidcApplication = z.object({
  appId: newIdentifier,
  app: z.object({
    ...shared,
    appType: enumeration([
      'OIDC_APP_TYPE_WEB',
      'OIDC_APP_TYPE_USER_AGENT',
      'OIDC_APP_TYPE_NATIVE',
    ]).optional(),
    authMethodType: enumeration([
      'OIDC_AUTH_METHOD_TYPE_BASIC',
      'OIDC_AUTH_METHOD_TYPE_POST',
      'OIDC_AUTH_METHOD_TYPE_NONE',
      'OIDC_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT',
      // The following values have no name in the format.
      'OIDC_AUTH_METHOD_TYPE_TLS_CLIENT_AUTH',
      'OIDC_AUTH_METHOD_TYPE_SELF_SIGNED_TLS_CLIENT_AUTH',
    ]).optional(),
  }),
  creationDate,
})

export const apiApplication = z.object({
  appId: newIdentifier,
  app: z.object({
    ...shared,
    authMethodType: enumeration([
      'API_AUTH_METHOD_TYPE_BASIC',
      'API_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT',
      // The following values have no name in the format.
      'API_AUTH_METHOD_TYPE_POST',
      'API_AUTH_METHOD_TYPE_NONE',
      'API_AUTH_METHOD_TYPE_TLS_CLIENT_AUTH',
      'API_AUTH_METHOD_TYPE_SELF_SIGNED_TLS_CLIENT_AUTH',
    ]).optional(),
  }),
  creationDate,
})

export const applicationKey = z.object({
  id: identifier,
  projectId: identifier.optional(),
  appId: identifier,
  clientId: carried,
  type: z.unknown().optional(),
  expirationDate,
  publicKey,
  creationDate,
})

export const applicationTrustedIssuer = z.object({
  appId: identifier,
  id: identifier,
  ...issuerTrust,
  creationDate,
})
