import { timestampDate } from '@bufbuild/protobuf/wkt'
import { ACR_MFA } from '@signet/protocol/authorization-parameters'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { PATHS } from '../src/pages/paths.ts'
import type { PageView, TestBrowser } from './browser.ts'
import { PASSWORD } from './fake-services.ts'
import { asOwner, startTestEnvironment, type TestEnvironment } from './setup.ts'
import { hiddenFields } from './upstream-pages.ts'

let env: TestEnvironment
let other: number
beforeAll(async () => {
  env = await startTestEnvironment()
  await asOwner(env.adminUrl, [
    `UPDATE directory.application SET may_call_api = true WHERE client_id = 'web-in-development'`,
  ])
  other = await env.startReplica()
})
afterAll(() => env?.stop())
beforeEach(async () => {
  await env.redis.flushdb()
  env.fakes.impersonations.clear()
  for (const list of [env.fakes.codeRequests, env.fakes.endedSids, env.fakes.administrators]) list.splice(0)
})

const TOKEN = 'x'.repeat(43)
const HOUR_MS = 3_600_000
const link = (token = TOKEN) => `${PATHS.impersonation}?token=${token}`

interface Link {
  readonly token?: string
  readonly administratorId?: string
  readonly userId?: string
  readonly refused?: string
}

function make({ token = TOKEN, administratorId = 'user1', userId = 'user2', ...more }: Link = {}) {
  const endsAt = new Date(env.clock.now().getTime() + HOUR_MS)
  env.fakes.impersonations.set(token, { administratorId, userId, endsAt, ...more })
}

async function administrator(loginName = 'user1'): Promise<TestBrowser> {
  const browser = env.newBrowser()
  await env.signIn(browser, await env.authorize(browser), loginName)
  env.fakes.codeRequests.splice(0)
  return browser
}

const start = async (browser: TestBrowser, token = TOKEN): Promise<PageView> =>
  browser.post(PATHS.impersonation, hiddenFields((await browser.get(link(token))).body))

/** A browser of user1, who acts as `userId` in it. */
async function acting(userId = 'user2', token = TOKEN): Promise<TestBrowser> {
  const browser = await administrator()
  make({ userId, token })
  const begun = await start(browser, token)
  expect([begun.status, begun.location]).toEqual([303, PATHS.impersonation])
  return browser
}

/** A page without its banner, which has a form too. */
const mainOf = ({ body }: PageView): string => body.slice(body.indexOf('<main>'))

/** The page or response of a request for which the person is chosen. */
async function choosePerson(browser: TestBrowser, page: PageView): Promise<PageView> {
  const sid = /value="([^"]*)"[^>]*>(?:(?!<\/button>).)*You act as this person/.exec(page.body)?.[1]
  if (sid === undefined) throw new Error(`nobody is offered: ${page.text}`)
  return browser.follow(await browser.post(PATHS.accounts, { ...hiddenFields(mainOf(page)), sid }))
}

const actAs = async (browser: TestBrowser, parameters = {}) =>
  choosePerson(browser, await env.authorize(browser, parameters))

/** A session of the account in another browser. */
async function otherSessionOf(browser: TestBrowser): Promise<string> {
  const { body } = await browser.get(PATHS.ownSessions)
  return /name="end" value="([^"]*)"/.exec(body)?.[1] ?? ''
}

const impersonatedSid = () => env.fakes.codeRequests.at(-1)?.session?.sid ?? ''

describe('the page of a link', () => {
  it('says who becomes whom and why, and begins the session in place of no other', async () => {
    make()
    const browser = await administrator()
    const page = await browser.get(link())
    expect(page.text).toContain('user1@acme.localhost, sign in as user2@acme.localhost (ACME)')
    expect(page.text).toContain('Ticket 4711 &lt;b&gt;')
    const answer = await actAs(await acting())
    expect(answer.location).toContain('code=')
  })

  it('gives the application the person and the administrator, and no method of the person', async () => {
    const browser = await acting()
    await actAs(browser)
    const [request] = env.fakes.codeRequests
    expect(request?.acr).toBeUndefined()
    expect(request?.session).toMatchObject({
      ...{ userId: '', organizationId: 'acme', amr: [] },
      impersonation: { administratorId: 'user1', userId: 'user2', impersonationId: 'of-xxxxxxxx' },
    })
    const endsAt = request?.session?.impersonation?.endsAt
    expect(endsAt && timestampDate(endsAt)).toEqual(new Date(env.clock.now().getTime() + HOUR_MS))
  })

  it('counts in a browser with a session of its administrator alone', async () => {
    make()
    const stranger = await env.newBrowser().get(link())
    expect([stranger.status, stranger.text]).toEqual([
      403,
      expect.stringContaining('account that made this link'),
    ])
    expect((await (await administrator('user2')).get(link())).status).toBe(403)
    expect(stranger.text).not.toContain('user2@acme.localhost')
  })

  it('needs an administrator who signed in a short time ago', async () => {
    const browser = await administrator()
    env.clock.advance(10 * 60_000 + 1)
    make()
    expect((await browser.get(link())).status).toBe(403)
    await env.signIn(browser, await env.authorize(browser, { prompt: 'login' }))
    expect((await browser.get(link())).status).toBe(200)
  })

  it('needs a factor that the administrator has, as a change of the own account does', async () => {
    const browser = await administrator()
    make()
    const form = hiddenFields((await browser.get(link())).body)
    env.fakes.enrolled.add('user1')
    try {
      expect((await browser.post(PATHS.impersonation, form)).status).toBe(403)
      const page = await browser.get(link())
      expect([page.status, page.text]).toEqual([403, expect.stringContaining('with your second factor')])
      const [, path = ''] = /id="impersonation-confirm" href="([^"]*)"/.exec(page.body) ?? []
      env.fakes.totpCodes.add('123456')
      const asked = await browser.get(path.replaceAll('&amp;', '&'))
      await browser.submit(asked, { password: PASSWORD, code: '123456' })
      expect((await browser.get(link())).status).toBe(200)
    } finally {
      env.fakes.enrolled.delete('user1')
    }
  })

  it('counts once, also in two browsers of two replicas at the same time', async () => {
    const [one, two] = [await administrator(), await administrator()]
    make()
    const forms = await Promise.all(
      [one, two].map(async (browser) => hiddenFields((await browser.get(link())).body)),
    )
    const cookie = [...two.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const [first, second] = await Promise.all([
      one.post(PATHS.impersonation, forms[0] ?? {}),
      fetch(`http://127.0.0.1:${other}${PATHS.impersonation}`, {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie, 'sec-fetch-site': 'same-origin' },
        body: new URLSearchParams(forms[1]),
      }),
    ])
    expect([first.status, second.status].sort()).toEqual([303, 400])
    expect((await one.get(link())).status).toBe(400)
  })

  it('takes no form of another page', async () => {
    make()
    const browser = await administrator()
    await browser.get(link())
    expect((await browser.post(PATHS.impersonation, { request: TOKEN, csrf: 'forged' })).status).toBe(400)
    expect(env.fakes.impersonations.has(TOKEN)).toBe(true)
  })

  it('says so when a rule does not hold any more', async () => {
    const browser = await administrator()
    make({ ...{ refused: 'impersonation_off' } })
    expect((await start(browser)).status).toBe(403)
    expect((await env.authorize(browser)).location).toContain('code=')
  })

  it('begins none beside another', async () => {
    const browser = await acting()
    make({ token: 'y'.repeat(43), userId: 'user3' })
    expect((await browser.get(link('y'.repeat(43)))).status).toBe(409)
  })
})

describe('the banner', () => {
  it('is on every page of the browser, without a script, and ends the session in the name of the administrator', async () => {
    const browser = await acting()
    await actAs(browser)
    const sid = impersonatedSid()
    for (const path of [PATHS.account, PATHS.ownSessions, PATHS.impersonation, '/ui/nowhere']) {
      const page = await browser.follow(await browser.get(path))
      expect(page.text).toContain('user1@acme.localhost acts as user2@acme.localhost in this browser.')
      expect(page.text).toContain('Ticket 4711 &lt;b&gt;')
    }
    const page = await browser.get(PATHS.impersonation)
    const ended = await browser.submit(page)
    expect([ended.status, ended.location]).toEqual([303, PATHS.account])
    expect(env.fakes.endedSids).toEqual([sid])
    expect(env.fakes.administrators).toEqual(['user1'])
    expect((await browser.get(PATHS.account)).text).not.toContain('acts as')
    expect((await env.authorize(browser)).location).toContain('code=')
    expect(env.fakes.codeRequests.at(-1)?.session?.userId).toBe('user1')
  })

  it('is on no page of another browser, also of the person', async () => {
    await acting()
    const person = await administrator('user2')
    const page = await person.get(PATHS.ownSessions)
    expect(page.text).not.toContain('acts as')
    expect(page.text).toContain(
      'Opened by user1@acme.localhost, an administrator. Reason: Ticket 4711 &lt;b&gt;',
    )
  })
})

describe('the session', () => {
  it.each([
    [
      'consent',
      { client_id: 'lunch-menu', redirect_uri: 'https://lunch.localhost/callback' },
      'has not allowed this application',
    ],
    ['prompt=consent', { prompt: 'consent select_account' }, 'has not allowed this application'],
    ['acr_values', { acr_values: ACR_MFA, prompt: 'select_account' }, 'only the person can give'],
    ['max_age', { max_age: '0' }, 'only the person can give'],
    [
      'our own APIs',
      { client_id: 'web-in-development', scope: 'openid urn:zitadel:iam:org:project:id:zitadel:aud' },
      'cannot administer',
    ],
  ])('refuses %s with a page, and the application gets nothing', async (_, parameters, text) => {
    const page = await actAs(await acting(), parameters)
    expect([page.status, page.location]).toEqual([403, ''])
    expect(page.text).toContain(text)
    expect(page.text).toContain('acts as')
    expect(env.fakes.codeRequests).toEqual([])
  })

  it('tells the application where no page may be shown', async () => {
    const browser = await acting()
    const hint = await env.fakes.idToken({ sub: 'user2' })
    const answer = await env.authorize(browser, { prompt: 'none', id_token_hint: hint, acr_values: ACR_MFA })
    expect(new URL(answer.location).searchParams.get('error')).toBe('access_denied')
    expect((await env.authorize(browser, { prompt: 'none', id_token_hint: hint })).location).toContain(
      'code=',
    )
  })

  it('obeys the policy about factors with what the administrator has proven', async () => {
    const browser = await acting()
    const forced = (value: boolean) =>
      asOwner(env.adminUrl, [
        `INSERT INTO directory.organization_policy VALUES ('acme', 'login', '{"forceMfa": ${value}}')
             ON CONFLICT (organization_id, kind) DO UPDATE SET document = excluded.document`,
      ])
    await forced(true)
    await expect.poll(async () => (await actAs(browser)).status).toBe(403)
    await forced(false)
    await expect.poll(async () => (await actAs(browser)).location).toContain('code=')
  })

  it('is not one of the account pages', async () => {
    const browser = await acting()
    await actAs(browser)
    const sid = impersonatedSid()
    for (const path of [
      PATHS.account,
      PATHS.ownPassword,
      PATHS.factors,
      PATHS.passkeys,
      PATHS.ownData,
      PATHS.ownDeletion,
      PATHS.ownEmail,
      PATHS.ownLinks,
      PATHS.applications,
    ]) {
      const page = await browser.follow(await browser.get(`${path}?account=${sid}`))
      expect([path, mainOf(page).includes('user2@acme.localhost')]).toEqual([path, false])
    }
    const confirm = await browser.get(`${PATHS.confirm}?account=${sid}`)
    expect(confirm.status).toBe(400)
  })

  it('approves no device', async () => {
    const browser = await acting()
    const { user_code: code } = await env.beginDevice()
    const typed = await browser.get(`${PATHS.device}?user_code=${code}`)
    const form = hiddenFields(mainOf(typed))
    const page = await browser.follow(await browser.post(PATHS.device, { ...form, user_code: code }))
    expect((await choosePerson(browser, page)).status).toBe(403)
    expect([...env.fakes.devices.values()].map(({ state }) => state)).not.toContain('approved')
  })

  it('is never the session of the person: neither takes the place of the other', async () => {
    const browser = await acting()
    const signIn = await env.authorize(browser, { prompt: 'login' })
    await env.signIn(browser, { ...signIn, body: mainOf(signIn) }, 'user2')
    const page = await env.authorize(browser, { prompt: 'select_account' })
    expect(page.body.match(/user2@acme\.localhost<\/bdi><\/span>/g)).toHaveLength(2)
    await choosePerson(browser, page)
    expect(env.fakes.codeRequests.at(-1)?.session?.impersonation?.userId).toBe('user2')
    expect(env.fakes.codeRequests.at(-2)?.session).toMatchObject({ userId: 'user2', amr: ['pwd'] })
  })

  it('ends after an hour', async () => {
    const browser = await acting()
    env.clock.advance(HOUR_MS - 1)
    expect((await env.authorize(browser)).text).toContain('You act as this person')
    env.clock.advance(1)
    expect((await env.authorize(browser)).location).toContain('code=')
  })

  // Readers keep an ending for a day, so each of these ends something that no later test uses.
  it.each([
    ['the impersonation', 'p', 'impersonation of-ended', 0n],
    ['the administrator', 'u', 'user1', 1n],
    ['the person', 'u', 'user2', 1n],
  ])('ends with %s', async (_, kind, id, raised) => {
    const browser = await acting('user2', 'ended')
    env.fakes.epochs.user += raised
    await asOwner(env.adminUrl, [
      `INSERT INTO grants.revocation (day, kind, id, value, until)
       VALUES (1, '${kind}', '${id}', ${env.fakes.epochs.user || 1n}, now() + interval '1 day')`,
    ])
    expect((await browser.get(PATHS.impersonation)).location).not.toBe('')
  })

  it('ends for its applications too when the administrator ends the own session in another browser', async () => {
    const browser = await acting()
    await actAs(browser)
    const sid = impersonatedSid()
    const another = await administrator()
    await another.submit(await another.get(PATHS.ownSessions), { end: await otherSessionOf(another) })
    expect(env.fakes.endedSids).toContain(sid)
    expect(env.fakes.administrators).toEqual(['user1'])
    expect((await env.authorize(browser)).body).toContain('id="login-name"')
  })

  it('ends in the name of the administrator by its ID token in another browser', async () => {
    const browser = await acting()
    await actAs(browser)
    const sid = impersonatedSid()
    const hint = await env.fakes.idToken({ sub: 'user2', sid, act: { sub: 'user1' } })
    const another = await administrator('user2')
    const page = await another.get(`${PATHS.endSession}?${new URLSearchParams({ id_token_hint: hint })}`)
    await another.post(PATHS.logout, hiddenFields((await another.follow(page)).body))
    expect(env.fakes.endedSids).toContain(sid)
    expect(env.fakes.administrators).toEqual(['user1'])
    expect((await browser.get(PATHS.account)).text).not.toContain('acts as')
  })

  it('ends for its applications with an ID token of the administrator in another browser', async () => {
    const browser = await administrator()
    await env.authorize(browser)
    const own = env.fakes.codeRequests.at(-1)?.session?.sid
    make()
    await start(browser)
    await actAs(browser)
    const sid = impersonatedSid()
    const hint = await env.fakes.idToken({ sub: 'user1', sid: own })
    const another = await administrator('user2')
    const page = await another.get(`${PATHS.endSession}?${new URLSearchParams({ id_token_hint: hint })}`)
    await another.post(PATHS.logout, hiddenFields((await another.follow(page)).body))
    expect(env.fakes.endedSids).toEqual(expect.arrayContaining([own, sid]))
    expect(env.fakes.administrators).toEqual(['user1'])
  })

  it('ends with the session of the administrator, whose sign-out ends it too', async () => {
    const browser = await acting()
    await actAs(browser)
    const sid = impersonatedSid()
    const page = await browser.get(PATHS.logout)
    const form = hiddenFields(mainOf(page))
    await browser.post(PATHS.logout, form)
    expect(env.fakes.endedSids).toHaveLength(2)
    expect(env.fakes.endedSids).toContain(sid)
    expect(env.fakes.administrators).toEqual(['user1'])
    expect((await env.authorize(browser)).body).toContain('id="login-name"')
  })
})
