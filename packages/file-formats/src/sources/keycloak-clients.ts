import { createHash } from 'node:crypto'
import { isSample, SAMPLE_RULE } from '@signet/protocol/placeholder'
import {
  type ConvertedPart,
  compact,
  type JsonObject,
  record,
  requireFilledIn,
  SourceMembers,
} from './conversion.ts'
import {
  CLIENT_ATTRIBUTE_DEFAULTS,
  CLIENT_DEFAULTS,
  MISSING_CLIENT_FLAGS,
  SAML_ATTRIBUTE,
} from './keycloak-defaults.ts'
import { mappedClaims } from './keycloak-mappers.ts'
import { isBuiltInClient, type Realm } from './keycloak-roles.ts'
import type { LeftOut } from './left-out.ts'
import { stableId } from './stable-id.ts'

const SIGNING_ALGORITHMS = ['RS256', 'ES256', 'EdDSA']
/** Keycloak makes secrets of 32 characters. SHA-256 alone does not protect a short one. */
const LEAST_SECRET_CHARACTERS = 22

/** Converts a client of a realm into an application; the clients that Keycloak makes itself are left out. */
export function* convertClient(client: JsonObject, realm: Realm): Generator<ConvertedPart> {
  const { leftOut } = realm
  const written = typeof client.clientId === 'string' ? client.clientId : ''
  requireFilledIn(written, 'clientId')
  const clientId = realm.clientId(written)
  if (isBuiltInClient(written, realm.name)) {
    leftOut.add('clients[] that Keycloak makes itself', clientId)
    return
  }
  if ((client.protocol ?? 'openid-connect') !== 'openid-connect') {
    const protocol = typeof client.protocol === 'string' ? client.protocol : 'of no name'
    leftOut.add(`clients[] of protocol ${protocol}`, clientId)
    return
  }
  const members = new SourceMembers('clients[]', client, leftOut, clientId)
  const attributes = takeHarmless(members, leftOut, clientId)
  members.takeDerived('clientId')
  if (clientId !== written) members.leaveOut('clientId', written)
  const isPublic = flagOf(members, 'publicClient')
  const isEnabled = flagOf(members, 'enabled')
  const isBearerOnly = flagOf(members, 'bearerOnly')
  const uris = clientUris(members, attributes)
  const grants = clientGrants(members, attributes, isBearerOnly)
  const hasNoFlow = grants.responseTypes.length === 0 && grants.grantTypes.length === 0
  // An API has a secret. A public client gets a flow from its owner.
  const isApi = isBearerOnly || (hasNoFlow && !isPublic)
  const authentication = isPublic ? 'NONE' : authenticationOf(members, attributes)
  // Keycloak keeps the secret of a client that became public, and does not look at it.
  if (isPublic) members.takeDerived('clientAuthenticatorType', 'secret')
  const lifetime = attributes.text('access.token.lifespan') ?? realm.accessTokenSeconds
  const pkce = attributes.text('pkce.code.challenge.method')
  if (pkce !== undefined && pkce !== 'S256') attributes.leaveOut(`pkce.code.challenge.method ${pkce}`)
  // Keycloak demands a code challenge only where this attribute is set.
  const mayOmitPkce = pkce !== 'S256' && grants.responseTypes.includes('OIDC_RESPONSE_TYPE_CODE')
  if (mayOmitPkce && isPublic) {
    members.leaveOut(`public client ${realm.pkceOptional ? 'that may go on ' : ''}without PKCE`)
  }
  const app = {
    projectId: realm.projectId,
    name: members.shortText('name', 200),
    clientId,
    clientSecretHash: isPublic ? undefined : secretHash(members),
    state: isEnabled ? 'APP_STATE_ACTIVE' : 'APP_STATE_INACTIVE',
    ...uris,
    ...(isApi ? {} : grants),
    additionalGrantTypes: grants.additionalGrantTypes,
    accessTokenType: 'OIDC_TOKEN_TYPE_JWT',
    tlsClientCertificateBoundAccessTokens: isBoundToCertificate(attributes),
    accessTokenLifetime: lifetime === undefined ? undefined : `${lifetime}s`,
    pkceOptional: mayOmitPkce && (!isPublic || realm.pkceOptional) ? true : undefined,
    ...mappedClaims(members, realm),
    // The claim of Keycloak, which applications know people by.
    preferredUsernameWithoutDomain: true,
    backChannelLogoutUri: attributes.text('backchannel.logout.url'),
    idTokenSigningAlg: algorithm(attributes, 'id.token.signed.response.alg'),
    accessTokenSigningAlg: algorithm(attributes, 'access.token.signed.response.alg'),
  }
  const appId = members.text('id') ?? stableId('keycloak', realm.name, 'client', written)
  attributes.leaveRest()
  members.leaveRest()
  const kind = isApi ? 'API' : 'OIDC'
  const converted = compact({
    appId,
    app: {
      ...app,
      authMethodType: `${kind}_AUTH_METHOD_TYPE_${authentication}`,
      appType: isApi ? undefined : `OIDC_APP_TYPE_${appType(isPublic, uris.redirectUris)}`,
    },
  })
  yield* record(isApi ? 'apiApps' : 'oidcApps', converted, leftOut, clientId)
}

function appType(isPublic: boolean, redirectUris: readonly string[]): string {
  if (!isPublic) return 'WEB'
  const isWeb =
    redirectUris.length > 0 &&
    redirectUris.every((uri) => /^https?:\/\/(?!localhost|127\.|\[::1\])/i.test(uri))
  return isWeb ? 'USER_AGENT' : 'NATIVE'
}

/** Takes what has the default of a version or no meaning, and returns the attributes. */
export function takeHarmless(members: SourceMembers, leftOut: LeftOut, clientId: string): SourceMembers {
  const given = members.object('attributes') ?? {}
  const attributes = new SourceMembers('clients[].attributes', given, leftOut, clientId)
  members.takeDefaults(CLIENT_DEFAULTS)
  attributes.takeDefaults(CLIENT_ATTRIBUTE_DEFAULTS)
  attributes.takeNamed(SAML_ATTRIBUTE)
  attributes.takeDerived('client.secret.creation.time')
  return attributes
}

/** Attributes that tell Keycloak the keys of a client, which registers them here itself. */
const KEY_ATTRIBUTES = /^(use\.)?jwks\.(url|string)$|^jwt\.credential\.|^token\.endpoint\.auth\.signing\.alg$/

function authenticationOf(members: SourceMembers, attributes: SourceMembers): string {
  const method = members.text('clientAuthenticatorType') ?? 'client-secret'
  if (method === 'client-jwt') {
    members.leaveOut('keys that sign assertions', attributes.text('jwks.url'))
    attributes.takeNamed(KEY_ATTRIBUTES)
    members.takeDerived('secret')
    return 'PRIVATE_KEY_JWT'
  }
  if (method !== 'client-secret') members.leaveOut(`clientAuthenticatorType ${method}`)
  return 'BASIC'
}

export function secretHash(members: SourceMembers): string | undefined {
  const secret = members.text('secret')
  if (secret === undefined) return undefined
  if (/^\*+$/.test(secret)) {
    members.leaveOut('secret that the export masks')
    return undefined
  }
  if (isSample(secret)) {
    members.leaveOut(`secret: ${SAMPLE_RULE}`)
    return undefined
  }
  if (secret.length < LEAST_SECRET_CHARACTERS) {
    members.leaveOut(`secret of less than ${LEAST_SECRET_CHARACTERS} characters`)
    return undefined
  }
  return `sha256$${createHash('sha256').update(secret).digest('base64url')}`
}

/** True or absent: false is the default of both. */
function isBoundToCertificate(attributes: SourceMembers): true | undefined {
  const name = 'tls.client.certificate.bound.access.tokens'
  const value = attributes.text(name)
  if (value === 'true') return true
  if (value !== undefined) attributes.leaveOut(`${name} ${value}`)
  return undefined
}

function algorithm(attributes: SourceMembers, name: string): string | undefined {
  const value = attributes.text(name)
  if (value === undefined || SIGNING_ALGORITHMS.includes(value)) return value
  attributes.leaveOut(`${name} ${value}`)
  return undefined
}

function clientUris(members: SourceMembers, attributes: SourceMembers) {
  const rootUrl = members.text('rootUrl')
  const base = rootUrl !== undefined && URL.canParse(rootUrl) ? rootUrl : undefined
  const literal = (uris: readonly string[], what: string) =>
    uris.flatMap((uri) => {
      const absolute = uri.startsWith('/') && base !== undefined ? new URL(uri, base).href : uri
      if (!absolute.includes('*') && URL.canParse(absolute)) return [absolute]
      members.leaveOut(`${what} with a wildcard or relative`, absolute)
      return []
    })
  const redirectUris = literal(members.texts('redirectUris'), 'redirectUris')
  const expanded = (uris: readonly string[], plus: readonly string[]) => [
    ...new Set(uris.flatMap((uri) => (uri === '+' ? plus : [uri]))),
  ]
  const origins = redirectUris.filter((uri) => /^https?:/i.test(uri)).map((uri) => new URL(uri).origin)
  const logout = (attributes.text('post.logout.redirect.uris') ?? '').split('##').filter((uri) => uri !== '')
  return {
    redirectUris,
    postLogoutRedirectUris: literal(
      expanded(
        logout.filter((uri) => uri !== '-'),
        redirectUris,
      ),
      'post.logout.redirect.uris',
    ),
    additionalOrigins: literal(expanded(members.texts('webOrigins'), origins), 'webOrigins'),
  }
}

/** The value of a flag, or what Keycloak takes it for when it is missing. */
const flagOf = (members: SourceMembers, name: keyof typeof MISSING_CLIENT_FLAGS): boolean =>
  members.flag(name) ?? MISSING_CLIENT_FLAGS[name]

function clientGrants(members: SourceMembers, attributes: SourceMembers, isBearerOnly: boolean) {
  const code = flagOf(members, 'standardFlowEnabled') && !isBearerOnly
  const implicit = flagOf(members, 'implicitFlowEnabled') && !isBearerOnly
  const device = attributes.textFlag('oauth2.device.authorization.grant.enabled') === true
  const exchange = attributes.textFlag('standard.token.exchange.enabled') === true
  if (flagOf(members, 'directAccessGrantsEnabled')) members.leaveOut('directAccessGrantsEnabled')
  const service = flagOf(members, 'serviceAccountsEnabled')
  return {
    responseTypes: [
      ...(code ? ['OIDC_RESPONSE_TYPE_CODE'] : []),
      ...(implicit ? ['OIDC_RESPONSE_TYPE_ID_TOKEN', 'OIDC_RESPONSE_TYPE_ID_TOKEN_TOKEN'] : []),
    ],
    grantTypes: [
      ...(code ? ['OIDC_GRANT_TYPE_AUTHORIZATION_CODE', 'OIDC_GRANT_TYPE_REFRESH_TOKEN'] : []),
      ...(implicit ? ['OIDC_GRANT_TYPE_IMPLICIT'] : []),
      ...(device ? ['OIDC_GRANT_TYPE_DEVICE_CODE'] : []),
      ...(exchange ? ['OIDC_GRANT_TYPE_TOKEN_EXCHANGE'] : []),
    ],
    additionalGrantTypes: service ? ['client_credentials'] : undefined,
  }
}
