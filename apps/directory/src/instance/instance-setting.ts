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

/** The requirements for callers of Signet's own APIs. */
export interface CallerRules {
  readonly allowImpersonatedApiCalls: boolean
  readonly iamSignInMaxAgeSeconds: number | null
  readonly iamRequiresMfa: boolean
}

export interface SecurityPolicy extends CallerRules {
  readonly enableImpersonation: boolean
  readonly revision: Revision
}

/** A new security policy; an undefined member stays as it is. */
export type NewSecurityPolicy = Pick<SecurityPolicy, 'enableImpersonation' | 'allowImpersonatedApiCalls'> & {
  readonly iamSignInMaxAgeSeconds?: number | null | undefined
  readonly iamRequiresMfa?: boolean | undefined
}
