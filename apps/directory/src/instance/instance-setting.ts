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
export type NewSecurityPolicy = {
  readonly [Member in keyof Omit<SecurityPolicy, 'revision'>]?: SecurityPolicy[Member] | undefined
}

/** The settings by their names in the bootstrap file, which has them as seconds, and their columns. */
export const INSTANCE_SETTINGS = {
  accessTokenLifetime: 'access_token_lifetime_seconds',
  idTokenLifetime: 'id_token_lifetime_seconds',
  refreshIdle: 'refresh_idle_seconds',
  refreshAbsolute: 'refresh_absolute_seconds',
  refreshRetryWindow: 'refresh_retry_window_seconds',
  refreshUnusedRetryWindow: 'refresh_unused_retry_seconds',
  sessionIdle: 'session_idle_seconds',
  sessionAbsolute: 'session_absolute_seconds',
  signingAlgorithms: 'signing_algorithms',
  personalAccessTokenLifetime: 'personal_access_token_seconds',
  passwordMinLength: 'password_min_length',
  maxPasswordAttempts: 'max_password_attempts',
  maxOtpAttempts: 'max_otp_attempts',
  enableImpersonation: 'enable_impersonation',
  allowImpersonatedApiCalls: 'allow_impersonated_api_calls',
  iamSignInMaxAge: 'iam_sign_in_max_age_seconds',
  iamRequiresMfa: 'iam_requires_mfa',
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
