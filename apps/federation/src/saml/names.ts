// Namespaces and URIs of SAML 2.0.
export const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol'
export const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion'
export const HTTP_POST = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST'
export const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer'
export const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success'
const FORMAT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:'
export const TRANSIENT = `${FORMAT}transient`
export const EMAIL_ADDRESS = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'

/** Formats of a NameID that identifies a person for good. */
export const STABLE_FORMATS: readonly string[] = [
  ...[`${FORMAT}persistent`, EMAIL_ADDRESS],
  'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
]
export const ENTITY = `${FORMAT}entity`
