// Names of SAML 2.0 that the directory stores and that federation reads in messages.

const FORMAT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:'
const FORMAT_1 = 'urn:oasis:names:tc:SAML:1.1:nameid-format:'

// Formats of a NameID (Core section 8.3).
export const PERSISTENT = `${FORMAT}persistent`
export const TRANSIENT = `${FORMAT}transient`
export const ENTITY = `${FORMAT}entity`
export const EMAIL_ADDRESS = `${FORMAT_1}emailAddress`
export const UNSPECIFIED = `${FORMAT_1}unspecified`

/** Formats of a NameID that identifies a person for good. */
export const STABLE_FORMATS: readonly string[] = [PERSISTENT, EMAIL_ADDRESS, UNSPECIFIED]

/** The `subjectClaim` of a provider that identifies people by the NameID. */
export const NAME_ID_CLAIM = 'sub'
