import { identifier, newIdentifier } from '@signet/file-formats/export/record-schemas/fields'
import {
  type Descriptions,
  type Field,
  type Fields,
  type Kind,
  mapFields,
} from '@signet/protocol/fields/field'
import { PRIVATE_LABELING_SETTINGS } from '@signet/protocol/label-colours'
import { z } from 'zod'
import {
  accessTokenType,
  birthdate,
  domain,
  httpUrl,
  language,
  name,
  signingAlgorithm,
  streetAddress,
  timeZone,
} from './fields.ts'

// The schemas of the fields of an entity in the management API and the bootstrap file, made of the tables in
// @signet/protocol/fields.

type Kinds = Readonly<Record<Kind, z.ZodType>>

const CHOICES = {
  flag: z.boolean(),
  tokenType: accessTokenType,
  signingAlg: signingAlgorithm,
  privateLabeling: z.enum(PRIVATE_LABELING_SETTINGS),
}
const SHARED = {
  ...CHOICES,
  name,
  domain,
  clientId: newIdentifier,
  language,
  webUrl: httpUrl,
  birthdate,
  timeZone,
  streetAddress,
  gender: name,
}
const text = z.string()
const REQUEST = { ...SHARED, clientIds: z.array(identifier).max(1_000).readonly() } satisfies Kinds
/** Stored values may come from an import and be older than a rule, so these promise no more than their type. */
const RESPONSE = {
  ...CHOICES,
  name: text,
  domain: text,
  clientId: text,
  clientIds: z.array(text).readonly(),
  language: text,
  webUrl: text,
  birthdate: text,
  timeZone: text,
  streetAddress: text,
  gender: text,
} satisfies Kinds
const FILE = { ...SHARED, clientIds: z.array(identifier) } satisfies Kinds

type OrNull<F extends Field, S extends z.ZodType> = F extends { readonly optional: true }
  ? z.ZodNullable<S>
  : S

type Schemas<F extends Fields, K extends Kinds> = {
  readonly [Name in keyof F]: OrNull<F[Name], K[F[Name]['kind']]>
}

type NewSchema<F extends Field, S extends z.ZodType> = F extends { readonly default: boolean }
  ? z.ZodDefault<S>
  : F extends { readonly optional: true } | { readonly default: unknown }
    ? z.ZodOptional<S>
    : S

type FileSchema<F extends Field, S extends z.ZodType> = F extends
  | { readonly optional: true }
  | { readonly default: unknown }
  ? z.ZodOptional<S>
  : S

const described = (schema: z.ZodType, description: string | undefined) =>
  description === undefined ? schema : schema.describe(description)

const isStated = ({ optional, default: initial }: Field) => optional === undefined && initial === undefined

function schemas<F extends Fields, K extends Kinds>(fields: F, kinds: K, where: keyof Descriptions) {
  return mapFields(fields, ({ kind, optional, description }: Field) =>
    described(optional ? kinds[kind].nullable() : kinds[kind], description?.[where]),
  ) as Schemas<F, K>
}

/** The fields in a change of an object; null takes the value of an optional one away. */
export const requestSchemas = <F extends Fields>(fields: F) => schemas(fields, REQUEST, 'request')

/** The fields in a response. */
export const responseSchemas = <F extends Fields>(fields: F) => schemas(fields, RESPONSE, 'response')

/** The fields in the request that creates an object. */
export function newSchemas<F extends Fields>(fields: F) {
  const types = requestSchemas(fields) as Readonly<Record<string, z.ZodType>>
  return mapFields(fields, (field: Field, name) => {
    const type = types[name] as z.ZodType
    if (typeof field.default === 'boolean') return type.default(field.default)
    return isStated(field) ? type : type.optional()
  }) as { readonly [Name in keyof F]: NewSchema<F[Name], Schemas<F, typeof REQUEST>[Name]> }
}

/** The fields of an object in the bootstrap file. */
export const fileSchemas = <F extends Fields>(fields: F) =>
  mapFields(fields, (field: Field) => {
    const type = FILE[field.kind]
    return described(isStated(field) ? type : type.optional(), field.description?.file)
  }) as { readonly [Name in keyof F]: FileSchema<F[Name], (typeof FILE)[F[Name]['kind']]> }
