import type { Blueprint, BlueprintEntry } from './authentik-blueprint.ts'
import { secretHashOf } from './client-secret.ts'
import { type ConvertedPart, compact, record, requireFilledIn, SourceMembers } from './conversion.ts'
import type { LeftOut } from './left-out.ts'
import type { PeopleTarget } from './person.ts'
import { stableId } from './stable-id.ts'

const APPLICATION = 'authentik_core.application'
const PROVIDER = 'authentik_providers_oauth2.oauth2provider'
const SCOPE = 'authentik_providers_oauth2.scopemapping'

const GRANTS: Readonly<Record<string, string>> = {
  authorization_code: 'OIDC_GRANT_TYPE_AUTHORIZATION_CODE',
  implicit: 'OIDC_GRANT_TYPE_IMPLICIT',
  hybrid: 'OIDC_GRANT_TYPE_IMPLICIT',
  refresh_token: 'OIDC_GRANT_TYPE_REFRESH_TOKEN',
  device_code: 'OIDC_GRANT_TYPE_DEVICE_CODE',
  'urn:ietf:params:oauth:grant-type:device_code': 'OIDC_GRANT_TYPE_DEVICE_CODE',
}

/** Versions before 2026 have no list of grant types: every provider takes all of them, and applications use these. */
const USUAL_GRANTS = ['authorization_code', 'refresh_token']

/** Scopes with claims that Signet has under the same names. */
const KNOWN_SCOPE =
  /scope-(openid|profile|email|offline_access)$|OpenID '(openid|profile|email|offline_access)'$|^(openid|profile|email|offline_access)$/

/** Seconds of the units in which Authentik writes durations: `hours=1;minutes=5`. */
const UNITS: Readonly<Record<string, number>> = {
  seconds: 1,
  minutes: 60,
  hours: 3_600,
  days: 86_400,
  weeks: 604_800,
}

export interface ProviderContext {
  readonly blueprint: Blueprint
  readonly target: PeopleTarget
  readonly leftOut: LeftOut
  readonly pkceOptional: boolean
  /** The ids of people are those that the mode `user_uuid` of `sub` writes. */
  readonly hasUuids: boolean
}

/** Converts an OAuth2 provider, and the application that has it, into an application. */
export function* convertProvider(entry: BlueprintEntry, context: ProviderContext): Generator<ConvertedPart> {
  const { blueprint, target, leftOut, pkceOptional } = context
  requireFilledIn(entry.members.client_id, 'client_id')
  const members = new SourceMembers('clients[]', entry.members, leftOut)
  const providerName = members.text('name') ?? ''
  const application = blueprint
    .of(APPLICATION)
    .find(({ members: { provider } }) => blueprint.find(PROVIDER, provider) === entry)
  const own = new SourceMembers('clients[].application', application?.members ?? {}, leftOut)
  const name = own.shortText('name', 200) ?? providerName
  const clientId = clientIdOf(members, name, context)
  members.example = clientId
  own.example = clientId
  const isPublic = members.text('client_type') === 'public'
  const grants = grantsOf(members)
  const isCode = grants.types.includes('OIDC_GRANT_TYPE_AUTHORIZATION_CODE')
  if (isCode && isPublic)
    members.leaveOut(`public client ${pkceOptional ? 'that may go on ' : ''}without PKCE`)
  const uris = redirectUris(members)
  const app = compact({
    projectId: target.useProject(),
    name: name.slice(0, 200) || undefined,
    clientId,
    clientSecretHash: isPublic ? undefined : secretHashOf(members, 'client_secret'),
    ...uris,
    grantTypes: grants.types,
    responseTypes: [
      ...(isCode ? ['OIDC_RESPONSE_TYPE_CODE'] : []),
      ...(grants.types.includes('OIDC_GRANT_TYPE_IMPLICIT')
        ? ['OIDC_RESPONSE_TYPE_ID_TOKEN', 'OIDC_RESPONSE_TYPE_ID_TOKEN_TOKEN']
        : []),
    ],
    additionalGrantTypes: grants.isService ? ['client_credentials'] : undefined,
    appType: `OIDC_APP_TYPE_${isPublic ? publicType(uris.redirectUris) : 'WEB'}`,
    authMethodType: `OIDC_AUTH_METHOD_TYPE_${isPublic ? 'NONE' : 'BASIC'}`,
    accessTokenType: 'OIDC_TOKEN_TYPE_JWT',
    accessTokenLifetime: lifetimeOf(members, 'access_token_validity'),
    pkceOptional: isCode && (!isPublic || pkceOptional) ? true : undefined,
    // Its claims, which applications know people and their groups by.
    preferredUsernameWithoutDomain: true,
    groupsClaim: 'groups',
    backChannelLogoutUri: backChannelUri(members),
  })
  nameClaims(members, context)
  members.takeDerived('pk', 'client_id', 'client_type')
  // Flows and keys of Authentik itself.
  members.takeDerived('authentication_flow', 'authorization_flow', 'invalidation_flow', 'signing_key')
  members.takeDefaults({
    access_code_validity: ['minutes=1'],
    include_claims_in_id_token: [true, false],
    issuer_mode: ['per_provider', 'global'],
    refresh_token_threshold: ['seconds=0', 'hours=1'],
    logout_method: ['backchannel'],
  })
  members.leaveRest()
  own.takeDerived(
    'slug',
    'provider',
    'pk',
    'meta_launch_url',
    'meta_icon',
    'icon',
    'meta_description',
    'meta_publisher',
    'launch_url',
  )
  own.takeDefaults({ policy_engine_mode: ['any'], open_in_new_tab: [true, false] })
  own.leaveRest()
  yield* record('oidcApps', { appId: clientId, app }, leftOut, clientId)
}

function clientIdOf(members: SourceMembers, name: string, { target, leftOut }: ProviderContext): string {
  const own = members.text('client_id')
  if (own !== undefined) return own
  const made = stableId('authentik', target.organizationId, 'client', name)
  leftOut.add('applications, the client id is not in the file', name, made)
  return made
}

function grantsOf(members: SourceMembers) {
  const written = members.texts('grant_types')
  const names = written.length > 0 ? written : USUAL_GRANTS
  const types = names.flatMap((grant) => {
    if (grant === 'client_credentials') return []
    const type = Object.hasOwn(GRANTS, grant) ? GRANTS[grant] : undefined
    if (type === undefined) members.leaveOut(`grant_types ${grant}`)
    return type ?? []
  })
  return { types: [...new Set(types)], isService: names.includes('client_credentials') }
}

/** A text with lines, as versions before 2024.12 write them, or objects with how each is compared. */
function redirectUris(members: SourceMembers) {
  const lines = (members.text('redirect_uris') ?? '').split(/\s+/).filter((line) => line !== '')
  const given = [
    ...lines.map((url) => ({ url, isLogout: false, mode: 'strict' })),
    ...members
      .objects('redirect_uris')
      .flatMap(({ url, matching_mode: mode, redirect_uri_type: type }) =>
        typeof url === 'string' ? [{ url, mode, isLogout: type === 'logout' }] : [],
      ),
  ]
  const literal = given.filter(({ url, mode, isLogout }) => {
    const isLiteral = mode !== 'regex' && !/[*\\^$|]|\.\+/.test(url) && URL.canParse(url)
    if (!isLiteral)
      members.leaveOut(`${isLogout ? 'post.logout' : 'redirectUris'} with a wildcard or relative`, url)
    return isLiteral
  })
  return {
    redirectUris: literal.flatMap(({ url, isLogout }) => (isLogout ? [] : [url])),
    postLogoutRedirectUris: literal.flatMap(({ url, isLogout }) => (isLogout ? [url] : [])),
  }
}

const publicType = (uris: readonly string[]) =>
  uris.length > 0 && uris.every((uri) => /^https?:\/\/(?!localhost|127\.|\[::1\])/i.test(uri))
    ? 'USER_AGENT'
    : 'NATIVE'

function lifetimeOf(members: SourceMembers, member: string): string | undefined {
  const written = members.text(member)
  if (written === undefined) return undefined
  let seconds = 0
  for (const part of written.split(';')) {
    const [unit = '', amount = ''] = part.trim().split('=')
    const factor = Object.hasOwn(UNITS, unit) ? UNITS[unit] : undefined
    if (factor === undefined || !/^\d{1,9}$/.test(amount)) return void members.leaveOut(member, written)
    seconds += factor * Number(amount)
  }
  return `${seconds}s`
}

function backChannelUri(members: SourceMembers): string | undefined {
  const uri = members.text('logout_uri')
  const method = members.text('logout_method') ?? 'backchannel'
  if (method === 'backchannel' || uri === undefined) return uri
  members.leaveOut(`logout_method ${method}`, uri)
  return undefined
}

/** Counts what changes the claims of its tokens. */
function nameClaims(members: SourceMembers, { blueprint, hasUuids }: ProviderContext): void {
  const mode = members.text('sub_mode') ?? 'hashed_user_id'
  if (mode !== 'user_uuid' || !hasUuids) members.leaveOut('sub', mode)
  members.leaveOut('roles in a list, by a scope', 'groups')
  for (const mapping of members.list('property_mappings', (value): value is unknown => value !== null)) {
    const found = blueprint.find(SCOPE, mapping)?.members
    const name = typeof found?.managed === 'string' ? found.managed : blueprint.nameOf(SCOPE, mapping)
    if (name === undefined || !KNOWN_SCOPE.test(name))
      members.leaveOut('protocolMappers', `the scope ${name ?? 'of another file'}`)
  }
}
