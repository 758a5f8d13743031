import { identifier, newIdentifier } from '@signet/file-formats/export/record-schemas/fields'
import {
  type Descriptions,
  type Field,
  type Fields,
  type Kind,
  mapFields,
} from '@signet/protocol/fields/field'
import type { InstanceField, InstanceFields, PublishedName } from '@signet/protocol/fields/instance'
import { PRIVATE_LABELING_SETTINGS } from '@signet/protocol/label-colours'
import { z } from 'zod'
import {
  accessTokenType,
  birthdate,
  detailTypes,
  domain,
  duration,
  durationSeconds,
  httpUrl,
  language,
  name,
  resourceUri,
  shownDetailTypes,
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
  resourceUri,
  birthdate,
  timeZone,
  streetAddress,
  gender: name,
  detailTypes,
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
  resourceUri: text,
  birthdate: text,
  timeZone: text,
  streetAddress: text,
  gender: text,
  detailTypes: shownDetailTypes,
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

type SettingSchema<F extends InstanceField> = F extends { readonly kind: 'duration' }
  ? ReturnType<typeof duration>
  : F extends { readonly kind: 'count' }
    ? z.ZodInt
    : z.ZodBoolean

function settingSchema({ kind, least = 0, most = 0 }: InstanceField): z.ZodType {
  if (kind === 'duration') return duration(String(least), String(most))
  return kind === 'count' ? z.int().min(Number(least)).max(Number(most)) : z.boolean()
}

/** The settings of the instance in the bootstrap file, each of which may be left out. */
export const settingSchemas = <F extends InstanceFields>(fields: F) =>
  mapFields(fields, (field: InstanceField) =>
    described(settingSchema(field).optional(), field.description),
  ) as { readonly [Name in keyof F]: z.ZodOptional<SettingSchema<F[Name]>> }

type ApiSetting<F extends InstanceField> = F extends { readonly kind: 'flag' }
  ? z.ZodBoolean
  : F extends { readonly optional: true }
    ? z.ZodNullable<z.ZodInt>
    : z.ZodInt

function apiSetting({ kind, least = 0, most = 0, optional }: InstanceField): z.ZodType {
  if (kind === 'flag') return z.boolean()
  const [from, to] = [least, most].map((limit) =>
    typeof limit === 'string' ? durationSeconds(limit) : limit,
  ) as [number, number]
  const whole = z.int().min(from, `must be ${from} or more`).max(to, `may be ${to} at most`)
  return optional ? whole.nullable() : whole
}

/** The published settings of the instance in the management API, durations in seconds. */
export const apiSettings = <F extends InstanceFields>(fields: F) =>
  Object.fromEntries(
    Object.values(fields).flatMap((field) => {
      const { published, description, apiRemark } = field
      const text = [description, apiRemark].filter((part) => part !== undefined).join(' ')
      return published ? [[published, described(apiSetting(field), text || undefined)]] : []
    }),
  ) as { readonly [Name in keyof F as PublishedName<F[Name]>]: ApiSetting<F[Name]> }

/** The fields of an object in the bootstrap file. */
export const fileSchemas = <F extends Fields>(fields: F) =>
  mapFields(fields, (field: Field) => {
    const type = FILE[field.kind]
    return described(isStated(field) ? type : type.optional(), field.description?.file)
  }) as { readonly [Name in keyof F]: FileSchema<F[Name], (typeof FILE)[F[Name]['kind']]> }
