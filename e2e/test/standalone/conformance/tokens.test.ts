import { REDIRECT_URI } from '@signet/testing/system/oauth-directory'
import { startSystem } from '@signet/testing/system/start-system'
import { PASSWORD } from '@signet/testing/system/test-directory'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readResponse } from '../authorization-response.ts'
import { basic, connectProvider, PROVIDER_SYSTEM, type Provider } from '../provider.ts'
import { CODE_FLOWS, requestOf } from './flows.ts'

let provider: Provider
beforeAll(async () => {
  provider = await connectProvider(await startSystem(PROVIDER_SYSTEM))
}, 60_000)
afterAll(() => provider?.stop())

const VERIFIER = 'v'.repeat(64)

/** A code that has to be redeemed with VERIFIER. */
async function codeOf(clientId: string, parameters: Record<string, string> = {}): Promise<URL> {
  const response = await provider.authorize({
    client_id: clientId,
    state: 'st',
    code_challenge: await oidc.calculatePKCECodeChallenge(VERIFIER),
    code_challenge_method: 'S256',
    ...parameters,
  })
  return response.received() as URL
}

async function redeem(clientId: string, url: URL) {
  const checks = { expectedState: 'st', pkceCodeVerifier: VERIFIER }
  return oidc.authorizationCodeGrant(await provider.client(clientId), url, checks)
}

async function refusal(call: Promise<unknown>): Promise<{ status: number; error: string }> {
  const thrown = await call.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(thrown instanceof oidc.ResponseBodyError)) throw new Error('it was not refused', { cause: thrown })
  return { status: thrown.status, error: thrown.error }
}

const INVALID_GRANT = { status: 400, error: 'invalid_grant' }

describe.each(CODE_FLOWS)('$clientId by $mode', ({ clientId }) => {
  it('oidcc-codereuse: the second exchange at once is invalid_grant [token.error.invalid_grant]', async () => {
    const url = await codeOf(clientId)
    await redeem(clientId, url)
    expect(await refusal(redeem(clientId, url))).toEqual(INVALID_GRANT)
  })

  it('oidcc-codereuse-30seconds: returns invalid_grant later too, and the first access token is revoked', async () => {
    const url = await codeOf(clientId)
    const { access_token } = await redeem(clientId, url)
    provider.system.clock.advance(30_000)
    expect(await refusal(redeem(clientId, url))).toEqual(INVALID_GRANT)
    const { status } = await provider.system.fetch('/oidc/v1/userinfo', {
      headers: { authorization: `Bearer ${access_token}` },
    })
    expect(status).toBe(401)
  })
})

/** Signs in, agrees, and answers the tokens of `openid offline_access`. */
async function tokensAfterConsent(clientId: string) {
  const browser = provider.system.newBrowser()
  const flow = { clientId, responseType: 'code', mode: 'query' } as const
  const request = await requestOf(flow, {
    scope: 'openid offline_access',
    prompt: 'consent',
    code_challenge: await oidc.calculatePKCECodeChallenge(VERIFIER),
    code_challenge_method: 'S256',
  })
  const signIn = await browser.open(provider.authorizationUrl(request))
  const consent = await browser.submit(signIn, { login_name: 'alice', password: PASSWORD })
  const answer = readResponse(await browser.submit(consent, { decision: 'allow' }))
  const config = await provider.client(clientId)
  return oidc.authorizationCodeGrant(config, answer.received(), {
    expectedState: request.state ?? '',
    expectedNonce: request.nonce ?? '',
    pkceCodeVerifier: VERIFIER,
  })
}

describe('oidcc-refresh-token', () => {
  it.each(['web', 'post', 'keyed', 'spa'])(
    '%s: another ID token of the same authentication',
    async (clientId) => {
      const first = await tokensAfterConsent(clientId)
      expect(first.refresh_token?.length).toBeGreaterThan(22)
      provider.system.clock.advance(2_000)
      const config = await provider.client(clientId)
      const second = await oidc.refreshTokenGrant(config, first.refresh_token ?? '', { scope: 'openid' })
      expect(second.token_type).toBe('bearer')
      const [before, after] = [first.claims(), second.claims()]
      const { iss, sub, aud, azp, auth_time } = before ?? {}
      expect(after).toMatchObject({ iss, sub, aud, azp, auth_time })
      expect(after?.iat).toBeGreaterThan(Number(before?.iat))
    },
  )

  it('is not for another client, and has Cache-Control no-store', async () => {
    const { refresh_token = '' } = await tokensAfterConsent('web')
    const form = { grant_type: 'refresh_token', refresh_token }
    const foreign = await provider.post('/oauth/v2/token', form, basic('other'))
    expect([foreign.status, foreign.json.error]).toEqual([400, 'invalid_grant'])
    const own = await provider.post('/oauth/v2/token', form)
    expect([own.status, own.headers.get('cache-control'), own.json.token_type]).toEqual([
      200,
      'no-store',
      'Bearer',
    ])
  })
})

describe('other ways to redeem a code', () => {
  it('oidcc-server-client-secret-post: by the client that is registered for it', async () => {
    expect((await redeem('post', await codeOf('post'))).access_token).not.toBe('')
  })

  it('oidcc-ensure-request-with-valid-pkce-succeeds: by a client with a secret', async () => {
    expect((await redeem('web', await codeOf('web'))).access_token).not.toBe('')
  })

  it('oidcc-ensure-client-assertion-with-iss-aud-succeeds: the audience may be the token endpoint or the issuer', async () => {
    for (const audience of [provider.issuer, `${provider.issuer}/oauth/v2/token`]) {
      const { searchParams } = await codeOf('keyed')
      const form = {
        grant_type: 'authorization_code',
        code: searchParams.get('code') ?? '',
        redirect_uri: REDIRECT_URI,
        code_verifier: VERIFIER,
        ...(await provider.assertion({ aud: audience })),
      }
      expect((await provider.post('/oauth/v2/token', form, {})).status).toBe(200)
    }
  })
})
