// OIDC Core section 2 (`acr`): how sure the service is of whom it authenticated.

/** Every sign-in here reaches this one class, with or without a second factor; `amr` says which methods were used. */
export const ACR = 'urn:service:acr:pwd'

export const ACR_VALUES = [ACR] as const
