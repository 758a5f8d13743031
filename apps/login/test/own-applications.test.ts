import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type LoginWorld, startLoginWorld } from './fixtures/login-world.ts'
import type { PageView, TestBrowser } from './fixtures/test-browser.ts'

let world: LoginWorld

beforeAll(async () => {
  world = await startLoginWorld()
})
afterAll(() => world.stop())
beforeEach(() => {
  world.peers.grants.clear()
  world.peers.consents.clear()
  world.peers.endedAccess.splice(0)
})

async function signedIn(...loginNames: string[]): Promise<TestBrowser> {
  const browser = world.newBrowser()
  for (const loginName of loginNames) {
    await world.signIn(browser, await world.authorize(browser, { prompt: 'login' }), loginName)
  }
  return browser
}
const open = (browser: TestBrowser) => browser.get('/ui/applications')

describe('F-38: the page of own applications', () => {
  it('lists what has consent or a grant, once, by name, with what it may do', async () => {
    world.peers.consents.set('alice web', new Set(['openid', 'email']))
    world.peers.grants.set('alice web', ['openid', 'offline_access'])
    world.peers.grants.set('alice spa', ['openid'])
    world.peers.grants.set('alice long-gone', ['openid'])
    world.peers.grants.set('bob native', ['openid'])
    const page = await open(await signedIn('alice'))
    expect(page.status).toBe(200)
    expect(page.text).toContain('alice@acme.localhost')
    expect(page.text).toMatch(
      /long-gone .*Portal &lt;web&gt; .*Your e-mail address Access that lasts while you are away.*Portal SPA/,
    )
    expect([...page.body.matchAll(/ value="([\w-]+)">End access of/g)].map(([, id]) => id)).toEqual([
      'long-gone',
      'web',
      'spa',
    ])
    expect(page.text).not.toContain('Portal app')
    expect(page.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
  })

  it('has a part for each account of the browser', async () => {
    world.peers.grants.set('dora web', ['openid'])
    const page = await open(await signedIn('alice', 'dora'))
    expect(page.text).toMatch(
      /dora@globex.localhost Portal &lt;web&gt;.* alice@acme.localhost No application/,
    )
  })

  it('shows nothing to a browser without a session', async () => {
    for (const browser of [world.newBrowser(), await signedOut()]) {
      const page = await open(browser)
      expect(page.status).toBe(403)
      expect(page.text).toContain('Nobody is signed in to this browser')
    }
  })

  it('speaks the language of the browser', async () => {
    const browser = await signedIn('alice')
    browser.acceptLanguage = 'de-CH'
    expect((await open(browser)).text).toContain('Keine Anwendung hat Zugriff')
  })

  it('is offered where consent is asked for', async () => {
    const page = await world.authorize(await signedIn('alice'), { prompt: 'consent' })
    expect(page.body).toContain('href="/ui/applications"')
  })
})

async function signedOut(): Promise<TestBrowser> {
  const browser = await signedIn('alice')
  browser.cookies.delete('signet.session')
  return browser
}

describe('F-38: ending access', () => {
  async function withAccess(): Promise<{ browser: TestBrowser; page: PageView }> {
    world.peers.consents.set('alice web', new Set(['openid']))
    world.peers.grants.set('alice web', ['openid'])
    const browser = await signedIn('alice')
    return { browser, page: await open(browser) }
  }

  it('takes back the consent, then ends the grants, and shows what is left', async () => {
    const { browser, page } = await withAccess()
    const answer = await browser.submit(page, { client_id: 'web' })
    expect(answer).toMatchObject({ status: 303, location: '/ui/applications' })
    const asked = { userId: 'alice', clientId: 'web', clientAddress: '127.0.0.1' }
    expect(world.peers.endedAccess).toEqual([
      { by: 'directory', ...asked },
      { by: 'token', ...asked },
    ])
    expect((await browser.follow(answer)).text).toContain('No application has access')
  })

  it('F-15: is refused without the token of the form, and from another browser', async () => {
    const { browser, page } = await withAccess()
    const forged = await browser.submit(page, { client_id: 'web', csrf: 'x' })
    const elsewhere = await (await signedIn('alice')).submit(page, { client_id: 'web' })
    expect([forged.status, elsewhere.status]).toEqual([400, 400])
    expect(world.peers.endedAccess).toEqual([])
  })

  it('is refused when the session has ended meanwhile', async () => {
    const { browser, page } = await withAccess()
    browser.cookies.delete('signet.session')
    expect((await browser.submit(page, { client_id: 'web' })).status).toBe(400)
    expect(world.peers.endedAccess).toEqual([])
  })

  it('says so when it could not be ended, and can be tried again', async () => {
    const { browser, page } = await withAccess()
    world.peers.away.add('token')
    try {
      expect((await browser.submit(page, { client_id: 'web' })).status).toBe(503)
    } finally {
      world.peers.away.clear()
    }
    expect((await browser.submit(page, { client_id: 'web' })).status).toBe(303)
    expect(world.peers.grants.size).toBe(0)
  })
})
