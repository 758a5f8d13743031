import { randomUUID } from 'node:crypto'
import { type JWTPayload, SignJWT } from 'jose'
import { API_SECRET, KEYED, OTHER_SECRET, WEB_SECRET } from './test-directory.ts'

/** How a request says which client it comes from. */
export interface ClientCredentials {
  readonly headers: Readonly<Record<string, string>>
  readonly form: Readonly<Record<string, string>>
}

export const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
export const NO_CREDENTIALS: ClientCredentials = { headers: {}, form: {} }

export function basic(clientId: string, secret: string): ClientCredentials {
  const pair = [clientId, secret].map((half) => encodeURIComponent(half)).join(':')
  return { headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }, form: {} }
}

export function post(clientId: string, secret: string): ClientCredentials {
  return { headers: {}, form: { client_id: clientId, client_secret: secret } }
}

export function publicClient(clientId: string): ClientCredentials {
  return { headers: {}, form: { client_id: clientId } }
}

export function asserted(assertion: string): ClientCredentials {
  return { headers: {}, form: { client_assertion: assertion, client_assertion_type: JWT_BEARER } }
}

/** An assertion of `keyed`, fresh and for `audience`; claims may be overridden. */
export function assertionOf(audience: string, claims: JWTPayload = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  return new SignJWT({
    iss: 'keyed',
    sub: 'keyed',
    aud: audience,
    iat: now,
    exp: now + 60,
    jti: randomUUID(),
    ...claims,
  })
    .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
    .sign(KEYED.privateKey)
}

/** The credentials of a client of the test directory, the way it is registered. */
export async function credentialsOf(clientId: string, issuer: string): Promise<ClientCredentials> {
  switch (clientId) {
    case 'web':
      return basic(clientId, WEB_SECRET)
    case 'api':
      return basic(clientId, API_SECRET)
    case 'spa':
      return publicClient(clientId)
    case 'keyed':
      return asserted(await assertionOf(issuer))
    case 'post':
      return post(clientId, OTHER_SECRET)
    default:
      return basic(clientId, OTHER_SECRET)
  }
}
