import type { DetailTypes } from '../authorization-detail-types.ts'
import type { PrivateLabelingSetting } from '../label-colours.ts'
import type { SigningAlgorithm } from '../signing-algorithms.ts'

// The form of the tables of fields, one for each entity, and what all derivations of them share.

/** The values of each kind of field. Every schema, statement and mapping has one rule for a kind. */
export interface KindValues {
  /** A name that pages show. */
  readonly name: string
  readonly flag: boolean
  readonly domain: string
  readonly clientId: string
  readonly clientIds: readonly string[]
  readonly language: string
  readonly webUrl: string
  /** RFC 8707 section 2. */
  readonly resourceUri: string
  readonly birthdate: string
  readonly timeZone: string
  readonly streetAddress: string
  /** Any word; the format has names of its own for some. */
  readonly gender: string
  readonly tokenType: 'bearer' | 'jwt'
  readonly signingAlg: SigningAlgorithm
  readonly privateLabeling: PrivateLabelingSetting
  /** RFC 9396 section 2.1. */
  readonly detailTypes: DetailTypes
}

export type Kind = keyof KindValues

/** The descriptions of a field in requests and responses of the management API and in the bootstrap file. */
export interface Descriptions {
  readonly request?: string
  readonly response?: string
  readonly file?: string
}

export interface Field {
  readonly kind: Kind
  /** Column in the table of the entity; its views call it the same. */
  readonly column: string
  /** An object may have none: null in the database and the API, and left out or empty in the export format. */
  readonly optional?: true
  /** The value of a new object for which none is stated. A field without it that is not optional has to be stated. */
  readonly default?: boolean | string | readonly [] | Readonly<Record<string, never>>
  /** Name in the export format, if it is another one. */
  readonly exported?: string
  readonly description?: Descriptions
}

/** The fields of an entity by their names in the management API and the bootstrap file. */
export type Fields = Readonly<Record<string, Field>>

type OrNull<F extends Field, Value> = F extends { readonly optional: true } ? Value | null : Value

/** The values of an object. */
export type ValuesOf<F extends Fields> = {
  readonly [Name in keyof F]: OrNull<F[Name], KindValues[F[Name]['kind']]>
}

/** Changes of an object. A field that is undefined stays as it is. */
export type ChangesOf<F extends Fields> = { readonly [Name in keyof F]?: ValuesOf<F>[Name] | undefined }

/** The name of a field in the export format, as a type. */
export type ExportedName<F extends Fields, Name extends keyof F> = F[Name] extends {
  readonly exported: infer Exported extends string
}
  ? Exported
  : Name

/** The same words in the API. */
export const inApi = (text: string): Descriptions => ({ request: text, response: text })

/** The same words everywhere. */
export const everywhere = (text: string): Descriptions => ({ ...inApi(text), file: text })

/** Gives each field what `toValue` returns for it. */
export function mapFields<F extends Readonly<Record<string, unknown>>, Value>(
  fields: F,
  toValue: (field: F[keyof F], name: string & keyof F) => Value,
): { readonly [Name in keyof F]: Value } {
  const names = Object.keys(fields) as (string & keyof F)[]
  return Object.fromEntries(names.map((name) => [name, toValue(fields[name], name)])) as {
    readonly [Name in keyof F]: Value
  }
}

type Given<F extends Fields> = { readonly [Name in keyof F]?: ValuesOf<F>[Name] | null | undefined }

/** The values of a new object: those that are given, defaults, and null for optional ones. */
export const newObject = <F extends Fields>(fields: F, given: Given<F>): ValuesOf<F> =>
  mapFields(fields, (field: Field, name) => given[name] ?? field.default ?? null) as ValuesOf<F>

/** The names of the fields. */
export const fieldNames = <F extends Fields>(fields: F) => Object.keys(fields) as (string & keyof F)[]

/** The column of each field. */
export const columnsOf = <F extends Readonly<Record<string, { readonly column: string }>>>(fields: F) =>
  mapFields(fields, ({ column }) => column) as { readonly [Name in keyof F]: F[Name]['column'] }

/** The members of `values` that are fields. */
export const membersOf = <Name extends string, Values extends { readonly [N in Name]?: unknown }>(
  fields: Readonly<Record<Name, unknown>>,
  values: Values,
): Pick<Values, Name> => mapFields(fields, (_, name) => values[name]) as Pick<Values, Name>

/** The name of a field in the export format. */
export const exportedName = (name: string, { exported = name }: Pick<Field, 'exported'>): string => exported
