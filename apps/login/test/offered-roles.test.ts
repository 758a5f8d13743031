import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { PageView, TestBrowser } from './browser.ts'
import { PASSWORD } from './fake-services.ts'
import { startTestEnvironment, type TestEnvironment } from './setup.ts'

let env: TestEnvironment

beforeAll(async () => {
  env = await startTestEnvironment()
})
afterAll(() => env?.stop())
beforeEach(() => {
  env.fakes.answeredOffers.splice(0)
  env.fakes.offers.set('user1', [
    {
      ...{ organizationId: 'partner', organizationName: 'Part<ner>' },
      ...{ projectId: '', projectName: '', roles: ['ORG_OWNER', 'ORG_USER_MANAGER'] },
    },
    {
      ...{ organizationId: 'partner', organizationName: 'Part<ner>' },
      ...{ projectId: 'depot', projectName: 'Depot', roles: ['PROJECT_OWNER'] },
    },
  ])
})

async function signIn(browser: TestBrowser, parameters: Record<string, string> = {}): Promise<PageView> {
  const page = await env.authorize(browser, parameters)
  return browser.follow(await browser.submit(page, { login_name: 'user1', password: PASSWORD }))
}

const answer = async (browser: TestBrowser, page: PageView, decision: string) =>
  browser.follow(await browser.submit(page, { decision }))
const code = (view: PageView) => new URL(view.location).searchParams.get('code')

it('asks for each organization and project in turn and continues after both answers', async () => {
  const browser = env.newBrowser()
  const first = await signIn(browser)
  expect(first.text).toContain('Accept new roles?')
  expect(first.text).toContain('Part&lt;ner&gt; gives you these roles in its organization:')
  expect(first.text).toContain('Owner of the organization')
  const second = await answer(browser, first, 'accept')
  expect(second.text).toContain('Part&lt;ner&gt; gives you these roles in its project Depot:')
  expect(code(await answer(browser, second, 'refuse'))).toMatch(/^code-/)
  expect(env.fakes.answeredOffers).toEqual([
    expect.stringMatching(/^user1 accepts ORG_OWNER ORG_USER_MANAGER of partner from ./),
    expect.stringMatching(/^user1 refuses PROJECT_OWNER of depot from ./),
  ])
})

it('treats any answer but "accept" as a refusal', async () => {
  const browser = env.newBrowser()
  await answer(browser, await signIn(browser), '')
  expect(env.fakes.answeredOffers).toEqual([expect.stringContaining('user1 refuses ORG_OWNER')])
})

it('asks at a sign-in, and not while the session is live', async () => {
  env.fakes.offers.delete('user1')
  const browser = env.newBrowser()
  await env.signIn(browser, await env.authorize(browser))
  env.fakes.offers.set('user1', [
    {
      ...{ organizationId: 'partner', organizationName: 'Partner' },
      ...{ projectId: '', projectName: '', roles: ['ORG_OWNER'] },
    },
  ])
  for (const parameters of [{}, { prompt: 'none' }]) {
    expect(code(await env.authorize(browser, parameters))).toMatch(/^code-/)
  }
  expect((await signIn(browser, { prompt: 'login' })).text).toContain('Accept new roles?')
})

it('rejects a form of another browser or of a request without an offer', async () => {
  const browser = env.newBrowser()
  const page = await signIn(browser)
  const foreign = await env.newBrowser().submit(page, { decision: 'accept' })
  expect(foreign.text).toContain('Request rejected')
  expect(env.fakes.answeredOffers).toEqual([])
  env.fakes.offers.delete('user1')
  expect(code(await answer(browser, page, 'accept'))).toMatch(/^code-/)
  expect(env.fakes.answeredOffers).toEqual([])
})

it('asks before consent', async () => {
  const browser = env.newBrowser()
  const first = await signIn(browser, { prompt: 'login consent' })
  const second = await answer(browser, first, 'accept')
  expect((await answer(browser, second, 'accept')).text).toContain('Allow access?')
})

it('continues without the question while the directory is unavailable', async () => {
  const browser = env.newBrowser()
  const page = await env.authorize(browser)
  const signedIn = await browser.submit(page, { login_name: 'user1', password: PASSWORD })
  env.fakes.away.add('directory')
  try {
    expect(code(await browser.follow(signedIn))).toMatch(/^code-/)
  } finally {
    env.fakes.away.delete('directory')
  }
})
