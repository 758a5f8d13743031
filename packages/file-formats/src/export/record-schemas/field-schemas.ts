import { detailTypesProblems } from '@signet/protocol/authorization-detail-types'
import { type ExportedName, exportedName, type Fields, type Kind } from '@signet/protocol/fields/field'
import { PRIVATE_LABELING_SETTINGS } from '@signet/protocol/label-colours'
import { SIGNING_ALGORITHMS } from '@signet/protocol/signing-algorithms'
import { z } from 'zod'
import { enumeration, flag, identifier, newIdentifier, valueText } from './fields.ts'

const GENDERS = ['GENDER_UNSPECIFIED', 'GENDER_FEMALE', 'GENDER_MALE', 'GENDER_DIVERSE'] as const

const detailTypes = z
  .record(
    z.string(),
    z.object({
      title: z.string(),
      description: z.string().optional(),
      schema: z.record(z.string(), z.unknown()).optional(),
    }),
  )
  .superRefine((types, context) => {
    for (const { path, rule: message } of detailTypesProblems(types))
      context.addIssue({ code: 'custom', message, path: [...path] })
  })

/** The schema of a member of each kind. A record may leave each out. */
const KINDS = {
  name: valueText.optional(),
  flag,
  domain: z.string().toLowerCase().optional(),
  clientId: newIdentifier.optional(),
  clientIds: z.array(identifier).max(1_000).optional(),
  language: valueText.optional(),
  webUrl: valueText.optional(),
  resourceUri: valueText.optional(),
  birthdate: valueText.optional(),
  timeZone: valueText.optional(),
  streetAddress: valueText.optional(),
  gender: enumeration(GENDERS).optional(),
  tokenType: enumeration(['ACCESS_TOKEN_TYPE_BEARER', 'ACCESS_TOKEN_TYPE_JWT']).optional(),
  signingAlg: z.enum(SIGNING_ALGORITHMS).optional(),
  privateLabeling: enumeration(PRIVATE_LABELING_SETTINGS).optional(),
  detailTypes: detailTypes.optional(),
} satisfies Readonly<Record<Kind, z.ZodType>>

/** The fields of an entity as members of a record, made of its table in @signet/protocol/fields. */
export const exportedFields = <F extends Fields>(fields: F) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [exportedName(name, field), KINDS[field.kind]]),
  ) as { readonly [Name in keyof F as ExportedName<F, Name>]: (typeof KINDS)[F[Name]['kind']] }
