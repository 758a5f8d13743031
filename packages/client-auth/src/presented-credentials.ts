import { InvalidClientError, InvalidRequestError } from '@signet/protocol/errors'
import { type ClientAuthMethod, JWT_BEARER_ASSERTION_TYPE } from '@signet/protocol/grant-types'

/** The parts of a request that can carry client credentials. */
export interface CredentialCarrier {
  /** The Authorization header as it came. */
  readonly authorization?: string | undefined
  readonly body: Readonly<Record<string, string>>
}

/** The credentials of a request, before they are verified. */
export type PresentedCredentials =
  | {
      readonly method: 'client_secret_basic' | 'client_secret_post'
      readonly clientId: string
      readonly secret: string
    }
  | { readonly method: 'private_key_jwt'; readonly clientId?: string; readonly assertion: string }
  | { readonly method: 'none'; readonly clientId: string }

/**
 * Finds the one set of credentials in a request. Throws InvalidRequestError for more than one (RFC 6749
 * section 2.3) and InvalidClientError when there is none or it cannot be read.
 */
export function presentedCredentials({ authorization, body }: CredentialCarrier): PresentedCredentials {
  const found = presentMethods(authorization, body)
  if (found.length > 1) {
    throw new InvalidRequestError('use one way of client authentication, not several at once', {
      reason: 'several_client_credentials',
    })
  }
  switch (found[0]) {
    case 'client_secret_basic':
      return fromBasic(authorization ?? '', body.client_id)
    case 'private_key_jwt':
      return fromAssertion(body)
    case 'client_secret_post':
      return {
        method: 'client_secret_post',
        clientId: required(body.client_id),
        secret: body.client_secret ?? '',
      }
    default:
      return { method: 'none', clientId: required(body.client_id) }
  }
}

function presentMethods(
  authorization: string | undefined,
  body: CredentialCarrier['body'],
): ClientAuthMethod[] {
  const found: ClientAuthMethod[] = []
  if (authorization !== undefined) found.push('client_secret_basic')
  if (body.client_secret !== undefined) found.push('client_secret_post')
  if (body.client_assertion !== undefined || body.client_assertion_type !== undefined)
    found.push('private_key_jwt')
  return found
}

function required(clientId: string | undefined): string {
  if (clientId !== undefined && clientId !== '') return clientId
  throw new InvalidClientError('client_id is missing: send it with your credentials', {
    reason: 'client_id_missing',
    basicTried: false,
  })
}

const ENCODED = /[%+]/

/** RFC 6749 section 2.3.1: both halves are form-urlencoded before they are joined and base64-encoded. */
function fromBasic(authorization: string, bodyClientId: string | undefined): PresentedCredentials {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization)?.[1]
  const decoded = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8')
  const colon = decoded.indexOf(':')
  const clientId = colon === -1 ? undefined : formDecode(decoded.slice(0, colon))
  const secret = colon === -1 ? undefined : formDecode(decoded.slice(colon + 1))
  if (!clientId || secret === undefined) {
    throw new InvalidClientError('the Authorization header is not Basic with client_id and client_secret', {
      reason: 'basic_malformed',
      basicTried: true,
    })
  }
  if (bodyClientId !== undefined && bodyClientId !== clientId) {
    throw new InvalidRequestError('client_id differs from the one in the Authorization header', {
      reason: 'client_id_mismatch',
    })
  }
  return { method: 'client_secret_basic', clientId, secret }
}

function formDecode(value: string): string | undefined {
  if (!ENCODED.test(value)) return value
  try {
    return decodeURIComponent(value.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

function fromAssertion(body: CredentialCarrier['body']): PresentedCredentials {
  if (body.client_assertion_type !== JWT_BEARER_ASSERTION_TYPE) {
    throw new InvalidRequestError(`client_assertion_type must be ${JWT_BEARER_ASSERTION_TYPE}`, {
      reason: 'client_assertion_type_unknown',
    })
  }
  if (!body.client_assertion) {
    throw new InvalidRequestError('client_assertion is missing', { reason: 'client_assertion_missing' })
  }
  return {
    method: 'private_key_jwt',
    assertion: body.client_assertion,
    ...(body.client_id !== undefined && { clientId: body.client_id }),
  }
}
