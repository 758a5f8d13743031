import type { RandomBytes } from '@signet/platform/sealing/sealed-value'
import { readClientKey } from '@signet/protocol/client-key'
import { SignJWT } from 'jose'
import { type ClientAuth, ClientSecretBasic, ClientSecretPost, None } from 'oauth4webapi'
import type { Provider } from './provider.ts'
import { Refused } from './refusal.ts'

export interface AssertionParts {
  readonly now: Date
  readonly random: RandomBytes
}

const ASSERTION_SECONDS = 60
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** The ways by which Signet authenticates at a token endpoint (OpenID Connect Core section 9). */
const AUTHENTICATIONS: Readonly<Record<string, (provider: Provider, parts: AssertionParts) => ClientAuth>> = {
  none: () => None(),
  client_secret_basic: ({ clientSecret }) => ClientSecretBasic(clientSecret),
  client_secret_post: ({ clientSecret }) => ClientSecretPost(clientSecret),
  private_key_jwt: privateKeyJwt,
}

/** Throws Refused for a way that this version does not know, and for a key that signs nothing. */
export function authenticationOf(provider: Provider, parts: AssertionParts): ClientAuth {
  const { clientAuthentication, clientSecret, clientKey } = provider
  const create = AUTHENTICATIONS[clientAuthentication]
  if (create === undefined)
    throw new Refused('client_authentication_refused', { received: clientAuthentication })
  return clientSecret === '' && clientKey === '' ? None() : create(provider, parts)
}

/**
 * RFC 7523 section 3. The audience is the token endpoint, as Core section 9 has it: the assertion is sent there and nowhere else, so it is of
 * no use to another provider.
 */
function privateKeyJwt({ clientId, clientKey }: Provider, { now, random }: AssertionParts): ClientAuth {
  const read = readClientKey(clientKey)
  if ('problem' in read)
    throw new Refused('client_authentication_refused', {
      received: 'private_key_jwt',
      expected: read.problem,
    })
  const { alg, kid, key } = read
  return async (server, _client, body) => {
    const issuedAt = Math.floor(now.getTime() / 1_000)
    const claims = {
      ...{ iss: clientId, sub: clientId, aud: server.token_endpoint ?? '' },
      ...{ jti: random(16).toString('base64url'), iat: issuedAt, exp: issuedAt + ASSERTION_SECONDS },
    }
    body.set('client_id', clientId)
    body.set('client_assertion_type', ASSERTION_TYPE)
    body.set('client_assertion', await new SignJWT(claims).setProtectedHeader({ alg, kid }).sign(key))
  }
}
