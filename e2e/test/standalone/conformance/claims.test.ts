import { ALICE_CLAIMS } from '@signet/testing/fixture-user'
import type { HttpBrowser } from '@signet/testing/http-browser'
import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectProvider, PROVIDER_SYSTEM, type Provider } from '../provider.ts'
import { complete, FLOWS, FLOWS_WITH_ACCESS_TOKEN } from './flows.ts'

let provider: Provider
let signedIn: HttpBrowser
beforeAll(async () => {
  provider = await connectProvider(await startSystem(PROVIDER_SYSTEM))
  signedIn = (await provider.signIn()).browser
}, 60_000)
afterAll(() => provider?.stop())

const PROFILE = { ...ALICE_CLAIMS.profile, updated_at: expect.any(Number) }
const { email, phone, address } = ALICE_CLAIMS
const EVERYTHING = { ...PROFILE, ...email, ...phone, ...address }

describe.each(FLOWS)('$clientId, $responseType by $mode', (flow) => {
  const withAccessToken = flow.responseType !== 'id_token'

  it.each([
    ['oidcc-scope-profile', 'profile', PROFILE],
    ['oidcc-scope-email', 'email', email],
    ['oidcc-scope-address', 'address', address],
    ['oidcc-scope-phone', 'phone', phone],
    ['oidcc-scope-all', 'profile email address phone', EVERYTHING],
  ])('%s: every claim of %s, at userinfo or else in the ID token', async (_module, scope, claims) => {
    const { idToken, accessToken } = await complete(provider, flow, { scope: `openid ${scope}` }, signedIn)
    if (!withAccessToken) {
      expect(idToken).toMatchObject(claims)
      return
    }
    expect(Object.keys(EVERYTHING).filter((claim) => claim in idToken)).toEqual([])
    const { json } = await userinfo(accessToken)
    expect(json).toEqual({ sub: idToken.sub, ...claims })
  })

  it('oidcc-claims-essential: the name is only in the requested place', async () => {
    const where = withAccessToken ? 'userinfo' : 'id_token'
    const claims = JSON.stringify({ [where]: { name: { essential: true } } })
    const { idToken, accessToken } = await complete(provider, flow, { claims }, signedIn)
    expect(idToken.name).toBe(withAccessToken ? undefined : 'Alice Example')
    if (withAccessToken) expect((await userinfo(accessToken)).json.name).toBe('Alice Example')
  })
})

describe.each(FLOWS_WITH_ACCESS_TOKEN)('userinfo for $clientId, $responseType by $mode', (flow) => {
  it.each([
    ['oidcc-userinfo-get', (token: string) => userinfo(token)],
    ['oidcc-userinfo-post-header', (token: string) => userinfo(token, 'POST')],
    [
      'oidcc-userinfo-post-body',
      (access_token: string) => provider.post('/oidc/v1/userinfo', { access_token }, {}),
    ],
  ])('%s: returns JSON for the subject of the ID token', async (_module, ask) => {
    const { idToken, accessToken } = await complete(provider, flow, {}, signedIn)
    const answer = await ask(accessToken)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    expect(answer.json).toEqual({ sub: idToken.sub })
  })
})

function userinfo(accessToken: string, method = 'GET') {
  return provider.system.fetch('/oidc/v1/userinfo', {
    method,
    headers: { authorization: `Bearer ${accessToken}` },
  })
}
