import { findHashProblem } from '@signet/password-hash/stored-hash'
import { isPlaceholder, isSample, SAMPLE_RULE } from '@signet/protocol/placeholder'
import { encodeBase32, USER_IDENTIFIER } from '@signet/tokens/identifiers'
import {
  type ConvertedPart,
  checkRecord,
  compact,
  isEmpty,
  isObject,
  type JsonObject,
  metadataValue,
  record,
  SourceMembers,
} from './conversion.ts'
import { attributesOf } from './keycloak-attributes.ts'
import { MISSING_USER_ENABLED } from './keycloak-defaults.ts'
import { groupReferences, type Realm, roleReferences } from './keycloak-roles.ts'
import type { LeftOut } from './left-out.ts'
import { stableId } from './stable-id.ts'

// Converts the users of a realm export with their credentials, roles and links.

/** Aliases are unique in their realm only. */
export const providerId = ({ name }: Realm, alias: string) => `${name}.${alias}`

/** The id of a person whose own one is missing or has characters that ids here do not have. */
const idOf = ({ name }: Realm, own: string) => (own === '' ? '' : stableId('keycloak', name, 'user', own))

/** The records of one user: account, roles and links. */
export function* convertUser(user: JsonObject, realm: Realm): Generator<ConvertedPart> {
  const { leftOut, roles } = realm
  const members = new SourceMembers('users[]', user, leftOut)
  const userName = members.text('username')
  const name =
    userName ?? (typeof user.email === 'string' && !isPlaceholder(user.email) ? user.email : undefined)
  const ownId = members.text('id')
  const userId = ownId !== undefined && USER_IDENTIFIER.test(ownId) ? ownId : idOf(realm, ownId ?? name ?? '')
  members.example = name ?? userId
  const attributes = attributesOf(members)
  const converted = compact({
    userId,
    user: {
      userName,
      profile: {
        firstName: members.text('firstName'),
        lastName: members.text('lastName'),
        ...attributes.profile,
      },
      email: emailOf(members),
      phone: attributes.phone,
      address: attributes.address,
      ...credentialsOf(members, realm),
    },
    state: (members.flag('enabled') ?? MISSING_USER_ENABLED) ? 'USER_STATE_ACTIVE' : 'USER_STATE_INACTIVE',
    creationDate: momentOf(members.number('createdTimestamp')),
  })
  const paths = members.texts('groups')
  const references = [
    ...roleReferences(members, { realm: 'realmRoles', client: 'clientRoles' }),
    ...groupReferences(members, paths, roles),
  ]
  const roleKeys = roles.expand(references, (name) => members.leaveOut(`roles: ${name}`))
  const links = members.objects('federatedIdentities')
  members.takeDerived('totp', 'self', 'access')
  members.takeDefaults({ notBefore: [0] })
  members.leaveRest()

  const checked = checkRecord('humanUsers', converted, leftOut, members.example)
  if (checked === undefined) return
  yield { kind: 'record', list: 'humanUsers', record: checked }
  const metadata = [
    ...attributes.metadata,
    ...(ownId !== undefined && ownId !== userId ? [['keycloak.id', ownId] as const] : []),
    ...(paths.length > 0 ? [['keycloak.groups', paths] as const] : []),
  ]
  const keys = new Set<string>()
  for (const [key, value] of metadata) {
    if (keys.has(key)) leftOut.add(`users[].attributes ${key}`, members.example)
    else
      yield* record(
        'userMetadata',
        { id: userId, key, value: metadataValue(value) },
        leftOut,
        members.example,
      )
    keys.add(key)
  }
  if (roleKeys.length > 0) {
    yield* record('userGrants', { userId, projectId: realm.projectId, roleKeys }, leftOut, members.example)
  }
  for (const link of links) yield* convertLink(link, { userId, realm, example: members.example })
}

function* convertLink(
  link: JsonObject,
  { userId, realm, example }: { readonly userId: string; readonly realm: Realm; readonly example: string },
): Generator<ConvertedPart> {
  const members = new SourceMembers('users[].federatedIdentities[]', link, realm.leftOut, example)
  const alias = members.text('identityProvider') ?? ''
  const converted = compact({
    userId,
    idpId: providerId(realm, alias),
    providedUserId: members.text('userId'),
    providedUserName: members.text('userName'),
  })
  members.leaveRest()
  yield* record('userLinks', converted, realm.leftOut, example)
}

function emailOf(members: SourceMembers): JsonObject | undefined {
  const email = members.text('email')
  const isEmailVerified = members.flag('emailVerified')
  return email === undefined ? undefined : compact({ email, isEmailVerified })
}

function momentOf(milliseconds: number | undefined): string | undefined {
  if (milliseconds === undefined) return undefined
  const date = new Date(milliseconds)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

/** The password, the TOTP devices, and whether the password has to be changed. */
function credentialsOf(members: SourceMembers, { leftOut }: Realm): JsonObject {
  const credentials: Record<string, unknown> = {}
  const devices: TotpDevice[] = []
  for (const action of members.texts('requiredActions')) {
    if (action === 'UPDATE_PASSWORD') credentials.passwordChangeRequired = true
    else members.leaveOut(`requiredActions ${action}`)
  }
  for (const credential of members.objects('credentials')) {
    const parts = new SourceMembers('users[].credentials[]', credential, leftOut, members.example)
    const type = parts.text('type') ?? 'unknown'
    const has = 'hashedPassword' in credentials || 'password' in credentials
    if (type === 'password' && !has) {
      // Versions before 8 write the members of one-time codes, too.
      parts.takeDefaults({ counter: [0], digits: [0], period: [0] })
      Object.assign(credentials, passwordOf(parts, leftOut))
      if (parts.flag('temporary') === true) credentials.passwordChangeRequired = true
    } else if (type === 'otp' && devices.length < MOST_TOTP_DEVICES) {
      const device = otpOf(parts, leftOut)
      if (device !== undefined) devices.push(device)
    } else {
      parts.takeRest()
      parts.leaveOut(`type ${type}`)
    }
    parts.takeDerived('id', 'priority', 'createdDate')
    parts.leaveRest()
  }
  if (devices.length > 0) credentials.totpDevices = devices
  return credentials
}

/** Hashes as `kc.sh export` writes them, as versions before 8 did, and clear passwords of files that people write. */
function passwordOf(parts: SourceMembers, leftOut: LeftOut): JsonObject {
  const clear = parts.text('value')
  if (clear !== undefined && isSample(clear)) {
    parts.leaveOut(`value: ${SAMPLE_RULE}`)
    return {}
  }
  if (clear !== undefined) return { password: clear }
  const value = encodedHash(hashParts(parts, leftOut))
  const problem = value === undefined ? 'its algorithm has no accepted form' : findHashProblem(value)
  if (problem === undefined) return { hashedPassword: { value } }
  parts.leaveOut(`type password: ${problem}`)
  return {}
}

interface HashParts {
  readonly algorithm: string | undefined
  readonly iterations: number | undefined
  readonly salt: string | undefined
  readonly digest: string | undefined
  readonly parameters: JsonObject
}

function hashParts(parts: SourceMembers, leftOut: LeftOut): HashParts {
  const data = embeddedMembers(parts, 'credentialData', leftOut)
  const secret = embeddedMembers(parts, 'secretData', leftOut)
  const found = {
    algorithm: data.text('algorithm') ?? parts.text('algorithm'),
    iterations: data.number('hashIterations') ?? parts.number('hashIterations'),
    salt: secret.text('salt') ?? parts.text('salt'),
    digest: secret.text('value') ?? parts.text('hashedSaltedValue'),
    parameters: data.object('additionalParameters') ?? {},
  }
  data.leaveRest()
  secret.leaveRest()
  return found
}

/** Keycloak writes JSON in a text. */
function embeddedMembers(parts: SourceMembers, name: string, leftOut: LeftOut): SourceMembers {
  const kind = `users[].credentials[].${name}`
  const text = parts.text(name)
  if (text === undefined) return new SourceMembers(kind, {}, leftOut, parts.example)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {}
  if (!isObject(value)) parts.leaveOut(`${name} that is not a JSON object`)
  return new SourceMembers(kind, isObject(value) ? value : {}, leftOut, parts.example)
}

const PBKDF2: Readonly<Record<string, string>> = {
  pbkdf2: 'pbkdf2',
  'pbkdf2-sha256': 'pbkdf2-sha256',
  'pbkdf2-sha512': 'pbkdf2-sha512',
}

/** The parts of a hash in one text; undefined for an algorithm without such a form. */
function encodedHash({ algorithm, iterations, salt, digest, parameters }: HashParts): string | undefined {
  if (typeof algorithm !== 'string' || typeof digest !== 'string') return undefined
  // The extension for bcrypt writes the whole hash in one text.
  if (algorithm === 'bcrypt') return digest
  if (typeof salt !== 'string') return undefined
  const pbkdf2 = Object.hasOwn(PBKDF2, algorithm) ? PBKDF2[algorithm] : undefined
  if (pbkdf2 !== undefined) return `$${pbkdf2}$${iterations}$${salt}$${digest}`
  if (algorithm !== 'argon2') return undefined
  const first = (name: string) => {
    const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined
    return Array.isArray(value) ? String(value[0]) : undefined
  }
  if (first('version') !== '1.3') return undefined
  const cost = `m=${first('memory')},t=${iterations},p=${first('parallelism')}`
  return `$argon2${first('type')}$v=19$${cost}$${salt.replace(/=+$/, '')}$${digest.replace(/=+$/, '')}`
}

interface TotpDevice {
  readonly name?: string
  readonly secret: string
  readonly algorithm?: string
  readonly digits?: number
  readonly period?: number
}

/** The format takes no more of one user. */
const MOST_TOTP_DEVICES = 5
const TOTP_ALGORITHMS: Readonly<Record<string, string>> = {
  HmacSHA1: 'SHA1',
  HmacSHA256: 'SHA256',
  HmacSHA512: 'SHA512',
}

/** A TOTP device with its parameters; undefined for HOTP and for parameters that Signet does not have. */
function otpOf(parts: SourceMembers, leftOut: LeftOut): TotpDevice | undefined {
  const data = embeddedMembers(parts, 'credentialData', leftOut)
  const secret = embeddedMembers(parts, 'secretData', leftOut)
  data.takeDefaults({ subType: ['totp'], counter: [0] })
  const [digits = 6, period = 30] = [data.number('digits'), data.number('period')]
  const algorithm = TOTP_ALGORITHMS[data.text('algorithm') ?? 'HmacSHA1']
  const encoding = data.text('secretEncoding')
  const seed = secret.text('value')
  const name = parts.text('userLabel')
  const others = data.takeRest().filter(([, value]) => !isEmpty(value))
  secret.leaveRest()
  const isKnown = algorithm !== undefined && digits >= 6 && digits <= 8 && period >= 15 && period <= 300
  if (others.length > 0 || !isKnown || seed === undefined || (encoding ?? 'BASE32') !== 'BASE32') {
    parts.leaveOut('type otp that is not TOTP with 6 to 8 digits and 15 to 300 seconds')
    return undefined
  }
  // Without this member the seed is the bytes of the text itself.
  const base32 = encoding === undefined ? encodeBase32(Buffer.from(seed)) : seed
  return compact({ name, secret: base32, algorithm, digits, period }) as unknown as TotpDevice
}
