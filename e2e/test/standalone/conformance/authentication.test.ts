import { startSystem } from '@signet/testing/system/start-system'
import { PASSWORD } from '@signet/testing/system/test-directory'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readResponse } from '../authorization-response.ts'
import { connectProvider, PROVIDER_SYSTEM, type Provider } from '../provider.ts'
import { complete, FLOWS, finish, requestOf, STATE } from './flows.ts'

let provider: Provider
beforeAll(async () => {
  provider = await connectProvider(await startSystem(PROVIDER_SYSTEM))
}, 60_000)
afterAll(() => provider?.stop())

describe.each(FLOWS)('$clientId, $responseType by $mode', (flow) => {
  /** Signs in again on the page that a second request has to show, and answers the second ID token. */
  async function authenticateAgain(parameters: Record<string, string>) {
    const first = await complete(provider, flow)
    provider.system.clock.advance(2_000)
    const request = await requestOf(flow, parameters)
    const page = await first.browser.open(provider.authorizationUrl(request))
    expect(page.body).toContain('id="login-name"')
    expect(page.body).toContain('Sign in')
    const answer = await first.browser.submit(page, { login_name: 'alice', password: PASSWORD })
    const second = await finish(provider, flow, readResponse(answer), request)
    expect(second.idToken.sub).toBe(first.idToken.sub)
    expect(second.idToken.auth_time).toBeGreaterThan(Number(first.idToken.auth_time))
  }

  it('oidcc-prompt-login: asks again, and auth_time is later [authorize.prompt.login]', async () => {
    await authenticateAgain({ prompt: 'login' })
  })

  it('oidcc-max-age-1: asks again once two seconds have passed [authorize.max_age]', async () => {
    await authenticateAgain({ max_age: '1' })
  })

  it('oidcc-max-age-10000: asks for no sign-in, and auth_time stays [authorize.max_age]', async () => {
    const first = await complete(provider, flow, { max_age: '10000' })
    provider.system.clock.advance(2_000)
    const second = await complete(provider, flow, { max_age: '10000' }, first.browser)
    expect(second.idToken.auth_time).toBe(first.idToken.auth_time)
    expect(second.idToken.iat).toBeGreaterThan(Number(first.idToken.iat))
  })

  it('oidcc-prompt-none-not-logged-in: login_required with the whole state [authorize.error.login_required]', async () => {
    const request = await requestOf(flow, { prompt: 'none' })
    const { mode, parameters } = await provider.authorize(request)
    expect(mode).toBe(flow.mode)
    expect(Object.fromEntries(parameters)).toEqual({
      error: 'login_required',
      error_description: expect.any(String),
      state: STATE,
      iss: provider.issuer,
    })
  })

  it('oidcc-prompt-none-logged-in: answers silently for the same authentication [authorize.prompt.none]', async () => {
    const first = await complete(provider, flow)
    const page = await first.browser.send(
      provider.authorizationUrl(await requestOf(flow, { prompt: 'none' })),
    )
    const { idToken } = await finish(provider, flow, readResponse(page), await requestOf(flow))
    expect([idToken.sub, idToken.auth_time]).toEqual([first.idToken.sub, first.idToken.auth_time])
  })

  it('oidcc-id-token-hint: with prompt=none succeeds silently [authorize.id_token_hint]', async () => {
    const first = await complete(provider, flow)
    const hinted = { prompt: 'none', id_token_hint: first.hint }
    const second = await complete(provider, flow, hinted, first.browser)
    expect(second.idToken.sub).toBe('alice')
  })
})
