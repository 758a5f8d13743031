import { UnauthorizedClientError } from './errors.ts'
import { GRANT_TYPES } from './grant-types.ts'

// Device Authorization Grant, RFC 8628: the values that two services share.

/** Time in which a person enters and answers a code. */
export const DEVICE_LIFETIME_SECONDS = 600

/** Seconds between two requests of a device at the token endpoint, section 3.2. */
export const DEVICE_INTERVAL_SECONDS = 5

/**
 * Throws UnauthorizedClientError for an application without the grant type, and for one with `fapi2`: a person confirms the
 * request in a browser that did not begin it, which the code flow of that profile rules out.
 */
export function requireDeviceGrant({
  grantTypes,
  fapi2,
}: {
  readonly grantTypes: readonly string[]
  readonly fapi2: boolean
}): void {
  if (!grantTypes.includes(GRANT_TYPES.deviceCode)) {
    throw new UnauthorizedClientError(
      `the client may not use this grant_type; add ${GRANT_TYPES.deviceCode} to its grantTypes`,
      {
        reason: 'grant_type_not_allowed',
      },
    )
  }
  if (fapi2) {
    throw new UnauthorizedClientError('the client has fapi2, which has no device authorization grant', {
      reason: 'device_of_fapi2_client',
    })
  }
}
