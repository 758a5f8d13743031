import type { InstanceSettings } from '@signet/directory-reader/views'

/** What stands in an access token about the sign-in behind it; a personal access token has none. */
export interface SignIn {
  /** Seconds since 1970. */
  readonly authTime?: number
  readonly acr?: string
}

/** What a new sign-in has to be. */
export interface SignInDemand {
  readonly maxAgeSeconds?: number
  readonly acrValues: readonly string[]
}

const MFA = 'urn:service:acr:mfa'

/** What a sign-in lacks of what the instance asks for before roles of the instance count; undefined when nothing. */
export function signInDemand(
  { iamSignInMaxAgeSeconds, iamRequiresMfa }: InstanceSettings,
  { authTime, acr }: SignIn,
  now: Date,
): SignInDemand | undefined {
  const isOld =
    iamSignInMaxAgeSeconds !== null &&
    (authTime === undefined || authTime + iamSignInMaxAgeSeconds < Math.floor(now.getTime() / 1000))
  const isWeak = iamRequiresMfa && acr !== MFA
  if (!isOld && !isWeak) return undefined
  return {
    ...(iamSignInMaxAgeSeconds !== null && { maxAgeSeconds: iamSignInMaxAgeSeconds }),
    acrValues: iamRequiresMfa ? [MFA] : [],
  }
}
