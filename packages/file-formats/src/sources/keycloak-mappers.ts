import { GROUPS_CLAIMS } from '@signet/protocol/application-settings'
import { type ClaimMapping, claimMappingProblems } from '@signet/protocol/claim-mapping'
import { isObject, type JsonObject, SourceMembers } from './conversion.ts'
import { isProfileAttribute } from './keycloak-attributes.ts'
import type { LeftOut } from './left-out.ts'

/** Scopes that each realm has. Their claims are those of the scopes of OpenID Connect Core 5.4, or have a claim of their own here. */
const BUILT_IN_SCOPES: ReadonlySet<string> = new Set([
  ...['openid', 'profile', 'email', 'address', 'phone', 'offline_access', 'basic', 'acr', 'roles'],
  ...['web-origins', 'microprofile-jwt', 'organization', 'service_account', 'role_list', 'saml_organization'],
])

/** Mappers of the claims that tokens here have too. */
const SAME_CLAIMS: ReadonlySet<string> = new Set([
  ...['oidc-full-name-mapper', 'oidc-address-mapper', 'oidc-allowed-origins-mapper', 'oidc-acr-mapper'],
  ...['oidc-sub-mapper', 'oidc-audience-resolve-mapper', 'oidc-session-state-mapper'],
])

/** Properties of a person by the claims that have them here. */
const SAME_PROPERTIES: Readonly<Record<string, string>> = {
  preferred_username: 'username',
  email: 'email',
  email_verified: 'emailVerified',
  given_name: 'firstName',
  family_name: 'lastName',
}

/** Claims of a service account's token that Keycloak adds itself. */
const SESSION_NOTES: ReadonlySet<string> = new Set([
  ...['client_id', 'clientId', 'clientHost', 'clientAddress', 'auth_time', 'AUTH_TIME'],
])

/** The mappers of each client scope of a realm that is not built in. */
export class ClientScopes {
  readonly #mappers = new Map<string, readonly JsonObject[]>()

  constructor(scopes: readonly JsonObject[], leftOut: LeftOut) {
    for (const scope of scopes) {
      const members = new SourceMembers('clientScopes[]', scope, leftOut)
      const name = members.text('name') ?? ''
      members.example = name
      const mappers = members.objects('protocolMappers')
      const isOfSaml = members.text('protocol') === 'saml'
      if (!isOfSaml && !BUILT_IN_SCOPES.has(name)) this.#mappers.set(name, mappers)
    }
  }

  /** The mappers of the scopes that every token of a client has. */
  mappersOf(names: readonly string[]): readonly JsonObject[] {
    return names.flatMap((name) => this.#mappers.get(name) ?? [])
  }
}

interface MappedClaims {
  readonly claimMapping?: ClaimMapping
  readonly groupsClaim?: (typeof GROUPS_CLAIMS)[number]
  readonly accessTokenRoleAssertion?: true
  readonly idTokenRoleAssertion?: true
}

/**
 * The settings of an application whose tokens have the claims of its mappers. A claim from an attribute of the person becomes
 * a claim from metadata. Mappers without a counterpart are counted.
 */
export function mappedClaims(
  members: SourceMembers,
  { scopes, projectId }: { readonly scopes: ClientScopes; readonly projectId: string },
): MappedClaims {
  const own = members.objects('protocolMappers')
  const defaults = members.texts('defaultClientScopes')
  const mappers = [...own, ...scopes.mappersOf(defaults)]
  for (const name of defaults) {
    const isBare = !BUILT_IN_SCOPES.has(name) && scopes.mappersOf([name]).length === 0
    if (isBare) members.leaveOut('defaultClientScopes', `the scope ${name}`)
  }
  // Tokens have their claims only when the client asks for them.
  for (const name of members.texts('optionalClientScopes')) {
    if (!BUILT_IN_SCOPES.has(name)) members.leaveOut('optionalClientScopes', `the scope ${name}`)
  }
  const claimMapping: Record<string, string> = {}
  let groupsClaim: MappedClaims['groupsClaim']
  let accessTokenRoleAssertion = false
  let idTokenRoleAssertion = false
  for (const mapper of mappers) {
    const config = isObject(mapper.config) ? mapper.config : {}
    const text = (name: string) => (typeof config[name] === 'string' ? (config[name] as string) : '')
    const kind = typeof mapper.protocolMapper === 'string' ? mapper.protocolMapper : 'unknown'
    const claim = text('claim.name')
    const describe = () =>
      members.leaveOut(`protocolMappers ${kind}`, claim === '' ? mapper.name : `the claim ${claim}`)
    if (SAME_CLAIMS.has(kind)) continue
    if (kind === 'oidc-usermodel-property-mapper' || kind === 'oidc-usermodel-attribute-mapper') {
      const attribute = text('user.attribute')
      if (SAME_PROPERTIES[claim] === attribute || isProfileAttribute(attribute, claim)) continue
      const problems = claimMappingProblems({ ...claimMapping, [claim]: attribute })
      const isMetadata = kind === 'oidc-usermodel-attribute-mapper' && !isProfileAttribute(attribute)
      if (isMetadata && problems.length === 0 && !claim.includes('.')) claimMapping[claim] = attribute
      else describe()
    } else if (kind === 'oidc-usermodel-realm-role-mapper' || kind === 'oidc-usermodel-client-role-mapper') {
      accessTokenRoleAssertion ||= text('access.token.claim') === 'true'
      idTokenRoleAssertion ||= text('id.token.claim') === 'true'
      const list = GROUPS_CLAIMS.find((name) => name === claim)
      const isBare = kind.includes('realm') && text('usermodel.realmRoleMapping.rolePrefix') === ''
      if (list === undefined || !isBare || (groupsClaim ?? list) !== list) describe()
      else members.leaveOut('roles in a list, by a scope', list)
      if (isBare) groupsClaim ??= list
    } else if (kind === 'oidc-audience-mapper') {
      const audience = text('included.client.audience') || text('included.custom.audience')
      members.leaveOut(`protocolMappers ${kind}`, `the project ${projectId} in place of ${audience}`)
    } else if (
      kind !== 'oidc-usersessionmodel-note-mapper' ||
      !SESSION_NOTES.has(text('user.session.note'))
    ) {
      describe()
    }
  }
  const claims = Object.keys(claimMapping)
  // Not a loss, but the application has to do something for it.
  if (claims.length > 0) members.leaveOut('claims from metadata, by a scope', claims.join(', '))
  return {
    ...(claims.length > 0 && { claimMapping }),
    ...(groupsClaim !== undefined && { groupsClaim }),
    ...(accessTokenRoleAssertion && { accessTokenRoleAssertion }),
    ...(idTokenRoleAssertion && { idTokenRoleAssertion }),
  }
}
