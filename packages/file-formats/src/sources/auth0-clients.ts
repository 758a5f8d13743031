import { createHash } from 'node:crypto'
import { isPlaceholder, isSample, SAMPLE_RULE } from '@signet/protocol/placeholder'
import { record, type Tenant } from './auth0-tenant.ts'
import {
  type ConvertedPart,
  compact,
  isEmpty,
  type JsonObject,
  requireFilledIn,
  SourceMembers,
} from './conversion.ts'
import { stableId } from './stable-id.ts'

const GRANTS: Readonly<Record<string, string>> = {
  authorization_code: 'OIDC_GRANT_TYPE_AUTHORIZATION_CODE',
  implicit: 'OIDC_GRANT_TYPE_IMPLICIT',
  refresh_token: 'OIDC_GRANT_TYPE_REFRESH_TOKEN',
  'urn:ietf:params:oauth:grant-type:device_code': 'OIDC_GRANT_TYPE_DEVICE_CODE',
}
const METHODS: Readonly<Record<string, string>> = {
  none: 'NONE',
  client_secret_post: 'POST',
  client_secret_basic: 'BASIC',
}
const TYPES: Readonly<Record<string, string>> = {
  spa: 'USER_AGENT',
  native: 'NATIVE',
  regular_web: 'WEB',
  non_interactive: 'WEB',
}
/** SHA-256 alone does not protect a short secret; Auth0 makes secrets of 64 characters. */
const LEAST_SECRET_CHARACTERS = 22

const entryOf = (table: Readonly<Record<string, string>>, name: string) =>
  Object.hasOwn(table, name) ? table[name] : undefined

/** A client of `GET /api/v2/clients`. */
export function* convertClient(client: JsonObject, tenant: Tenant): Generator<ConvertedPart> {
  const { leftOut, organizationId } = tenant
  const members = new SourceMembers('clients', client, leftOut)
  requireFilledIn(client.client_id, 'client_id')
  const clientId = clientIdOf(client, members, tenant)
  members.example = clientId
  if (members.flag('global') === true) {
    leftOut.add('clients: the global client of the tenant', clientId)
    return
  }
  const grants = members.texts('grant_types').flatMap((grant) => {
    if (grant === 'client_credentials') return []
    const type = entryOf(GRANTS, grant)
    if (type === undefined) members.leaveOut(`grant_types ${grant}`)
    return type ?? []
  })
  const isService = Array.isArray(client.grant_types) && client.grant_types.includes('client_credentials')
  const appType = members.text('app_type') ?? 'regular_web'
  const type = entryOf(TYPES, appType)
  if (type === undefined) members.leaveOut(`app_type ${appType}`)
  const named = members.text('token_endpoint_auth_method')
  const method = named ?? (appType === 'spa' || appType === 'native' ? 'none' : 'client_secret_post')
  const authentication = entryOf(METHODS, method)
  if (authentication === undefined) {
    leftOut.add(`clients that authenticate by ${method}`, clientId)
    return
  }
  // The deploy CLI writes no secrets.
  if (isEmpty(client.client_secret) && method !== 'none') members.leaveOut('client_secret is not in the file')
  const clientSecretHash = secretHash(members, method)
  const token = idTokenSettings(members, clientId, tenant)
  const origins = [...members.texts('web_origins'), ...members.texts('allowed_origins')]
  // Auth0 demands a code challenge of no client.
  const mayOmitPkce = grants.includes('OIDC_GRANT_TYPE_AUTHORIZATION_CODE')
  const isPublic = method === 'none'
  if (mayOmitPkce && isPublic && !tenant.pkceOptional) members.leaveOut('public client without PKCE')
  const app = compact({
    projectId: organizationId,
    name: members.shortText('name', 200),
    clientId,
    clientSecretHash,
    redirectUris: literalUris(members, members.texts('callbacks'), 'callbacks'),
    postLogoutRedirectUris: literalUris(members, members.texts('allowed_logout_urls'), 'allowed_logout_urls'),
    additionalOrigins: literalUris(members, [...new Set(origins)], 'web_origins'),
    grantTypes: grants,
    responseTypes: [
      ...(grants.includes('OIDC_GRANT_TYPE_AUTHORIZATION_CODE') ? ['OIDC_RESPONSE_TYPE_CODE'] : []),
      ...(grants.includes('OIDC_GRANT_TYPE_IMPLICIT')
        ? ['OIDC_RESPONSE_TYPE_ID_TOKEN', 'OIDC_RESPONSE_TYPE_ID_TOKEN_TOKEN']
        : []),
    ],
    additionalGrantTypes: isService ? ['client_credentials'] : undefined,
    appType: `OIDC_APP_TYPE_${type ?? 'WEB'}`,
    authMethodType: `OIDC_AUTH_METHOD_TYPE_${authentication}`,
    ...token,
    pkceOptional: mayOmitPkce && (!isPublic || tenant.pkceOptional) ? true : undefined,
  })
  members.takeDerived('tenant', 'global')
  members.takeDefaults({
    oidc_conformant: [true],
    is_first_party: [true],
    sso_disabled: [false],
    cross_origin_auth: [false],
  })
  members.leaveRest()
  yield* record('oidcApps', { appId: clientId, app }, tenant, clientId)
}

/** The id of a client; the deploy CLI leaves it out unless it is asked, and it is a stable one then. */
function clientIdOf(client: JsonObject, members: SourceMembers, { organizationId, leftOut }: Tenant): string {
  const own = members.text('client_id')
  const { name } = client
  if (own !== undefined || typeof name !== 'string' || isPlaceholder(name)) return own ?? ''
  const clientId = stableId('auth0', organizationId, 'client', name)
  leftOut.add('applications, the client id is not in the file', name, clientId)
  return clientId
}

/** The hash of the secret of a client; undefined for a client without one that can be kept. */
function secretHash(members: SourceMembers, method: string): string | undefined {
  const secret = members.text('client_secret')
  const isKnownSample = secret !== undefined && isSample(secret)
  if (isKnownSample) members.leaveOut(`client_secret: ${SAMPLE_RULE}`)
  const isKept =
    secret !== undefined && !isKnownSample && secret.length >= LEAST_SECRET_CHARACTERS && method !== 'none'
  if (secret !== undefined && !isKept && method !== 'none')
    members.leaveOut('client_secret that is too short')
  return isKept ? `sha256$${createHash('sha256').update(secret).digest('base64url')}` : undefined
}

/** The signing algorithm and lifetime of ID tokens. */
function idTokenSettings(members: SourceMembers, clientId: string, { leftOut }: Tenant) {
  const jwt = new SourceMembers(
    'clients.jwt_configuration',
    members.object('jwt_configuration') ?? {},
    leftOut,
    clientId,
  )
  const alg = jwt.text('alg')
  const isSupported = alg !== undefined && ['RS256', 'ES256', 'EdDSA'].includes(alg)
  if (alg !== undefined && !isSupported) jwt.leaveOut(`alg ${alg}`)
  const lifetime = jwt.number('lifetime_in_seconds')
  jwt.leaveRest()
  return {
    idTokenSigningAlg: isSupported ? alg : undefined,
    idTokenLifetime: lifetime === undefined ? undefined : `${lifetime}s`,
  }
}

/** Leaves out URIs with a wildcard and relative ones. */
function literalUris(members: SourceMembers, uris: readonly string[], what: string): readonly string[] {
  return uris.filter((uri) => {
    const isLiteral = !uri.includes('*') && URL.canParse(uri)
    if (!isLiteral) members.leaveOut(`${what} with a wildcard or relative`, uri)
    return isLiteral
  })
}
