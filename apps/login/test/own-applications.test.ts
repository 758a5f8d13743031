import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { PageView, TestBrowser } from './browser.ts'
import { PASSWORD } from './fake-services.ts'
import { asOwner, startTestEnvironment, type TestEnvironment } from './setup.ts'

let env: TestEnvironment

beforeAll(async () => {
  env = await startTestEnvironment()
})
afterAll(() => env.stop())
beforeEach(() => {
  env.fakes.grants.clear()
  env.fakes.consents.clear()
  env.fakes.endedAccess.splice(0)
})

async function signedIn(...loginNames: string[]): Promise<TestBrowser> {
  const browser = env.newBrowser()
  for (const loginName of loginNames) {
    await env.signIn(browser, await env.authorize(browser, { prompt: 'login' }), loginName)
  }
  return browser
}
const open = (browser: TestBrowser) => browser.get('/ui/applications')

describe('the page of applications with access [F-38]', () => {
  it('lists each application with a consent or a grant once, by name, with its scopes', async () => {
    env.fakes.consents.set('user1 web', new Set(['openid', 'email']))
    env.fakes.grants.set('user1 web', ['openid', 'offline_access'])
    env.fakes.grants.set('user1 spa', ['openid'])
    env.fakes.grants.set('user1 long-gone', ['openid'])
    env.fakes.grants.set('user2 native', ['openid'])
    const page = await open(await signedIn('user1'))
    expect(page.status).toBe(200)
    expect(page.text).toContain('user1@acme.localhost')
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

  it('says which of them another service lets act for the person', async () => {
    env.fakes.grants.set('user1 web', ['openid'])
    env.fakes.grants.set('user1 spa', ['openid'])
    env.fakes.assertedGrants.add('user1 spa')
    const page = await open(await signedIn('user1'))
    env.fakes.assertedGrants.clear()
    expect(
      page.text.match(/Another service where you sign in lets this application act for you/g),
    ).toHaveLength(1)
    expect(page.text).toMatch(
      /Portal SPA .*Another service .* sign in there again\. End access of Portal SPA/,
    )
  })

  it('links to the beginning of an application that names one', async () => {
    await asOwner(env.adminUrl, [
      `UPDATE directory.application SET home_page = 'https://spa.localhost/', initiate_login_uri = 'https://spa.localhost/login' WHERE client_id = 'codeless'`,
      `UPDATE directory.application SET home_page = 'https://old.localhost/' WHERE client_id = 'implicit'`,
    ])
    for (const client of ['codeless', 'implicit', 'web']) env.fakes.grants.set(`user1 ${client}`, ['openid'])
    const page = await open(await signedIn('user1'))
    const links = [...page.body.matchAll(/<h3>(?:<a [^>]*href="([^"]*)"[^>]*>)?<bdi>([^<]*)/g)]
    expect(links.map(([, url, name]) => [name, url])).toEqual([
      [
        'No grant',
        'https://spa.localhost/login?iss=http%3A%2F%2Flocalhost%3A8080&amp;target_link_uri=https%3A%2F%2Fspa.localhost%2F',
      ],
      ['Old SPA', 'https://old.localhost/'],
      ['Portal &lt;web&gt;', undefined],
    ])
  })

  it('leads to the confirmation of an address that is not confirmed, and says nothing of others', async () => {
    const unconfirmed = async () => {
      const { body } = await open(await signedIn('user1'))
      const [, path = ''] = /<a id="unconfirmed-1" href="([^"]*)"/.exec(body) ?? []
      return path
    }
    const setAddress = (values: string) =>
      asOwner(env.adminUrl, [`UPDATE directory.account SET ${values} WHERE user_id = 'user1'`])
    expect(await unconfirmed()).toBe('')
    await setAddress(`email = 'user1@acme.example', email_key = 'user1@acme.example', email_verified = false`)
    await expect.poll(unconfirmed).toMatch(/^\/ui\/account\?/)
    await setAddress('email_verified = true')
    await expect.poll(unconfirmed).toBe('')
    await setAddress('email = NULL, email_key = NULL, email_verified = false')
  })

  it('has a section for each account of the browser', async () => {
    env.fakes.grants.set('globex1 web', ['openid'])
    const page = await open(await signedIn('user1', 'globex1'))
    expect(page.text).toMatch(
      /globex1@globex.localhost Portal &lt;web&gt;.* user1@acme.localhost No application/,
    )
  })

  it('leads a browser without a session to the sign-in and back', async () => {
    env.fakes.grants.set('user1 web', ['openid'])
    for (const browser of [env.newBrowser(), await signedOut()]) {
      const signIn = await browser.follow(await open(browser))
      expect(signIn).toMatchObject({ status: 200, text: expect.stringContaining('Login name') })
      const answer = await browser.follow(
        await browser.submit(signIn, { login_name: 'user1', password: PASSWORD }),
      )
      expect(new URL(answer.location).pathname).toBe('/ui/applications')
      const page = await open(browser)
      expect(page).toMatchObject({ status: 200, text: expect.stringContaining('Portal &lt;web&gt;') })
    }
  })

  it('uses the language of the browser', async () => {
    const browser = await signedIn('user1')
    browser.acceptLanguage = 'de-CH'
    expect((await open(browser)).text).toContain('Keine Anwendung hat Zugriff')
  })

  it('is linked from the consent page', async () => {
    const page = await env.authorize(await signedIn('user1'), { prompt: 'consent' })
    expect(page.body).toContain('href="/ui/applications"')
  })
})

async function signedOut(): Promise<TestBrowser> {
  const browser = await signedIn('user1')
  browser.cookies.delete('signet.session')
  return browser
}

describe('ending access [F-38]', () => {
  async function withAccess(): Promise<{ browser: TestBrowser; page: PageView }> {
    env.fakes.consents.set('user1 web', new Set(['openid']))
    env.fakes.grants.set('user1 web', ['openid'])
    const browser = await signedIn('user1')
    return { browser, page: await open(browser) }
  }

  it('withdraws the consent, then ends the grants, and lists the remaining applications', async () => {
    const { browser, page } = await withAccess()
    const answer = await browser.submit(page, { client_id: 'web' })
    expect(answer).toMatchObject({ status: 303, location: '/ui/applications' })
    const asked = { userId: 'user1', clientId: 'web', clientAddress: '127.0.0.1' }
    expect(env.fakes.endedAccess).toEqual([
      { by: 'directory', ...asked },
      { by: 'token', ...asked },
    ])
    expect((await browser.follow(answer)).text).toContain('No application has access')
  })

  it('is rejected without the form token and from another browser [F-15]', async () => {
    const { browser, page } = await withAccess()
    const forged = await browser.submit(page, { client_id: 'web', csrf: 'x' })
    const elsewhere = await (await signedIn('user1')).submit(page, { client_id: 'web' })
    expect([forged.status, elsewhere.status]).toEqual([400, 400])
    expect(env.fakes.endedAccess).toEqual([])
  })

  it('is rejected when the session has ended', async () => {
    const { browser, page } = await withAccess()
    browser.cookies.delete('signet.session')
    expect((await browser.submit(page, { client_id: 'web' })).status).toBe(400)
    expect(env.fakes.endedAccess).toEqual([])
  })

  it('returns an error when it failed, and can be repeated', async () => {
    const { browser, page } = await withAccess()
    env.fakes.away.add('token')
    try {
      expect((await browser.submit(page, { client_id: 'web' })).status).toBe(503)
    } finally {
      env.fakes.away.clear()
    }
    expect((await browser.submit(page, { client_id: 'web' })).status).toBe(303)
    expect(env.fakes.grants.size).toBe(0)
  })
})
