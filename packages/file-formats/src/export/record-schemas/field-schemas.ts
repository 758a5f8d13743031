import { exportedName, type Fields, type Kind } from '@signet/protocol/fields/field'
import { PRIVATE_LABELING_SETTINGS } from '@signet/protocol/label-colours'
import { z } from 'zod'
import { enumeration, flag, identifier, valueText } from './fields.ts'

/** What the format has for a value of each kind. A record may leave each out. */
const KINDS = {
  name: valueText.optional(),
  flag,
  clientIds: z.array(identifier).max(1_000).optional(),
  privateLabeling: enumeration(PRIVATE_LABELING_SETTINGS).optional(),
} satisfies Readonly<Record<Kind, z.ZodType>>

type ExportedName<F extends Fields, Name extends keyof F> = F[Name] extends {
  readonly exported: infer Exported extends string
}
  ? Exported
  : Name

/** The fields of an entity as members of a record, made of its table in @signet/protocol/fields. */
export const exportedFields = <F extends Fields>(fields: F) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [exportedName(name, field), KINDS[field.kind]]),
  ) as { readonly [Name in keyof F as ExportedName<F, Name>]: (typeof KINDS)[F[Name]['kind']] }
