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
 * Converts identities of Ory Kratos: answers of `GET /admin/identities?include_credential=password,totp,oidc`. Traits of the
 * usual names become the profile, others metadata. Throws SourceError for files that are none.
 */
export function convertKratos(
  files: readonly SourceFile[],
  options: PeopleOptions,
  leftOut: LeftOut,
): AsyncGenerator<ConvertedPart> {
  const source = { name: 'Kratos', list: 'identities' }
  return convertPeople(files, source, { options, leftOut }, (person, target) =>
    convertIdentity(person, target, leftOut),
  )
}

function* convertIdentity(
  identity: JsonObject,
  target: PeopleTarget,
  leftOut: LeftOut,
): Generator<ConvertedPart> {
  const members = new SourceMembers('identities[]', identity, leftOut)
  const traits = new SourceMembers('identities[].traits', members.object('traits') ?? {}, leftOut)
  const id = members.text('id')
  const [email, phone, userName] = [traits.text('email'), traits.text('phone'), traits.text('username')]
  const example = email ?? userName ?? id ?? ''
  members.example = example
  traits.example = example
  const name = traits.object('name') ?? {}
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
  const verified = members
    .objects('verifiable_addresses')
    .flatMap(({ value, verified: isProven }) => (isProven === true ? [value] : []))
  const credentials = new SourceMembers(
    'identities[].credentials',
    members.object('credentials') ?? {},
    leftOut,
    example,
  )
  const configOf = (kind: string): JsonObject | undefined => {
    const credential = credentials.object(kind)
    if (credential === undefined) return undefined
    return isObject(credential.config) ? credential.config : {}
  }
  const totpConfig = configOf('totp')
  const totp = totpOf(text(totpConfig?.totp_url))
  if (totpConfig !== undefined && totp === undefined) credentials.leaveOut('totp of another form')
  const providers = configOf('oidc')?.providers
  const converted = {
    userName,
    profile: {
      firstName: text(name.first) ?? traits.text('first_name') ?? traits.text('given_name'),
      lastName: text(name.last) ?? traits.text('last_name') ?? traits.text('family_name'),
      displayName: traits.text('display_name'),
      picture: traits.text('picture'),
      website: traits.text('website'),
      preferredLanguage: traits.text('locale'),
    },
    email: email && { email, isEmailVerified: verified.includes(email) },
    phone: phone && { phone, isPhoneVerified: verified.includes(phone) },
    ...hashMembers(members, text(configOf('password')?.hashed_password)),
    ...(totp && { totpDevices: [totp] }),
  }
  const state = members.text('state')
  const creationDate = members.text('created_at')
  const metadata = [
    ...traits.takeRest(),
    ...Object.entries(members.object('metadata_public') ?? {}),
    ...Object.entries(members.object('metadata_admin') ?? {}).map(
      ([key, value]) => [`admin.${key}`, value] as const,
    ),
  ]
  credentials.leaveRest()
  members.takeDerived('schema_id', 'schema_url', 'state_changed_at', 'updated_at', 'recovery_addresses')
  members.leaveRest()
  const links = (Array.isArray(providers) ? providers : [])
    .filter(isObject)
    .map(({ provider, subject }) => ({ idpId: provider, providedUserId: subject }))
  const isActive = state === undefined ? undefined : state === 'active'
  yield* target.records({ id, user: converted, isActive, creationDate, metadata, links }, example)
}

/** The device of an `otpauth://totp/…` URL. */
function totpOf(url: string | undefined): JsonObject | undefined {
  if (url === undefined || !url.startsWith('otpauth://totp/') || !URL.canParse(url)) return undefined
  const { searchParams } = new URL(url)
  const secret = searchParams.get('secret')
  if (secret === null) return undefined
  return {
    secret,
    algorithm: searchParams.get('algorithm') ?? 'SHA1',
    digits: Number(searchParams.get('digits') ?? 6),
    period: Number(searchParams.get('period') ?? 30),
  }
}
