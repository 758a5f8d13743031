import { encodeBase32 } from '@signet/tokens/identifiers'
import {
  type ConvertedPart,
  isObject,
  type JsonObject,
  type SourceFile,
  SourceMembers,
} from './conversion.ts'
import type { LeftOut } from './left-out.ts'
import { convertPeople, hashMembers, momentOf, type PeopleOptions, type PeopleTarget } from './person.ts'

/**
 * Converts users of FusionAuth: answers of its search for users. Its API leaves hashes out; they are read where the file has
 * them, as in the body of an import (`password`, `salt`, `factor`, `encryptionScheme`). Throws SourceError for files that are none.
 */
export function convertFusionAuth(
  files: readonly SourceFile[],
  options: PeopleOptions,
  leftOut: LeftOut,
): AsyncGenerator<ConvertedPart> {
  const source = { name: 'FusionAuth', list: 'users' }
  return convertPeople(files, source, { options, leftOut }, (person, target) =>
    convertUser(person, target, leftOut),
  )
}

function* convertUser(user: JsonObject, target: PeopleTarget, leftOut: LeftOut): Generator<ConvertedPart> {
  const members = new SourceMembers('users[]', user, leftOut)
  const id = members.text('id')
  const [email, userName, phone] = [
    members.text('email'),
    members.text('username'),
    members.text('mobilePhone'),
  ]
  const example = email ?? userName ?? id ?? ''
  members.example = example
  const isEmailVerified = members.flag('verified')
  const [language] = members.texts('preferredLanguages')
  const inserted = members.number('insertInstant')
  const converted = {
    userName,
    profile: {
      firstName: members.text('firstName'),
      middleName: members.text('middleName'),
      lastName: members.text('lastName'),
      displayName: members.text('fullName'),
      birthdate: members.text('birthDate'),
      picture: members.text('imageUrl'),
      preferredLanguage: language?.replaceAll('_', '-'),
      zoneinfo: members.text('timezone'),
    },
    email: email === undefined ? undefined : { email, isEmailVerified },
    phone: phone === undefined ? undefined : { phone },
    passwordChangeRequired: members.flag('passwordChangeRequired'),
    ...hashMembers(members, hashOf(members)),
    ...totpMembers(members, leftOut),
  }
  const roleKeys = members.objects('registrations').flatMap(({ applicationId, roles }) => {
    const names = Array.isArray(roles) ? roles.filter((role) => typeof role === 'string') : []
    return names.map((role) => (typeof applicationId === 'string' ? `${applicationId}:${role}` : role))
  })
  const isActive = members.flag('active')
  const metadata = Object.entries(members.object('data') ?? {})
  members.takeDerived(
    ...['tenantId', 'lastLoginInstant', 'lastUpdateInstant', 'passwordLastUpdateInstant', 'usernameStatus'],
    ...['breachedPasswordLastCheckedInstant', 'connectorId', 'uniqueUsername', 'verifiedInstant'],
  )
  members.leaveRest()
  const creationDate = momentOf(inserted)
  yield* target.records({ id, user: converted, isActive, creationDate, metadata, roleKeys }, example)
}

const PBKDF2: Readonly<Record<string, string>> = {
  'salted-pbkdf2-hmac-sha256': 'pbkdf2-sha256',
  'salted-pbkdf2-hmac-sha256-512': 'pbkdf2-sha256',
  'salted-pbkdf2-hmac-sha512-512': 'pbkdf2-sha512',
}

/** The hash in one text; undefined without one. A scheme without such a form is counted. */
function hashOf(members: SourceMembers): string | undefined {
  const [digest, salt] = [members.text('password'), members.text('salt')]
  const [factor, scheme] = [members.number('factor'), members.text('encryptionScheme')]
  if (digest === undefined || scheme === undefined) return undefined
  if (Object.hasOwn(PBKDF2, scheme)) return `$${PBKDF2[scheme]}$${factor}$${salt}$${digest}`
  if (scheme === 'bcrypt') return `$2a$${`${factor}`.padStart(2, '0')}$${salt}${digest}`
  members.leaveOut(`password: the scheme ${scheme} has no form here`)
  return undefined
}

/** The authenticator applications of a user. Their secrets are bytes in base64. */
function totpMembers(members: SourceMembers, leftOut: LeftOut): JsonObject {
  const factors = members.object('twoFactor') ?? {}
  const methods = (Array.isArray(factors.methods) ? factors.methods : []).filter(isObject)
  const totpDevices = methods.flatMap(({ method, secret, authenticator }) => {
    if (method !== 'authenticator' || typeof secret !== 'string') {
      const kind = typeof method === 'string' ? method : 'of no method'
      leftOut.add(`users[].twoFactor.methods[] ${kind}`, members.example)
      return []
    }
    const { algorithm, codeLength, timeStep } = isObject(authenticator) ? authenticator : {}
    return [
      {
        secret: encodeBase32(Buffer.from(secret, 'base64')),
        algorithm: typeof algorithm === 'string' ? algorithm.replace(/^Hmac/, '') : 'SHA1',
        digits: typeof codeLength === 'number' ? codeLength : 6,
        period: typeof timeStep === 'number' ? timeStep : 30,
      },
    ]
  })
  return totpDevices.length > 0 ? { totpDevices } : {}
}
