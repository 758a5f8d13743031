import { columnsOf } from '@signet/protocol/fields/field'
import {
  LIFETIME_SETTINGS,
  LIMIT_SETTINGS,
  type PublishedSettings,
  SECURITY_SETTINGS,
} from '@signet/protocol/fields/instance'
import { z } from 'zod'

/** How often something of the instance changed, and when last. */
export interface Revision {
  readonly sequence: number
  readonly changedAt: Date
}

/** The features of the whole instance, under the names in the API, the bootstrap file and the tables. */
export const FEATURES = ['oidcTokenExchange'] as const

export type Feature = (typeof FEATURES)[number]

/** The features that are set, on or off; the others have their default, which is off. */
export interface InstanceFeatures {
  readonly set: ReadonlyMap<Feature, boolean>
  readonly revision: Revision
}

export interface SecurityPolicy extends PublishedSettings<typeof SECURITY_SETTINGS> {
  readonly revision: Revision
}

/** A new security policy; an undefined member stays as it is. */
export type NewSecurityPolicy = {
  readonly [Member in keyof Omit<SecurityPolicy, 'revision'>]?: SecurityPolicy[Member] | undefined
}

/** The columns of the settings by their names in the bootstrap file. */
export const INSTANCE_SETTINGS = {
  ...columnsOf(LIFETIME_SETTINGS),
  ...columnsOf(LIMIT_SETTINGS),
  ...columnsOf(SECURITY_SETTINGS),
  signingAlgorithms: 'signing_algorithms',
  defaultOrganization: 'default_organization_id',
} as const

export type InstanceSettings = { readonly [Name in keyof typeof INSTANCE_SETTINGS]?: unknown }

/** The `details` of an answer, the way protobuf writes them as JSON: a 64-bit number as text. */
export const details = z.strictObject({
  sequence: z.string(),
  changeDate: z.iso.datetime(),
  resourceOwner: z.string(),
})

export const changed = z.strictObject({ details }).meta({ id: 'Changed' })

export function revisionDetails({ sequence, changedAt }: Revision): z.output<typeof details> {
  return { sequence: String(sequence), changeDate: changedAt.toISOString(), resourceOwner: 'instance' }
}
