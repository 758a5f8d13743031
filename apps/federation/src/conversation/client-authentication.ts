import type { RandomBytes } from '@signet/platform/sealing/sealed-value'
import { type ClientKey, readClientKey } from '@signet/protocol/client-key'
import { SignJWT } from 'jose'
import { type ClientAuth, ClientSecretBasic, ClientSecretPost, None } from 'oauth4webapi'
import type { Provider } from './provider.ts'
import { Refused } from './refusal.ts'

export interface AssertionParts {
  readonly now: Date
  readonly random: RandomBytes
}

/** The secret is a token that the key signs. */
export const APPLE_CLIENT_SECRET = 'apple_client_secret'

const ASSERTION_SECONDS = 60
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** The ways by which Signet authenticates at a token endpoint (OpenID Connect Core section 9). */
const AUTHENTICATIONS: Readonly<Record<string, (provider: Provider, parts: AssertionParts) => ClientAuth>> = {
  none: () => None(),
  client_secret_basic: ({ clientSecret }) => ClientSecretBasic(clientSecret),
  client_secret_post: ({ clientSecret }) => ClientSecretPost(clientSecret),
  private_key_jwt: createPrivateKeyJwt,
  [APPLE_CLIENT_SECRET]: createAppleClientSecret,
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
function createPrivateKeyJwt(provider: Provider, { now, random }: AssertionParts): ClientAuth {
  const { clientId } = provider
  const { alg, kid, key } = keyOf(provider)
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

/**
 * The client secret of Apple: a token of the team about the client. Apple takes one for six months; this one is signed for the request and is
 * good for a minute.
 */
function createAppleClientSecret(provider: Provider, { now }: AssertionParts): ClientAuth {
  const { clientId, clientTeamId, clientKeyId, issuer } = provider
  const { alg, key } = keyOf(provider)
  if (alg !== 'ES256') throw refusedKey(provider, 'must be a key of P-256')
  return async (_server, _client, body) => {
    const issuedAt = Math.floor(now.getTime() / 1_000)
    const claims = {
      iss: clientTeamId,
      sub: clientId,
      aud: issuer,
      iat: issuedAt,
      exp: issuedAt + ASSERTION_SECONDS,
    }
    body.set('client_id', clientId)
    body.set(
      'client_secret',
      await new SignJWT(claims).setProtectedHeader({ alg, kid: clientKeyId }).sign(key),
    )
  }
}

function keyOf(provider: Provider): ClientKey {
  const read = readClientKey(provider.clientKey)
  if ('problem' in read) throw refusedKey(provider, read.problem)
  return read
}

const refusedKey = ({ clientAuthentication: received }: Provider, expected: string) =>
  new Refused('client_authentication_refused', { received, expected })
