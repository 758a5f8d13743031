import {
  type ConvertedPart,
  type JsonObject,
  SourceError,
  type SourceFile,
  SourceMembers,
} from './conversion.ts'
import type { LeftOut } from './left-out.ts'
import { convertPeople, hashMembers, momentOf, type PeopleOptions, type PeopleTarget } from './person.ts'

/** The parameters of the password hashes of a project, as the console of Firebase shows them. */
export interface FirebaseHashConfig {
  readonly signerKey: string
  readonly saltSeparator: string
  readonly rounds: number
  readonly memCost: number
}

export interface FirebaseOptions extends PeopleOptions {
  readonly hashConfig?: FirebaseHashConfig | undefined
}

/** Reads `hash_config { algorithm: SCRYPT, base64_signer_key: …, }`. Throws SourceError that names the missing member. */
export function readFirebaseHashConfig(text: string): FirebaseHashConfig {
  const member = (name: string) => {
    const value = new RegExp(`"?\\b${name}"?\\s*:\\s*"?([^\\s",}]+)`).exec(text)?.[1]
    if (value === undefined) throw new SourceError(`the hash configuration of Firebase has no ${name}`)
    return value
  }
  return {
    signerKey: member('base64_signer_key'),
    saltSeparator: member('base64_salt_separator'),
    rounds: Number(member('rounds')),
    memCost: Number(member('mem_cost')),
  }
}

/** Converts files of `firebase auth:export users.json`. Throws SourceError for files that are none. */
export function convertFirebase(
  files: readonly SourceFile[],
  { hashConfig, ...options }: FirebaseOptions,
  leftOut: LeftOut,
): AsyncGenerator<ConvertedPart> {
  const source = { name: 'Firebase', list: 'users' }
  return convertPeople(files, source, { options, leftOut }, (person, target) =>
    convertUser(person, target, { hashConfig, leftOut }),
  )
}

function convertUser(
  user: JsonObject,
  target: PeopleTarget,
  { hashConfig, leftOut }: { readonly hashConfig: FirebaseHashConfig | undefined; readonly leftOut: LeftOut },
): Iterable<ConvertedPart> {
  const members = new SourceMembers('users[]', user, leftOut)
  const id = members.text('localId')
  const [email, phone] = [members.text('email'), members.text('phoneNumber')]
  const example = email ?? phone ?? id ?? ''
  members.example = example
  const isEmailVerified = members.flag('emailVerified')
  const isDisabled = members.flag('disabled')
  const [hash, salt] = [members.text('passwordHash'), members.text('salt')]
  const converted = {
    // An anonymous person has neither an address nor a number.
    userName: email === undefined ? (phone ?? id) : undefined,
    profile: { displayName: members.text('displayName'), picture: members.text('photoUrl') },
    email: email === undefined ? undefined : { email, isEmailVerified },
    // Firebase keeps numbers that a code was sent to.
    phone: phone === undefined ? undefined : { phone, isPhoneVerified: true },
    ...hashMembers(
      members,
      hash === undefined ? undefined : encodedHash(members, { hash, salt, hashConfig }),
    ),
  }
  const claims = members.text('customAttributes')
  const lastSignedIn = members.text('lastSignedInAt')
  const creationDate = momentOf(members.text('createdAt'))
  const links = members.objects('providerUserInfo').flatMap((provider) => {
    const parts = new SourceMembers('users[].providerUserInfo[]', provider, leftOut, example)
    const [idpId, own] = [parts.text('providerId'), parts.text('rawId')]
    parts.takeDerived('email', 'displayName', 'photoUrl', 'federatedId', 'phoneNumber', 'screenName')
    parts.leaveRest()
    return idpId === 'password' || idpId === 'phone' ? [] : [{ idpId: idpId ?? '', providedUserId: own }]
  })
  members.takeDerived('version', 'passwordUpdatedAt', 'validSince')
  members.leaveRest()
  return target.records(
    {
      ...{ id, user: converted, isActive: isDisabled === undefined ? undefined : !isDisabled },
      creationDate,
      metadata: [
        ...(claims === undefined ? [] : [['firebase.customAttributes', claims] as const]),
        ...(lastSignedIn === undefined ? [] : [['firebase.lastSignedInAt', lastSignedIn] as const]),
      ],
      links,
    },
    example,
  )
}

/** The hash in the form of docs/reference/password-hashes.md; undefined without the parameters of the project. */
function encodedHash(
  members: SourceMembers,
  {
    hash,
    salt = '',
    hashConfig,
  }: {
    readonly hash: string
    readonly salt: string | undefined
    readonly hashConfig: FirebaseHashConfig | undefined
  },
): string | undefined {
  if (hashConfig === undefined) {
    members.leaveOut('password: needs --hash-config with the password hash parameters of the project')
    return undefined
  }
  const { memCost, rounds, saltSeparator, signerKey } = hashConfig
  const [standardSalt, standardHash] = [salt, hash].map((text) =>
    text.replaceAll('-', '+').replaceAll('_', '/'),
  )
  return `$firescrypt$ln=${memCost},r=${rounds},p=1$${standardSalt}$${standardHash}$${saltSeparator}$${signerKey}`
}
