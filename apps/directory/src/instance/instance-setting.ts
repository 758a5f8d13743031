/** How often something of the instance changed, and when last. */
export interface Revision {
  readonly sequence: number
  readonly changedAt: Date
}

/** What can be switched on for the whole instance, by the name that the API, the bootstrap file and the tables use. */
export const FEATURES = ['oidcTokenExchange'] as const

export type Feature = (typeof FEATURES)[number]

/** The features that are set, on or off; the others have their default, which is off. */
export interface InstanceFeatures {
  readonly set: ReadonlyMap<Feature, boolean>
  readonly revision: Revision
}

export interface SecurityPolicy {
  readonly enableImpersonation: boolean
  readonly revision: Revision
}
