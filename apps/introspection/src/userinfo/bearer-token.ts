import { InvalidRequestError, InvalidTokenError } from '@signet/protocol/errors'

/**
 * The one access token of a request (RFC 6750 sections 2.1 and 2.2): Authorization header or form field, never the
 * query, which ends up in logs. Throws InvalidTokenError without one and InvalidRequestError with two.
 */
export function bearerToken(
  authorization: string | undefined,
  form: Readonly<Record<string, string>>,
): string {
  const inHeader = authorization === undefined ? undefined : /^bearer +(\S+) *$/i.exec(authorization)?.[1]
  const inForm = form.access_token
  if (inHeader !== undefined && inForm !== undefined) {
    throw new InvalidRequestError('send the access token in the header or in the form, not in both', {
      reason: 'several_access_tokens',
    })
  }
  const token = inHeader ?? inForm
  if (token) return token
  throw new InvalidTokenError('an access token is required in the Authorization header', {
    reason: 'access_token_missing',
    tokenGiven: false,
  })
}
