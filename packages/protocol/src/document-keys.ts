// Keys that the document of a client names for private_key_jwt: draft-ietf-oauth-client-id-metadata-document, RFC 7591 section 2.

import { readPublicJwk } from './public-key.ts'
import { CLIENT_ASSERTION_ALGORITHMS, type ClientAssertionAlgorithm } from './signing-algorithms.ts'

type Members = Readonly<Record<string, unknown>>

/** The place of the keys of a client: in its document, or at a URL of the same host. */
export interface KeySource {
  readonly jwks?: unknown
  readonly jwksUri?: string
  /** The one algorithm of its assertions; all that Signet knows where the document names none. */
  readonly algorithm?: ClientAssertionAlgorithm
}

export const MOST_DOCUMENT_KEYS = 10
const LONGEST_URI = 500
/** RFC 7518 section 6: the members of private and of symmetric keys. */
const SECRET_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

/** Reads where the keys of a client are, or the rule that its document breaks, which names the member. */
export function readKeySource(
  { jwks, jwks_uri: jwksUri, token_endpoint_auth_signing_alg: stated }: Members,
  clientId: string,
): { readonly source: KeySource } | { readonly problem: string } {
  if ((jwks === undefined) === (jwksUri === undefined))
    return { problem: 'private_key_jwt needs jwks or jwks_uri, and not both' }
  const algorithm = CLIENT_ASSERTION_ALGORITHMS.find((known) => known === stated)
  if (stated !== undefined && algorithm === undefined)
    return {
      problem: `token_endpoint_auth_signing_alg must be one of ${CLIENT_ASSERTION_ALGORITHMS.join(', ')}`,
    }
  const problem = jwks === undefined ? keyUriProblem(jwksUri, clientId) : keySetProblem(jwks)
  if (problem !== undefined) return { problem }
  return {
    source: {
      ...(jwks !== undefined && { jwks }),
      ...(typeof jwksUri === 'string' && { jwksUri }),
      ...(algorithm !== undefined && { algorithm }),
    },
  }
}

/** The rule that a key set of a client breaks; undefined for one with a key that verifies signatures. */
export function keySetProblem(jwks: unknown): string | undefined {
  const keys = isObject(jwks) ? jwks.keys : undefined
  if (!Array.isArray(keys) || keys.length > MOST_DOCUMENT_KEYS || !keys.every(isObject))
    return `jwks must be a key set of at most ${MOST_DOCUMENT_KEYS} keys (RFC 7517 section 5)`
  if (keys.some((key) => SECRET_MEMBERS.some((member) => key[member] !== undefined)))
    return 'jwks must hold no private key: every reader would know it'
  if (!keys.some((key) => 'jwk' in readPublicJwk(key)))
    return 'jwks must hold an RSA, P-256 or Ed25519 key for signatures'
  return undefined
}

/** The same host as the document, so that the host of a client is the one that people read. */
function keyUriProblem(uri: unknown, clientId: string): string | undefined {
  const problem = 'jwks_uri must be a URL of the host of the document, without user name and fragment'
  if (typeof uri !== 'string' || uri.length > LONGEST_URI || !URL.canParse(uri)) return problem
  const { protocol, host, username, password } = new URL(uri)
  const own = new URL(clientId)
  const isOwn = protocol === own.protocol && host === own.host
  return isOwn && username === '' && password === '' && !uri.includes('#') ? undefined : problem
}

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
