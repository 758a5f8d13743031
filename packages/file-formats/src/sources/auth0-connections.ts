import { record, type Tenant } from './auth0-tenant.ts'
import { type ConvertedPart, compact, isObject, type JsonObject, SourceMembers } from './conversion.ts'

const GITHUB = 'github'

/** The strategies whose providers issue ID tokens, with their presets, and GitHub, which has a type of its own. */
const PRESETS: ReadonlyMap<string, string | undefined> = new Map([
  ['oidc', undefined],
  ['okta', 'okta'],
  ['waad', 'entra'],
  ['google-oauth2', 'google'],
  ['google-apps', 'google'],
  [GITHUB, undefined],
])

/** The id of the provider that a connection becomes. Names of connections are unique within their tenant only. */
export const providerId = ({ organizationId }: Pick<Tenant, 'organizationId'>, connection: string): string =>
  `${organizationId}.${connection}`

/** Converts a connection of `GET /api/v2/connections`. One without ID tokens is left out, and a database is not a provider. */
export function* convertConnection(connection: JsonObject, tenant: Tenant): Generator<ConvertedPart> {
  const { leftOut } = tenant
  const members = new SourceMembers('connections', connection, leftOut)
  const name = members.text('name') ?? ''
  const strategy = members.text('strategy') ?? ''
  members.example = name
  const isOfAddresses = strategy === 'google-apps' && !hasSubjects(connection)
  if (strategy !== '') tenant.connections.set(name, PRESETS.has(strategy) && !isOfAddresses)
  if (strategy === 'auth0') return
  if (!PRESETS.has(strategy) || name === '') {
    leftOut.add(`connections of strategy ${strategy || 'unknown'}`, name)
    // Its options do not have the entity id of the provider, so that no provider can be made of them.
    if (beginsAtProvider(connection)) leftOut.add('connections of strategy samlp with idpinitiated', name)
    return
  }
  const given = members.object('options') ?? {}
  const options = new SourceMembers('connections.options', given, leftOut, name)
  const idp = compact({
    name: members.text('display_name') ?? name,
    clientId: options.text('client_id'),
    clientSecret: options.text('client_secret'),
    clientAuthentication: authenticationOf(options),
    issuer: issuerOf(strategy, options),
    type: strategy === GITHUB ? GITHUB : undefined,
    scopes: scopesOf(strategy, options),
    preset: PRESETS.get(strategy),
    subjectClaim: strategy === 'waad' ? (options.text('userid_attribute') ?? 'oid') : undefined,
    requiredClaims: requiredClaimsOf(strategy, options),
  })
  if (isOfAddresses) options.leaveOut('map_user_id_to_id: its identities are addresses')
  options.takeDerived('map_user_id_to_id')
  options.takeDerived('authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri', 'type')
  options.takeDerived('strategy_version', 'schema_version', 'oidc_metadata', 'app_id')
  members.takeDerived('id', 'realms')
  // Options of a connection can be secrets of any name: no value goes into the list.
  for (const [option] of options.takeRest()) options.leaveOut(option)
  members.leaveRest()
  yield* record('oidcIdps', compact({ idpId: providerId(tenant, name), idp }), tenant, name)
}

/** Whether sign-ins begin at a provider of SAML. */
const beginsAtProvider = ({ strategy, options }: JsonObject) =>
  strategy === 'samlp' &&
  isObject(options) &&
  isObject(options.idpinitiated) &&
  options.idpinitiated.enabled === true

/** Whether Google identifies people by their subject. Before this option Auth0 took their address, which never finds a person here. */
const hasSubjects = ({ options }: JsonObject) => isObject(options) && options.map_user_id_to_id === true

function authenticationOf(options: SourceMembers): string | undefined {
  const method = options.text('token_endpoint_auth_method')
  if (method === undefined || method === 'client_secret_post') return 'client_secret_post'
  options.leaveOut(`token_endpoint_auth_method ${method}`)
  return undefined
}

function scopesOf(strategy: string, options: SourceMembers): readonly string[] | undefined {
  const text = options.text('scope')
  const scopes = text === undefined ? options.texts('scope') : text.split(' ').filter(Boolean)
  if (scopes.length === 0) return undefined
  return [...new Set([...(strategy === GITHUB ? [] : ['openid']), ...scopes])]
}

function issuerOf(strategy: string, options: SourceMembers): string | undefined {
  const domain = options.text('domain')
  const discovery = options.text('discovery_url')?.replace(/\/\.well-known\/openid-configuration$/, '')
  const issuer = options.text('issuer') ?? discovery
  if (strategy === 'okta') return issuer ?? (domain && `https://${domain}`)
  if (strategy !== 'waad') return issuer
  const tenant = options.text('tenantId')
  if (tenant === undefined) options.leaveOut(`tenantId: the issuer of ${domain ?? 'its tenant'} is not known`)
  return tenant && `https://login.microsoftonline.com/${tenant}/v2.0`
}

function requiredClaimsOf(strategy: string, options: SourceMembers): JsonObject | undefined {
  const domain = options.text('tenant_domain')
  return strategy === 'google-apps' && domain !== undefined ? { hd: domain } : undefined
}

/**
 * The subject of an identity at its provider, which Auth0 writes with the name of the connection in front of it; undefined for a
 * connection that became no provider.
 */
export function subjectOf({ connections }: Pick<Tenant, 'connections'>, connection: string, id: string) {
  if (connections.get(connection) !== true) return undefined
  const prefix = `${connection}|`
  return id.startsWith(prefix) ? id.slice(prefix.length) : id
}
