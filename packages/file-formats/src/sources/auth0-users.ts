import { findHashProblem } from '@signet/password-hash/stored-hash'
import { isPlaceholder, PLACEHOLDER_RULE } from '@signet/protocol/placeholder'
import { USER_IDENTIFIER } from '@signet/tokens/identifiers'
import { providerId, subjectOf } from './auth0-connections.ts'
import { record, type Tenant } from './auth0-tenant.ts'
import {
  type ConvertedPart,
  checkRecord,
  compact,
  isEmpty,
  isObject,
  type JsonObject,
  languageTag,
  metadataValue,
  SourceMembers,
} from './conversion.ts'
import { stableId } from './stable-id.ts'

/** The id of a user whose own one is missing or has characters that ids here do not have. */
const idOf = (organizationId: string, own: string) =>
  own === '' ? '' : stableId('auth0', organizationId, 'user', own)

/** The hash of the bulk import's `custom_password_hash`, where its algorithm writes all parts in one text. */
function customHash(members: SourceMembers): JsonObject | undefined {
  const custom = members.object('custom_password_hash')
  if (custom === undefined) return undefined
  const hash = isObject(custom.hash) ? custom.hash : {}
  const isText = hash.encoding === undefined || hash.encoding === 'utf8'
  const value = typeof hash.value === 'string' && isText && custom.salt === undefined ? hash.value : undefined
  const problem = value === undefined ? 'its parts are not in one text' : findHashProblem(value)
  if (problem === undefined) return { value }
  const algorithm = typeof custom.algorithm === 'string' ? custom.algorithm : 'of no name'
  members.leaveOut(`custom_password_hash ${algorithm}: ${problem}`)
  return undefined
}

/** The secret of the first TOTP factor of the bulk import's `mfa_factors`. */
function totpSecret(members: SourceMembers): string | undefined {
  let secret: string | undefined
  for (const factor of members.objects('mfa_factors')) {
    const own = isObject(factor.totp) ? factor.totp.secret : undefined
    if (secret === undefined && typeof own === 'string') secret = own
    else members.leaveOut(`mfa_factors[] ${Object.keys(factor).join(', ')}`)
  }
  return secret
}

/** A user of the export job, or of a file for the bulk import; its members are those that were asked for. */
export function* convertUser(user: JsonObject, tenant: Tenant): Generator<ConvertedPart> {
  const { leftOut, organizationId } = tenant
  const members = new SourceMembers('users', user, leftOut)
  const [email, phone] = [members.text('email'), members.text('phone_number')]
  const [ownId, name] = [members.text('user_id'), members.text('username')]
  const userId =
    ownId !== undefined && USER_IDENTIFIER.test(ownId)
      ? ownId
      : idOf(organizationId, ownId ?? email ?? name ?? '')
  members.example = ownId ?? email ?? name ?? ''
  const locale = members.text('locale')
  const isEmailVerified = members.flag('email_verified')
  const isPhoneVerified = members.flag('phone_verified')
  const blocked = members.flag('blocked')
  const memberships = tenant.memberships.get(ownId ?? userId)
  tenant.memberships.delete(ownId ?? userId)
  const metadata = [
    ...metadataOf(members, 'user_metadata'),
    ...metadataOf(members, 'app_metadata'),
    ...(ownId !== undefined && ownId !== userId ? [['auth0.user_id', ownId] as const] : []),
    ...(memberships === undefined ? [] : [['auth0.organizations', memberships] as const]),
  ]
  const links = linksOf(members, tenant)
  const converted = compact({
    userId,
    user: {
      userName: name,
      profile: {
        firstName: members.text('given_name'),
        lastName: members.text('family_name'),
        nickName: members.text('nickname'),
        displayName: members.text('name'),
        preferredLanguage: locale && languageTag(locale),
        picture: members.text('picture'),
      },
      email: email === undefined ? undefined : { email, isEmailVerified },
      phone: phone === undefined ? undefined : { phone, isPhoneVerified },
      hashedPassword: hashOf(ownId ?? userId, tenant) ?? customHash(members),
      otpCode: totpSecret(members),
    },
    state: blocked === undefined ? undefined : blocked ? 'USER_STATE_INACTIVE' : 'USER_STATE_ACTIVE',
    creationDate: members.text('created_at'),
    changeDate: members.text('updated_at'),
  })
  members.leaveRest()
  const roleKeys = [...new Set(tenant.roles.get(ownId ?? userId))]
  tenant.roles.delete(ownId ?? userId)
  const checked = checkRecord('humanUsers', converted, leftOut, members.example)
  if (checked === undefined) return
  yield { kind: 'record', list: 'humanUsers', record: checked }
  const keys = new Set<string>()
  for (const [key, value] of metadata) {
    if (keys.has(key)) leftOut.add(`users: a second value of metadata ${key}`, userId)
    else yield* record('userMetadata', { id: userId, key, value: metadataValue(value) }, tenant, userId)
    keys.add(key)
  }
  if (roleKeys.length > 0)
    yield* record('userGrants', { userId, projectId: organizationId, roleKeys }, tenant, userId)
  for (const link of links) yield* record('userLinks', compact({ userId, ...link }), tenant, userId)
}

/** The members of one kind of metadata, by `app_metadata.plan`: both kinds may have a member of the same name. */
function metadataOf(members: SourceMembers, name: string): readonly (readonly [string, unknown])[] {
  const entries = Object.entries(members.object(name) ?? {}).filter(([key, value]) => {
    if (isPlaceholder(value)) members.leaveOut(`${name}.${key}: ${PLACEHOLDER_RULE}`)
    return !isEmpty(value) && !isPlaceholder(value)
  })
  return entries.map(([key, value]) => [name === 'user_metadata' ? key : `${name}.${key}`, value] as const)
}

/** The identities besides that of the database of Auth0. */
function linksOf(members: SourceMembers, tenant: Tenant): readonly JsonObject[] {
  return members.objects('identities').flatMap((identity) => {
    const parts = new SourceMembers('users.identities', identity, tenant.leftOut, members.example)
    const provider = parts.text('provider')
    const connection = parts.text('connection')
    const id = parts.text('user_id') ?? parts.number('user_id')?.toString()
    parts.takeDerived('isSocial')
    parts.leaveRest()
    if (provider === 'auth0') return []
    const own = connection ?? provider ?? ''
    const subject = id === undefined ? undefined : subjectOf(tenant, own, id)
    return subject === undefined
      ? [{ idpId: own, providedUserId: id }]
      : [{ idpId: providerId(tenant, own), providedUserId: subject }]
  })
}

function hashOf(userId: string, { hashes, leftOut }: Tenant): JsonObject | undefined {
  const id = userId.replace(/^auth0\|/, '')
  const value = hashes.get(id)
  hashes.delete(id)
  if (value === undefined) return undefined
  const problem = findHashProblem(value)
  if (problem === undefined) return { value }
  leftOut.add(`passwords: ${problem}`, userId)
  return undefined
}
