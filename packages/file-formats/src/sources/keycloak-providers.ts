import { isConsumerPath } from '@signet/protocol/assertion-consumer'
import { STABLE_FORMATS, TRANSIENT } from '@signet/protocol/saml-provider'
import { type ConvertedPart, compact, type JsonObject, record, SourceMembers } from './conversion.ts'
import type { Realm } from './keycloak-roles.ts'
import { providerId } from './keycloak-users.ts'

/** The kinds of providers that issue ID tokens, with their presets. */
const PRESETS: ReadonlyMap<string, string | undefined> = new Map([
  ['oidc', undefined],
  ['keycloak-oidc', 'keycloak'],
  ['google', 'google'],
  ['microsoft', 'entra'],
  ['gitlab', 'gitlab'],
])

const SAML = 'saml'
const GITHUB = 'github'

/** Keycloak writes it in place of a secret in a partial export. */
const MASK = /^\*+$/

/** Converts an identity provider of a realm; those of social networks without ID tokens are left out, but GitHub. */
export function* convertProvider(provider: JsonObject, realm: Realm): Generator<ConvertedPart> {
  const { leftOut } = realm
  const members = new SourceMembers('identityProviders[]', provider, leftOut)
  const alias = members.text('alias') ?? ''
  members.example = alias
  const kind = members.text('providerId') ?? ''
  if ((!PRESETS.has(kind) && kind !== SAML && kind !== GITHUB) || alias === '') {
    leftOut.add(`identityProviders of kind ${kind || 'unknown'}`, alias)
    return
  }
  const given = members.object('config') ?? {}
  const config = new SourceMembers('identityProviders[].config', given, leftOut, alias)
  const idp = (MEMBERS[kind] ?? oidcMembers)(config, kind)
  if (idp === undefined) {
    leftOut.add('identityProviders of kind saml with principalType FRIENDLY_ATTRIBUTE', alias)
    return
  }
  const state = members.flag('enabled') === false ? 'IDP_STATE_INACTIVE' : undefined
  members.takeDerived('internalId')
  const path = kind === SAML ? consumerPath(realm, alias) : undefined
  const named = { name: members.text('displayName') ?? alias, ...idp, ...path }
  config.leaveRest()
  members.leaveRest()
  yield* record('oidcIdps', compact({ idpId: providerId(realm, alias), idp: named, state }), leftOut, alias)
}

function oidcMembers(config: SourceMembers, kind: string): JsonObject {
  const hostedDomain = config.text('hostedDomain')
  const isOneDomain = hostedDomain !== undefined && !/[*,]/.test(hostedDomain)
  if (hostedDomain !== undefined && !isOneDomain) config.leaveOut('hostedDomain', hostedDomain)
  return compact({
    clientId: config.text('clientId'),
    clientSecret: secretOf(config),
    clientAuthentication: authenticationOf(config),
    issuer: issuerOf(kind, config),
    scopes: config.text('defaultScope')?.split(' ').filter(Boolean),
    preset: PRESETS.get(kind),
    requiredClaims: isOneDomain ? { hd: hostedDomain } : undefined,
  })
}

/** The members of a provider of SAML; undefined where people are known by a name that an assertion need not have. */
function samlMembers(config: SourceMembers): JsonObject | undefined {
  const principal = config.text('principalType') ?? 'SUBJECT'
  if (principal === 'FRIENDLY_ATTRIBUTE') return undefined
  const attribute = config.text('principalAttribute')
  return compact({
    type: SAML,
    issuer: config.text('idpEntityId'),
    clientId: config.text('entityId'),
    ssoUrl: config.text('singleSignOnServiceUrl'),
    certificates: config.text('signingCertificate')?.split(',').filter(Boolean),
    subjectClaim: principal === 'ATTRIBUTE' ? attribute : undefined,
    nameIdFormat: nameIdFormatOf(config, principal),
    assertionEncryption: config.textFlag('wantAssertionsEncrypted') === true ? 'required' : undefined,
    signAuthnRequests: config.textFlag('wantAuthnRequestsSigned') === true ? true : undefined,
  })
}

/** The path to which the partner of the provider sends assertions: it changes nothing. */
function consumerPath({ name }: Realm, alias: string): JsonObject | undefined {
  const assertionConsumerPath = `/realms/${name}/broker/${alias}/endpoint`
  return isConsumerPath(assertionConsumerPath) ? { assertionConsumerPath } : undefined
}

/** github.com, or a server of GitHub Enterprise. Keycloak knows people by the number of their account, as Signet does. */
function githubMembers(config: SourceMembers): JsonObject {
  config.takeDerived('apiUrl')
  return compact({
    type: GITHUB,
    clientId: config.text('clientId'),
    clientSecret: secretOf(config),
    issuer: config.text('baseUrl')?.replace(/\/$/, ''),
    scopes: config.text('defaultScope')?.split(' ').filter(Boolean),
  })
}

const MEMBERS: Readonly<Record<string, (config: SourceMembers, kind: string) => JsonObject | undefined>> = {
  [SAML]: samlMembers,
  [GITHUB]: githubMembers,
}

/** The format that requests ask for. A transient NameID identifies a person by an attribute alone. */
function nameIdFormatOf(config: SourceMembers, principal: string): string | undefined {
  const format = config.text('nameIDPolicyFormat')
  if (format === undefined) return undefined
  const isKept = STABLE_FORMATS.includes(format) || (format === TRANSIENT && principal === 'ATTRIBUTE')
  if (isKept) return format
  config.leaveOut(`nameIDPolicyFormat ${format}`)
  return undefined
}

function secretOf(config: SourceMembers): string | undefined {
  const secret = config.text('clientSecret')
  if (secret === undefined || !MASK.test(secret)) return secret
  config.leaveOut('clientSecret that Keycloak has masked')
  return undefined
}

function authenticationOf(config: SourceMembers): string | undefined {
  const method = config.text('clientAuthMethod')
  if (method === undefined || method === 'client_secret_basic') return undefined
  if (method === 'client_secret_post') return method
  config.leaveOut(`clientAuthMethod ${method}`)
  return undefined
}

function issuerOf(kind: string, config: SourceMembers): string | undefined {
  const issuer = config.text('issuer')
  if (kind === 'microsoft') {
    const tenant = config.text('tenantId') ?? 'common'
    return `https://login.microsoftonline.com/${tenant}/v2.0`
  }
  if (issuer !== undefined || kind !== 'keycloak-oidc') return issuer
  const [, realm] = /^(.+)\/protocol\/openid-connect\/auth$/.exec(config.text('authorizationUrl') ?? '') ?? []
  return realm
}
