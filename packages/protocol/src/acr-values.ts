// OIDC Core section 2 (`acr`): how sure the service is of whom it authenticated.

/** A password alone. */
export const ACR_PASSWORD = 'urn:service:acr:pwd'
/** A password and a second factor. */
export const ACR_MFA = 'urn:service:acr:mfa'

export const ACR_VALUES = [ACR_PASSWORD, ACR_MFA] as const
