import { type ExportedName, exportedName, type Fields, type Kind } from '@signet/protocol/fields/field'

/** How an import and the next export change a member. */
export interface Treatment {
  readonly kind: 'kept' | 'changed' | 'left out'
  /** New value, or the reason for leaving the member out; a remark about a kept one. */
  readonly text?: string
  /** The option of an export without which it is left out. */
  readonly option?: 'with_passwords' | 'with_otp' | 'with_passkeys' | 'with_secrets'
  /** Place of the member in the export, when that is another place. */
  readonly movedTo?: string
  /** The value that the export has for one that was imported in this record; undefined where it has none. */
  becomes(value: unknown, record: Json): unknown
}

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>

/** Treatments by path: `domains[].domainName`; `*` stands for the members of an object that are not interpreted. */
export type Treatments = Readonly<Record<string, Treatment>>

/** The same value. */
export const kept: Treatment = { kind: 'kept', becomes: (value) => value }
/** The same value in an export with the option. */
export const keptWith = (option: NonNullable<Treatment['option']>, text?: string): Treatment => ({
  ...kept,
  option,
  ...(text !== undefined && { text }),
})
/** The same value, with a remark. */
export const keptBut = (text: string): Treatment => ({ ...kept, text })
/** Another value, made from the imported one. */
export const changed = (text: string, becomes: Treatment['becomes']): Treatment => ({
  kind: 'changed',
  text,
  becomes,
})
/** No value. */
export const leftOut = (text: string): Treatment => ({ kind: 'left out', text, becomes: () => undefined })

/** Values of an enum that become others; null: left out, which says the same. */
export function values(others: Readonly<Record<string, string | null>>): Treatment {
  const texts = Object.entries(others).map(([value, other]) =>
    other === null ? `\`${value}\` is left out, which says the same` : `\`${value}\` becomes \`${other}\``,
  )
  const becomes = (value: unknown) => (String(value) in others ? (others[String(value)] ?? undefined) : value)
  return changed(texts.join('; '), becomes)
}

/** A member of the v1 layout. */
export function moved(movedTo: string): Treatment {
  return { ...changed(`stands in \`${movedTo}\``, () => undefined), movedTo }
}

/** The value at a path of names. */
export function at(record: Json, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (value as Json | undefined)?.[name], record)
}

/** The same treatment for each of the members. */
export const every = (names: readonly string[], treatment: Treatment): Treatments =>
  Object.fromEntries(names.map((name) => [name, treatment]))

/** The treatments of the members of an object. */
export const inside = (path: string, treatments: Treatments): Treatments =>
  Object.fromEntries(Object.entries(treatments).map(([name, treatment]) => [`${path}.${name}`, treatment]))

/** Not interpreted. */
export const carried = keptBut('stored, not used')

/** A time in UTC, in the way that exports write it. */
export const toMilliseconds = (value: unknown) => new Date(String(value)).toISOString().replace('.000Z', 'Z')

/** When an object was created or changed. */
export const time = changed(
  'in UTC, to the millisecond; a time in the future is left out and reported',
  toMilliseconds,
)

/** A name. */
export const trimmed = changed('without spaces at its ends', (value) => String(value).trim())

/** RS256 is the default. */
export const rfcAlgorithm = values({ RS256: null })

const KIND_TREATMENTS: Readonly<Record<Kind, Treatment>> = {
  name: trimmed,
  flag: kept,
  domain: changed('in lower case', (value) => String(value).toLowerCase()),
  clientId: kept,
  clientIds: kept,
  language: kept,
  webUrl: keptBut('only http and https'),
  resourceUri: kept,
  birthdate: kept,
  timeZone: kept,
  streetAddress: kept,
  gender: changed('left out when it is unspecified, or `genderText` is given', (value, record) =>
    value === 'GENDER_UNSPECIFIED' || at(record, 'user.profile.genderText') ? undefined : value,
  ),
  tokenType: values({ ACCESS_TOKEN_TYPE_BEARER: null }),
  signingAlg: rfcAlgorithm,
  privateLabeling: kept,
  detailTypes: keptBut('a project with a type that Signet would not take is refused'),
}

/** The treatments of the fields of an entity. */
export const fieldTreatments = <F extends Fields>(fields: F) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [exportedName(name, field), KIND_TREATMENTS[field.kind]]),
  ) as { readonly [Name in keyof F as ExportedName<F, Name>]: Treatment }

/** Not read. */
export const unread = leftOut('nothing needs it')

/** The hashes of client secrets. */
export const secrets: Treatments = {
  clientSecretHash: keptWith('with_passwords', 'without effect beside `clientSecretHashes`'),
  'clientSecretHashes[].hash': keptWith(
    'with_passwords',
    'one hash that does not expire becomes `clientSecretHash`',
  ),
  'clientSecretHashes[].expirationDate': {
    ...changed('in UTC, to the millisecond', toMilliseconds),
    option: 'with_passwords',
  },
}
