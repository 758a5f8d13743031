import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type LoginWorld, startLoginWorld } from './fixtures/login-world.ts'
import { PASSWORD } from './fixtures/peers.ts'
import type { PageView, TestBrowser } from './fixtures/test-browser.ts'

let world: LoginWorld

beforeAll(async () => {
  world = await startLoginWorld()
})
afterAll(() => world?.stop())
beforeEach(() => {
  world.peers.answeredOffers.splice(0)
  world.peers.offers.set('alice', [
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
  const page = await world.authorize(browser, parameters)
  return browser.follow(await browser.submit(page, { login_name: 'alice', password: PASSWORD }))
}

const answer = async (browser: TestBrowser, page: PageView, decision: string) =>
  browser.follow(await browser.submit(page, { decision }))
const code = (view: PageView) => new URL(view.location).searchParams.get('code')

it('asks for each organization and project in turn, and goes on after both answers', async () => {
  const browser = world.newBrowser()
  const first = await signIn(browser)
  expect(first.text).toContain('Accept new roles?')
  expect(first.text).toContain('Part&lt;ner&gt; gives you these roles in its organization:')
  expect(first.text).toContain('Owner of the organization')
  const second = await answer(browser, first, 'accept')
  expect(second.text).toContain('Part&lt;ner&gt; gives you these roles in its project Depot:')
  expect(code(await answer(browser, second, 'refuse'))).toMatch(/^code-/)
  expect(world.peers.answeredOffers).toEqual([
    expect.stringMatching(/^alice accepts ORG_OWNER ORG_USER_MANAGER of partner from ./),
    expect.stringMatching(/^alice refuses PROJECT_OWNER of depot from ./),
  ])
})

it('takes anything but "accept" for a refusal', async () => {
  const browser = world.newBrowser()
  await answer(browser, await signIn(browser), '')
  expect(world.peers.answeredOffers).toEqual([expect.stringContaining('alice refuses ORG_OWNER')])
})

it('asks at a sign-in, and not while the session lasts', async () => {
  world.peers.offers.delete('alice')
  const browser = world.newBrowser()
  await world.signIn(browser, await world.authorize(browser))
  world.peers.offers.set('alice', [
    {
      ...{ organizationId: 'partner', organizationName: 'Partner' },
      ...{ projectId: '', projectName: '', roles: ['ORG_OWNER'] },
    },
  ])
  for (const parameters of [{}, { prompt: 'none' }]) {
    expect(code(await world.authorize(browser, parameters))).toMatch(/^code-/)
  }
  expect((await signIn(browser, { prompt: 'login' })).text).toContain('Accept new roles?')
})

it('does not take a form of another browser or of a request that asks nothing', async () => {
  const browser = world.newBrowser()
  const page = await signIn(browser)
  const foreign = await world.newBrowser().submit(page, { decision: 'accept' })
  expect(foreign.text).toContain('Request rejected')
  expect(world.peers.answeredOffers).toEqual([])
  world.peers.offers.delete('alice')
  expect(code(await answer(browser, page, 'accept'))).toMatch(/^code-/)
  expect(world.peers.answeredOffers).toEqual([])
})

it('comes before consent', async () => {
  const browser = world.newBrowser()
  const first = await signIn(browser, { prompt: 'login consent' })
  const second = await answer(browser, first, 'accept')
  expect((await answer(browser, second, 'accept')).text).toContain('Allow access?')
})

it('goes on without the question while the directory is away', async () => {
  const browser = world.newBrowser()
  const page = await world.authorize(browser)
  const signedIn = await browser.submit(page, { login_name: 'alice', password: PASSWORD })
  world.peers.away.add('directory')
  try {
    expect(code(await browser.follow(signedIn))).toMatch(/^code-/)
  } finally {
    world.peers.away.delete('directory')
  }
})
