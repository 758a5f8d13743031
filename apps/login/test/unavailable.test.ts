import { RpcError } from '@signet/grpc/error'
import { startPrivateRedis } from '@signet/testing/redis-fixture'
import { afterEach, expect, it } from 'vitest'
import type { PageView } from './browser.ts'
import { fakeOwnAccountsFinding } from './fake-own-account.ts'
import { startTestEnvironment, type TestEnvironment, WEB_REQUEST } from './setup.ts'

let env: TestEnvironment | undefined

afterEach(async () => {
  await env?.stop()
})

function expectUnavailable(page: PageView): void {
  expect(page.status).toBe(503)
  expect(page.headers['retry-after']).toMatch(/^\d+$/)
  expect(page.text).toContain('Not available right now')
  expect(page.body).not.toMatch(/redis|ECONNREFUSED|at .*\.ts/i)
}

it('shows a page while Redis is unavailable, and stays ready', async () => {
  const redis = await startPrivateRedis()
  env = await startTestEnvironment({ redisUrl: redis.url })
  const signedIn = env.newBrowser()
  await env.signIn(signedIn, await env.authorize(signedIn))
  const browser = env.newBrowser()
  const page = await env.authorize(browser)
  expect(await env.notReady()).toEqual([])
  await redis.drop()
  expectUnavailable(await env.authorize(browser))
  expectUnavailable(await browser.post('/oauth/v2/authorize', WEB_REQUEST))
  expectUnavailable(await signedIn.get('/oidc/v1/end_session'))
  const form = await browser.submit(page, { login_name: 'user1', password: 'Correct-horse-9' })
  expect(form.status).toBe(503)
  expect(await env.notReady()).toEqual([])
})

it('keeps the sign-in form while the directory is unavailable', async () => {
  env = await startTestEnvironment()
  const browser = env.newBrowser()
  const page = await env.authorize(browser)
  env.fakes.away.add('directory')
  const answer = await browser.submit(page, { login_name: 'user1', password: 'Correct-horse-9' })
  expect(answer.status).toBe(503)
  expect(answer.text).toContain('not possible right now')
  env.fakes.away.clear()
  expect((await env.signIn(browser, answer)).get('code')).toMatch(/^code-/)
})

it.each([
  ['en', 'Signing in is not possible right now. Try again in a moment.'],
  ['de', 'Die Anmeldung ist gerade nicht möglich. Versuchen Sie es gleich noch einmal.'],
  ['fr', 'La connexion est impossible pour le moment. Réessayez dans un instant.'],
  ['ja', '現在ログインできません。しばらくしてからもう一度お試しください。'],
  ['ar', 'تسجيل الدخول غير ممكن حاليًا. حاول مجددًا بعد قليل.'],
])(
  'says on the sign-in page, in %s, when too many passwords wait, and when to try again',
  async (language, text) => {
    env = await startTestEnvironment()
    const browser = env.newBrowser()
    browser.acceptLanguage = language
    const page = await env.authorize(browser)
    env.fakes.whileVerifying = async () => {
      throw new RpcError('RESOURCE_EXHAUSTED', 'too many passwords are being checked')
    }
    const answer = await browser.submit(page, { login_name: 'user1', password: 'Correct-horse-9' })
    expect(answer).toMatchObject({
      status: 503,
      headers: { 'content-type': expect.stringContaining('text/html'), 'retry-after': '1' },
    })
    expect(answer.text).toContain(text)
    env.fakes.whileVerifying = async () => undefined
    expect((await env.signIn(browser, answer)).get('code')).toMatch(/^code-/)
  },
)

it('keeps the request while the token service is unavailable, so that a reload continues it', async () => {
  env = await startTestEnvironment()
  const browser = env.newBrowser()
  const page = await env.authorize(browser)
  env.fakes.away.add('token')
  const signedIn = await browser.submit(page, { login_name: 'user1', password: 'Correct-horse-9' })
  expectUnavailable(await browser.get(signedIn.location))
  const silent = await env.authorize(browser, { prompt: 'none' })
  expect(new URL(silent.location).searchParams.get('error')).toBe('temporarily_unavailable')
  env.fakes.away.clear()
  expect((await browser.get(signedIn.location)).location).toContain('code=')
})

it('does not sign out partly while the token service is unavailable', async () => {
  env = await startTestEnvironment()
  const browser = env.newBrowser()
  await env.signIn(browser, await env.authorize(browser))
  const sid = env.fakes.codeRequests.at(-1)?.session?.sid ?? ''
  const path = `/oidc/v1/end_session?id_token_hint=${await env.fakes.idToken({ sub: 'user1', sid })}`
  env.fakes.away.add('token')
  expectUnavailable(await browser.get(path))
  env.fakes.away.clear()
  expect((await browser.get(path)).location).toBe('/ui/logout/done')
  expect(env.fakes.endedSids).toEqual([sid])
})

it('shows a page while the keys service is unavailable and a hint has to be verified', async () => {
  env = await startTestEnvironment()
  env.fakes.away.add('keys')
  const hint = await env.fakes.idToken({ sub: 'user1', sid: 'x' })
  expectUnavailable(await env.newBrowser().get(`/oidc/v1/end_session?id_token_hint=${hint}`))
})

it.each(['UNIMPLEMENTED', 'PERMISSION_DENIED'] as const)(
  'asks to try the link of a new address again while a directory of the version before answers %s',
  async (code) => {
    const refusing = fakeOwnAccountsFinding(async () => {
      throw new RpcError(code, 'unknown method')
    })
    env = await startTestEnvironment({ directoryServices: [refusing] })
    expectUnavailable(await env.newBrowser().get('/ui/account/email?token=abc'))
  },
)
