import { decodeEntities } from '@signet/platform/load/http-browser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PageView, TestBrowser } from './browser.ts'
import { PASSWORD } from './fake-services.ts'
import { asOwner, startTestEnvironment, type TestEnvironment } from './setup.ts'

let env: TestEnvironment

beforeAll(async () => {
  env = await startTestEnvironment()
})
afterAll(() => env.stop())

const languageOf = ({ body }: { body: string }) => /<html lang="([^"]+)" dir="ltr">/.exec(body)?.[1]

it('ui_locales sets the language of all pages of a request', async () => {
  const browser = env.newBrowser()
  browser.acceptLanguage = 'en-US'
  const page = await env.authorize(browser, { ui_locales: 'it de-CH en' })
  expect(languageOf(page)).toBe('de')
  expect(page.text).toContain('Anmelden')
  expect(page.body).toMatch(/id="login-name"[\s\S]*id="password"[\s\S]*id="login-submit"/)
  const refused = await browser.submit(page, { login_name: 'user1', password: 'wrong' })
  expect(refused.text).toContain('Anmeldename oder Passwort stimmt nicht')
})

it('Accept-Language sets the language without a supported ui_locales; English is the default', async () => {
  const browser = env.newBrowser()
  browser.acceptLanguage = 'de-AT,de;q=0.9,en;q=0.5'
  expect(languageOf(await env.authorize(browser))).toBe('de')
  expect(languageOf(await env.authorize(browser, { ui_locales: 'se' }))).toBe('de')
  browser.acceptLanguage = 'en-US'
  expect(languageOf(await env.authorize(browser, { ui_locales: 'se' }))).toBe('en')
  expect(languageOf(await env.authorize(env.newBrowser()))).toBe('en')
})

it('error pages and sign-out pages use the language, too', async () => {
  const browser = env.newBrowser()
  const rejected = await browser.get('/oauth/v2/authorize?client_id=unknown&ui_locales=de')
  expect(rejected.text).toContain(
    'Die Anmeldeanfrage dieser Anwendung ist fehlerhaft client_id gehört zu keiner aktiven Anwendung',
  )
  const unregistered = await env.authorize(browser, {
    redirect_uri: 'https://evil.localhost',
    ui_locales: 'de',
  })
  expect(unregistered.text).toContain('redirect_uri steht nicht in den redirectUris dieser Anwendung')
  const hint = await browser.get('/oidc/v1/end_session?id_token_hint=x&ui_locales=de')
  expect(hint.text).toContain('Die Anwendung hat eine Abmeldung angefordert, die so nicht möglich ist')
  const question = await browser.follow(await browser.get('/oidc/v1/end_session?ui_locales=de'))
  expect(question.body).toMatch(/id="logout-confirm" type="submit">Abmelden</)
  browser.acceptLanguage = 'de'
  expect((await browser.follow(await browser.submit(question))).text).toContain('Sie sind abgemeldet')
})

it.each([
  ['fr', 'ltr', 'Se connecter'],
  ['ar', 'rtl', 'تسجيل الدخول'],
  ['ja', 'ltr', 'ログイン'],
])('the pages in "%s" have the direction %s', async (language, direction, text) => {
  const page = await env.authorize(env.newBrowser(), { ui_locales: language })
  expect(page.body).toContain(`<html lang="${language}" dir="${direction}">`)
  expect(page.text).toContain(text)
  const rejected = await env.newBrowser().get(`/oauth/v2/authorize?client_id=unknown&ui_locales=${language}`)
  expect(rejected.body).toContain(`<html lang="${language}" dir="${direction}">`)
})

describe('the choice of a language', () => {
  const choose = async (browser: TestBrowser, page: PageView, language: string) => {
    const [, path = ''] = new RegExp(`id="language-${language}" href="([^"]*)"`).exec(page.body) ?? []
    return browser.follow(await browser.get(decodeEntities(path)))
  }

  it('counts before the languages of browser and request, on this page and the next ones', async () => {
    const browser = env.newBrowser()
    const page = await env.authorize(browser, { ui_locales: 'en' })
    const german = await choose(browser, page, 'de')
    expect([german.status, german.text]).toEqual([200, expect.stringContaining('Anmeldename')])
    expect((await env.authorize(browser, { ui_locales: 'fr' })).body).toContain('<html lang="de"')
    expect((await browser.get('/')).body).toContain('<html lang="de"')
  })

  it('leads from the page of a refused form to its page, with the same request', async () => {
    const browser = env.newBrowser()
    const refused = await browser.submit(await env.authorize(browser), {
      login_name: 'user1',
      password: 'no',
    })
    const french = await choose(browser, refused, 'fr')
    expect(french.body).toContain('<html lang="fr"')
    const answer = await browser.follow(
      await browser.submit(french, { login_name: 'user1', password: PASSWORD }),
    )
    expect(answer.location).toContain('code=')
  })

  it.each(['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)', '%'])(
    'leads to pages of this service only, not to %s',
    async (to) => {
      const answer = await env.newBrowser().get(`/ui/language?lang=de&to=${encodeURIComponent(to)}`)
      expect(answer.status).toBe(303)
      expect(new URL(answer.location, env.issuer).origin).toBe(env.issuer)
      expect(answer.location).toMatch(/^\/(?![/\\])/)
    },
  )

  it('is kept for the languages of pages only', async () => {
    const browser = env.newBrowser()
    await browser.get('/ui/language?lang=xx&to=%2F')
    expect(browser.cookies.has('signet.language')).toBe(false)
    browser.cookies.set('signet.language', 'xx')
    expect((await browser.get('/')).body).toContain('<html lang="en"')
  })

  it('follows the profile on the pages of an account, where the browser has chosen none', async () => {
    await asOwner(env.adminUrl, [
      `UPDATE directory.account SET preferred_language = 'ja' WHERE user_id = 'user3'`,
    ])
    const browser = env.newBrowser()
    await env.signIn(browser, await env.authorize(browser), 'user3')
    for (const path of ['/ui/account/factors', '/ui/applications', '/ui/account/sessions'])
      expect((await browser.get(path)).body, path).toContain('<html lang="ja"')
    const english = await choose(browser, await browser.get('/ui/account/factors'), 'en')
    expect(english.body).toContain('<html lang="en"')
  })
})
