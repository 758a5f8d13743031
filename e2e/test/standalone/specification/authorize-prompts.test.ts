import type { HttpBrowser } from '@signet/testing/http-browser'
import { startSystem } from '@signet/testing/system/start-system'
import { PASSWORD } from '@signet/testing/system/test-directory'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readResponse } from '../authorization-response.ts'
import { connectProvider, PROVIDER_SYSTEM, type Provider } from '../provider.ts'

let provider: Provider
beforeAll(async () => {
  provider = await connectProvider(await startSystem(PROVIDER_SYSTEM))
}, 60_000)
afterAll(() => provider?.stop())

async function signedInTwice(): Promise<HttpBrowser> {
  const { browser } = await provider.signIn()
  await provider.signIn({ browser, loginName: 'carol+1', parameters: { prompt: 'login' } })
  return browser
}

/** The names on the buttons of the account chooser, by the value that chooses each. */
function accountsIn(body: string): ReadonlyMap<string, string> {
  const buttons = body.matchAll(/name="sid" value="([^"]+)"[^>]*>[\s\S]*?class="login-name"><bdi>([^<]+)</g)
  return new Map([...buttons].map(([, sid = '', name = '']) => [name, sid]))
}

const subjectOf = async (url: URL) => {
  const { tokens } = await provider.redeem(url)
  return tokens.claims()?.sub
}

describe('prompt values', () => {
  it('no prompt: one session is used, of several the person chooses one [authorize.prompt.absent]', async () => {
    const { browser } = await provider.signIn()
    expect((await provider.open(browser)).headers.get('location')).toContain('code=')
    const both = await signedInTwice()
    const page = await provider.open(both)
    const accounts = accountsIn(page.body)
    expect([...accounts.keys()].sort()).toEqual(['alice@acme.localhost', 'carol+1@acme.localhost'])
    const sid = accounts.get('alice@acme.localhost') ?? ''
    const answer = readResponse(await both.submit(page, { sid }))
    expect(await subjectOf(answer.received() as URL)).toBe('alice')
  })

  it('none: shows no page; an error without a session or with a choice [authorize.prompt.none] [authorize.error.login_required] [authorize.error.interaction_required]', async () => {
    const none = provider.authorizationUrl({ prompt: 'none' })
    const { browser } = await provider.signIn()
    for (const [who, expected] of [
      [browser, null],
      [provider.system.newBrowser(), 'login_required'],
      [await signedInTwice(), 'interaction_required'],
    ] as const) {
      const page = await who.send(none)
      expect(page.status).toBe(303)
      expect(readResponse(page).parameters.get('error')).toBe(expected)
    }
  })

  it('login: asks for a password, and accepts another user [authorize.prompt.login]', async () => {
    const { browser } = await provider.signIn()
    const page = await provider.open(browser, { prompt: 'login' })
    expect(page.body).toContain('id="password"')
    const answer = readResponse(await browser.submit(page, { login_name: 'carol+1', password: PASSWORD }))
    expect(await subjectOf(answer.received() as URL)).toBe('carol')
  })

  it('select_account: shows the sessions, and a way to another one [authorize.prompt.select_account]', async () => {
    const { browser } = await provider.signIn()
    const page = await provider.open(browser, { prompt: 'select_account' })
    expect(accountsIn(page.body).size).toBe(1)
    const other = /id="account-other" href="([^"]+)"/.exec(page.body)?.[1]?.replaceAll('&amp;', '&')
    const signIn = await browser.open(other ?? '')
    const answer = readResponse(await browser.submit(signIn, { login_name: 'carol+1', password: PASSWORD }))
    expect(await subjectOf(answer.received() as URL)).toBe('carol')
  })

  it('select_account: login_hint preselects a user [authorize.login_hint]', async () => {
    const browser = await signedInTwice()
    const hinted = { prompt: 'select_account', login_hint: 'carol+1@acme.localhost' }
    const { body } = await provider.open(browser, hinted)
    const focused = /<button[^>]* autofocus[\s\S]*?class="login-name"><bdi>([^<]+)</.exec(body)?.[1]
    expect(focused).toBe('carol+1@acme.localhost')
  })

  it('create: shows the registration form at once and signs the new account in [authorize.prompt.create]', async () => {
    const { browser } = await provider.signIn()
    const page = await provider.open(browser, { prompt: 'create' })
    expect(page.status).toBe(200)
    expect(page.body).toContain('id="register-submit"')
    const answer = readResponse(
      await browser.submit(page, {
        user_name: 'newcomer',
        given_name: 'New',
        family_name: 'Comer',
        email: 'newcomer@example.com',
        password: 'Another-horse-7',
      }),
    )
    const { tokens, config } = await provider.redeem(answer.received() as URL)
    expect(config.serverMetadata().issuer).toBe(provider.issuer)
    const introspected = await provider.introspect(tokens.access_token)
    expect(introspected).toMatchObject({ active: true, username: 'newcomer@acme.localhost' })
  })
})
