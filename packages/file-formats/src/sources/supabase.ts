import {
  type ConvertedPart,
  isObject,
  type JsonObject,
  type SourceFile,
  SourceMembers,
} from './conversion.ts'
import type { LeftOut } from './left-out.ts'
import { convertPeople, hashMembers, type PeopleOptions, type PeopleTarget } from './person.ts'

/**
 * Converts rows of the table `auth.users` of Supabase as JSON, one a line or as an array, each with the rows of
 * `auth.identities` and `auth.mfa_factors` as `identities` and `mfa_factors`. Throws SourceError for files that are none.
 */
export function convertSupabase(
  files: readonly SourceFile[],
  options: PeopleOptions,
  leftOut: LeftOut,
): AsyncGenerator<ConvertedPart> {
  const source = { name: 'Supabase', list: 'users' }
  return convertPeople(files, source, { options, leftOut }, (person, target) =>
    convertUser(person, target, leftOut),
  )
}

/** Columns that hold state of the service itself. */
const OWN_COLUMNS = [
  ...[
    'instance_id',
    'aud',
    'role',
    'confirmed_at',
    'is_super_admin',
    'last_sign_in_at',
    'updated_at',
    'invited_at',
  ],
  ...['confirmation_sent_at', 'recovery_sent_at', 'reauthentication_sent_at', 'email_change_sent_at'],
  ...['phone_change_sent_at', 'email_change_confirm_status', 'is_sso_user'],
] as const
/** Tokens of messages that were sent: their links lead to Supabase. */
const TOKEN_COLUMN = /_token(_new|_current)?$|^(email|phone)_change$/

function* convertUser(user: JsonObject, target: PeopleTarget, leftOut: LeftOut): Generator<ConvertedPart> {
  const members = new SourceMembers('users[]', user, leftOut)
  const id = members.text('id')
  const [email, phone] = [members.text('email'), members.text('phone')]
  const example = email ?? phone ?? id ?? ''
  members.example = example
  if (members.text('deleted_at') !== undefined || members.flag('is_anonymous') === true) {
    leftOut.add('users[] that are deleted or anonymous', example)
    return
  }
  const profile = new SourceMembers(
    'users[].raw_user_meta_data',
    members.object('raw_user_meta_data') ?? {},
    leftOut,
    example,
  )
  const bannedUntil = members.text('banned_until')
  const [emailConfirmed, phoneConfirmed] = [
    members.text('email_confirmed_at'),
    members.text('phone_confirmed_at'),
  ]
  const name = profile.text('full_name') ?? profile.text('name')
  profile.takeDerived(
    'name',
    'email',
    'email_verified',
    'phone_verified',
    'sub',
    'iss',
    'provider_id',
    'avatar_url',
  )
  const converted = {
    userName: email === undefined ? phone : undefined,
    profile: { displayName: name, picture: pictureOf(user) },
    email: email === undefined ? undefined : { email, isEmailVerified: emailConfirmed !== undefined },
    phone: phone && { phone: phone.replace(/^(?!\+)/, '+'), isPhoneVerified: phoneConfirmed !== undefined },
    otpCode: totpSecret(members, leftOut),
    ...hashMembers(members, members.text('encrypted_password')),
  }
  const application = members.object('raw_app_meta_data') ?? {}
  const { provider: _provider, providers: _providers, ...ownData } = application
  const links = members.objects('identities').flatMap((identity) => {
    const { provider, provider_id: own, identity_data: data } = identity
    const providedUserId = own ?? (isObject(data) ? data.sub : undefined)
    return provider === 'email' || provider === 'phone' ? [] : [{ idpId: provider, providedUserId }]
  })
  members.takeDerived(...OWN_COLUMNS)
  members.takeNamed(TOKEN_COLUMN)
  const creationDate = members.text('created_at')
  const metadata = [
    ...profile.takeRest(),
    ...Object.entries(ownData).map(([key, value]) => [`app.${key}`, value] as const),
  ]
  members.leaveRest()
  const isActive = bannedUntil === undefined
  yield* target.records({ id, user: converted, isActive, creationDate, metadata, links }, example)
}

const pictureOf = ({ raw_user_meta_data: data }: JsonObject) =>
  isObject(data) && typeof data.avatar_url === 'string' ? data.avatar_url : undefined

/** The secret of the first verified TOTP factor. */
function totpSecret(members: SourceMembers, leftOut: LeftOut): string | undefined {
  let secret: string | undefined
  for (const factor of members.objects('mfa_factors')) {
    const isUsable = factor.factor_type === 'totp' && factor.status === 'verified'
    if (isUsable && secret === undefined && typeof factor.secret === 'string') secret = factor.secret
    else {
      const kind = typeof factor.factor_type === 'string' ? factor.factor_type : 'of no type'
      leftOut.add(`users[].mfa_factors[] ${kind}`, members.example)
    }
  }
  return secret
}
