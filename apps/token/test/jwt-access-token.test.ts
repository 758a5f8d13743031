import { createPublicKey } from 'node:crypto'
import {
  createOAuthEnvironment,
  ISSUER,
  OAUTH_SYSTEM,
  type OAuthEnvironment,
} from '@signet/testing/system/oauth-environment'
import { startSystem } from '@signet/testing/system/start-system'
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let oauth: OAuthEnvironment
beforeAll(async () => {
  oauth = createOAuthEnvironment(await startSystem(OAUTH_SYSTEM))
}, 60_000)
afterAll(() => oauth?.stop())

describe('RFC 9068: access tokens as JWT', () => {
  it('token access_token: header and claims, verified with the published keys', async () => {
    const { json } = await oauth.tokens({ clientId: 'jwt', scope: 'openid email', sid: 'sid-claims' })
    const keySet = createRemoteJWKSet(new URL(`${oauth.base}/oauth/v2/keys`))
    const { payload, protectedHeader } = await jwtVerify(String(json.access_token), keySet, {
      issuer: ISSUER,
      audience: 'portal',
      typ: 'at+jwt',
      requiredClaims: ['iss', 'exp', 'aud', 'sub', 'client_id', 'iat', 'jti', 'scope', 'auth_time'],
    })
    expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'at+jwt', kid: expect.any(String) })
    expect(payload).toEqual({
      iss: ISSUER,
      sub: 'alice',
      aud: ['jwt', 'portal'],
      client_id: 'jwt',
      scope: 'openid email',
      jti: expect.any(String),
      iat: payload.iat,
      // In the past for a resource server whose clock is behind.
      nbf: (payload.iat ?? 0) - 60,
      exp: (payload.iat ?? 0) + 3600,
      auth_time: expect.any(Number),
      amr: ['pwd'],
      'urn:service:iam:rv': expect.objectContaining({ sid: 'sid-claims', grantId: expect.any(String) }),
    })
  })

  it('the application chooses the algorithm', async () => {
    const { json } = await oauth.tokens({ clientId: 'jwt-es256' })
    expect(decodeProtectedHeader(String(json.access_token)).alg).toBe('ES256')
    expect((await oauth.introspect(json.access_token)).json.active).toBe(true)
  })

  it('introspection: returns the same for a JWT as for an opaque token', async () => {
    const [jwt, opaque] = await Promise.all(
      ['jwt', 'web'].map(async (clientId) => {
        const { json } = await oauth.tokens({ clientId, scope: 'openid email', sid: 'sid-same' })
        return (await oauth.introspect(json.access_token)).json
      }),
    )
    expect(Object.keys(jwt ?? {}).sort()).toEqual(Object.keys(opaque ?? {}).sort())
    expect(jwt).toMatchObject({ active: true, sub: 'alice', client_id: 'jwt', email: 'alice@acme.localhost' })
  })

  it('userinfo and bearers of the APIs: take a JWT', async () => {
    const { json } = await oauth.tokens({ clientId: 'jwt', scope: 'openid email' })
    expect((await oauth.userinfo(json.access_token)).json.email).toBe('alice@acme.localhost')
  })

  it('revocation: an access token ends alone, a refresh token takes it along, logout too', async () => {
    const scope = 'openid offline_access'
    const [alone, family, session] = await Promise.all(
      ['sid-1', 'sid-2', 'sid-3'].map(
        async (sid) => (await oauth.tokens({ clientId: 'jwt', scope, sid })).json,
      ),
    )
    expect((await oauth.revoke(alone?.access_token, { basic: 'jwt' })).status).toBe(200)
    expect((await oauth.refresh(alone?.refresh_token, {}, { basic: 'jwt' })).status).toBe(200)
    expect((await oauth.revoke(family?.refresh_token, { basic: 'jwt' })).status).toBe(200)
    await oauth.logout('sid-3')
    for (const tokens of [alone, family, session]) {
      expect((await oauth.introspect(tokens?.access_token)).json).toEqual({ active: false })
      expect((await oauth.userinfo(tokens?.access_token)).status).toBe(401)
    }
  })

  it('a token of another client stays active [F-22]', async () => {
    const { json } = await oauth.tokens({ clientId: 'jwt' })
    expect((await oauth.revoke(json.access_token, { basic: 'web' })).json.error).toBe('invalid_grant')
    expect((await oauth.introspect(json.access_token)).json.active).toBe(true)
  })

  it('is revoked with the key that signed it', async () => {
    const { json } = await oauth.tokens({ clientId: 'jwt-es256' })
    const { kid } = decodeProtectedHeader(String(json.access_token))
    await oauth.revokeKey(String(kid))
    expect((await oauth.introspect(json.access_token)).json).toEqual({ active: false })
  })

  it('an ID token, an unsigned one and one under another key are no access tokens [F-25] [F-26]', async () => {
    const { json } = await oauth.tokens({ clientId: 'jwt', scope: 'openid' })
    const [, payload] = String(json.access_token).split('.')
    const unsigned = `${Buffer.from('{"alg":"none","typ":"at+jwt","kid":"x"}').toString('base64url')}.${payload}.`
    const keys = (await oauth.call('/oauth/v2/keys')).json.keys as { kid: string; kty: string; alg: string }[]
    const rsa = keys.find(({ alg }) => alg === 'RS256')
    const publicPem = createPublicKey({ key: rsa ?? {}, format: 'jwk' }).export({
      type: 'spki',
      format: 'pem',
    })
    const hmac = await new SignJWT(JSON.parse(Buffer.from(payload ?? '', 'base64url').toString()))
      .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: rsa?.kid ?? '' })
      .sign(Buffer.from(publicPem))
    for (const token of [json.id_token, unsigned, hmac]) {
      expect((await oauth.introspect(token)).json).toEqual({ active: false })
      expect((await oauth.userinfo(token)).status).toBe(401)
      await expect(oauth.bearer(token)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
    }
  })
})
