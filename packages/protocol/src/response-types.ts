// OAuth 2.0 Multiple Response Type Encoding Practices section 3; OIDC Core sections 3.1.2.1 and 3.2.2.1.

export const RESPONSE_TYPES = ['code', 'id_token', 'id_token token'] as const

export type ResponseType = (typeof RESPONSE_TYPES)[number]

/**
 * The supported response type that `value` names, or undefined. The order of its words does not matter
 * (RFC 6749 section 3.1.1), so `token id_token` is `id_token token`.
 */
export function parseResponseType(value: string): ResponseType | undefined {
  const words = value.split(' ').sort().join(' ')
  return RESPONSE_TYPES.find((type) => type === words)
}
