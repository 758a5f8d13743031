import { startPrivateRedis } from '@signet/testing/redis-fixture'
import { afterEach, expect, it } from 'vitest'
import { type LoginWorld, startLoginWorld, WEB_REQUEST } from './fixtures/login-world.ts'
import type { PageView } from './fixtures/test-browser.ts'

let world: LoginWorld | undefined

afterEach(async () => {
  await world?.stop()
})

function expectUnavailable(page: PageView): void {
  expect(page.status).toBe(503)
  expect(page.headers['retry-after']).toMatch(/^\d+$/)
  expect(page.text).toContain('Not available right now')
  expect(page.body).not.toMatch(/redis|ECONNREFUSED|at .*\.ts/i)
}

it('answers with a page while Redis is away, and is not ready', async () => {
  const redis = await startPrivateRedis()
  world = await startLoginWorld({ redisUrl: redis.url })
  const signedIn = world.newBrowser()
  await world.signIn(signedIn, await world.authorize(signedIn))
  const browser = world.newBrowser()
  const page = await world.authorize(browser)
  expect(await world.notReady()).toEqual([])
  await redis.drop()
  expectUnavailable(await world.authorize(browser))
  expectUnavailable(await browser.post('/oauth/v2/authorize', WEB_REQUEST))
  expectUnavailable(await signedIn.get('/oidc/v1/end_session'))
  const form = await browser.submit(page, { login_name: 'alice', password: 'Correct-horse-9' })
  expect(form.status).toBe(503)
  expect(await world.notReady()).toEqual(['redis'])
})

it('keeps the sign-in form while the directory service is away', async () => {
  world = await startLoginWorld()
  const browser = world.newBrowser()
  const page = await world.authorize(browser)
  world.peers.away.add('directory')
  const answer = await browser.submit(page, { login_name: 'alice', password: 'Correct-horse-9' })
  expect(answer.status).toBe(503)
  expect(answer.text).toContain('not possible right now')
  world.peers.away.clear()
  expect((await world.signIn(browser, answer)).get('code')).toMatch(/^code-/)
})

it('keeps the request while the token service is away, so that a reload goes on', async () => {
  world = await startLoginWorld()
  const browser = world.newBrowser()
  const signedIn = await browser.submit(await world.authorize(browser), {
    login_name: 'alice',
    password: 'Correct-horse-9',
  })
  world.peers.away.add('token')
  expectUnavailable(await browser.get(signedIn.location))
  const silent = await world.authorize(browser, { prompt: 'none' })
  expect(new URL(silent.location).searchParams.get('error')).toBe('temporarily_unavailable')
  world.peers.away.clear()
  expect((await browser.get(signedIn.location)).location).toContain('code=')
})

it('does not sign out halfway while the token service is away', async () => {
  world = await startLoginWorld()
  const browser = world.newBrowser()
  await world.signIn(browser, await world.authorize(browser))
  const sid = world.peers.codeRequests.at(-1)?.session?.sid ?? ''
  const path = `/oidc/v1/end_session?id_token_hint=${await world.peers.idToken({ sub: 'alice', sid })}`
  world.peers.away.add('token')
  expectUnavailable(await browser.get(path))
  world.peers.away.clear()
  expect((await browser.get(path)).location).toBe('/ui/logout/done')
  expect(world.peers.endedSids).toEqual([sid])
})

it('answers with a page while the keys service is away and a hint has to be checked', async () => {
  world = await startLoginWorld()
  world.peers.away.add('keys')
  const hint = await world.peers.idToken({ sub: 'alice', sid: 'x' })
  expectUnavailable(await world.newBrowser().get(`/oidc/v1/end_session?id_token_hint=${hint}`))
})
