import { createHash } from 'node:crypto'
import { ACR_PASSWORD } from '@signet/protocol/authorization-parameters'
import {
  createOAuthEnvironment,
  OAUTH_SYSTEM,
  type OAuthEnvironment,
} from '@signet/testing/system/oauth-environment'
import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let oauth: OAuthEnvironment
beforeAll(async () => {
  oauth = createOAuthEnvironment(await startSystem(OAUTH_SYSTEM))
}, 60_000)
afterAll(() => oauth?.stop())

const page = { clientId: 'page', scope: 'openid profile email' }

describe('OIDC Core section 3.2.2.5: the tokens of an authorization response', () => {
  it('authorize id_token: the ID token has the claims of the scopes when it is the only token', async () => {
    const answer = await oauth.implicit({ ...page, withAccessToken: false, acr: ACR_PASSWORD, nonce: 'n-7' })
    expect(answer.accessToken).toBeUndefined()
    expect(answer.expiresIn).toBeUndefined()
    expect(answer.scope).toBe('openid profile email')
    expect(await oauth.verify(answer.idToken)).toMatchObject({
      sub: 'alice',
      aud: 'page',
      azp: 'page',
      nonce: 'n-7',
      acr: ACR_PASSWORD,
      amr: ['pwd'],
      sid: expect.any(String),
      auth_time: expect.any(Number),
      name: 'Alice Example',
      email: 'alice@acme.localhost',
      email_verified: true,
    })
  })

  it('authorize id_token token: at_hash, and the claims stay with userinfo', async () => {
    const answer = await oauth.implicit({ ...page, withAccessToken: true })
    const claims = await oauth.verify(answer.idToken)
    const digest = createHash('sha256')
      .update(answer.accessToken ?? '')
      .digest()
    expect(claims.at_hash).toBe(digest.subarray(0, 16).toString('base64url'))
    expect(claims).not.toHaveProperty('name')
    expect(claims).not.toHaveProperty('email')
    expect(answer.expiresIn).toBe(3600)
    expect((await oauth.userinfo(answer.accessToken)).json).toMatchObject({ name: 'Alice Example' })
  })

  it('revocation: ends with the session, and cannot begin under an ended one', async () => {
    const { accessToken } = await oauth.implicit({ ...page, withAccessToken: true, sid: 'sid-1' })
    expect((await oauth.introspect(accessToken)).json.active).toBe(true)
    await oauth.logout('sid-1')
    expect((await oauth.introspect(accessToken)).json).toEqual({ active: false })
    await expect(oauth.implicit({ ...page, withAccessToken: true, sid: 'sid-1' })).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
    })
  })

  it('OIDC Core section 3.2.2.1: is refused without a nonce, and for an unknown client', async () => {
    await expect(oauth.implicit({ ...page, withAccessToken: false, nonce: '' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
    await expect(oauth.implicit({ clientId: 'nobody', withAccessToken: false })).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
    })
  })
})

describe('OIDC Core section 5.5: the claims parameter', () => {
  const claims = JSON.stringify({
    userinfo: { name: { essential: true }, unheard_of: null },
    id_token: { email: null, acr: { essential: true } },
  })

  it('oidcc-claims-essential: each claim is in the requested place, also after a refresh', async () => {
    const first = await oauth.tokens({ scope: 'openid offline_access', claims })
    const second = await oauth.refresh(first.json.refresh_token)
    for (const { json } of [first, second]) {
      const idToken = await oauth.verify(json.id_token)
      expect(idToken.email).toBe('alice@acme.localhost')
      expect(idToken).not.toHaveProperty('name')
      expect((await oauth.userinfo(json.access_token)).json).toEqual({ sub: 'alice', name: 'Alice Example' })
    }
  })

  it('the ID token has an essential name that was requested for it when it is the only token', async () => {
    const wanted = JSON.stringify({ id_token: { name: { essential: true } } })
    const { idToken } = await oauth.implicit({
      clientId: 'page',
      scope: 'openid',
      withAccessToken: false,
      claims: wanted,
    })
    expect((await oauth.verify(idToken)).name).toBe('Alice Example')
  })

  it('a malformed parameter makes no code', async () => {
    await expect(oauth.code({ claims: '[]' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })
})

describe('OIDC Core section 2: acr', () => {
  it('oidcc-ensure-request-with-acr-values-succeeds: is in the ID token of the code and of a refresh', async () => {
    const first = await oauth.tokens({ scope: 'openid offline_access', acr: ACR_PASSWORD })
    const second = await oauth.refresh(first.json.refresh_token)
    for (const { json } of [first, second]) expect((await oauth.verify(json.id_token)).acr).toBe(ACR_PASSWORD)
    const without = await oauth.tokens()
    expect(await oauth.verify(without.json.id_token)).not.toHaveProperty('acr')
  })
})
