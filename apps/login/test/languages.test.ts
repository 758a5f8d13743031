import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestEnvironment, type TestEnvironment } from './setup.ts'

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
  expect(rejected.text).toContain('Anfrage abgelehnt client_id gehört zu keiner aktiven Anwendung')
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
