import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LOOPBACK } from '@signet/platform/outbound-http/address-policy'
import { ALICE } from '@signet/testing/fixture-user'
import type { HttpBrowser } from '@signet/testing/http-browser'
import { placesFile as placesFileOf } from '@signet/testing/places-file'
import type { InProcessSystem } from '@signet/testing/system/in-process-system'
import { startSystem } from '@signet/testing/system/start-system'
import { PASSWORD } from '@signet/testing/system/test-directory'
import { temporaryFolder } from '@signet/testing/temporary-folder'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let system: InProcessSystem
let folder: string
/** The messages that were sent. */
const messages: { readonly to: string; readonly subject: string; readonly text: string }[] = []

beforeAll(async () => {
  folder = await temporaryFolder('places')
  const placesFile = join(folder, 'places.mmdb')
  await writeFile(placesFile, placesFileOf({ '81.2.69.0/24': MUNICH }))
  system = await startSystem({
    ...{ mode: 'in-process', mailbox: (mail) => messages.push(mail), placesFile },
    trustedProxies: LOOPBACK,
  })
}, 60_000)
afterAll(async () => {
  await system?.stop()
  await rm(folder, { recursive: true })
})

const MUNICH = {
  city: { names: { en: 'Munich', de: 'München' } },
  country: { iso_code: 'DE', names: { en: 'Germany', de: 'Deutschland' } },
}

/** Signs in on the way to the account page, without an application. */
async function signedIn(loginName: string, password = PASSWORD): Promise<HttpBrowser> {
  const browser = system.newBrowser()
  const page = await browser.submit(await browser.open('/ui/account'), { login_name: loginName, password })
  expect([page.status, page.body]).toEqual([200, expect.stringContaining(`${loginName}@acme.localhost`)])
  return browser
}

describe('the sign-in to the account page', () => {
  it('leads from the account page to the sign-in page and back, without an application', async () => {
    const browser = system.newBrowser()
    const signIn = await browser.open('/ui/account')
    expect(signIn.body).toContain('id="login-name"')
    const page = await browser.submit(signIn, { login_name: 'alice', password: PASSWORD })
    expect(page.body).toContain('id="account-login-name"><bdi>alice@acme.localhost')
    expect(page.body).toContain('href="/ui/applications"')
  })

  it('gives its client neither a code nor another redirect URI', async () => {
    const browser = await signedIn('alice')
    const query = new URLSearchParams({
      client_id: ':account',
      redirect_uri: `${system.issuer}/ui/account`,
      response_type: 'code',
      scope: 'openid offline_access',
    })
    const answer = await browser.send(`/oauth/v2/authorize?${query}`)
    expect(answer.headers.get('location')).toMatch(/\/ui\/account\?iss=[^&]*$/)
    query.set('prompt', 'consent')
    const asked = await browser.send(`/oauth/v2/authorize?${query}`)
    expect(asked.headers.get('location')).toMatch(/\/ui\/account\?iss=[^&]*$/)
    query.set('redirect_uri', 'https://elsewhere.example/')
    expect((await browser.send(`/oauth/v2/authorize?${query}`)).status).toBe(400)
  })
})

const NEW_PASSWORD = 'Violet-harbour-27'

/** The sessions of a person, and one of an application, that another browser began. */
async function elsewhere(loginName: string) {
  const browser = await signedIn(loginName)
  const tokens = await system.tokens({ loginName, browser })
  const isAlive = async () => ({
    page: (await browser.open('/ui/account')).body.includes(`${loginName}@acme.localhost`),
    access: await system.isActive(tokens.access_token),
    refresh: (await system.refresh('web', tokens.refresh_token)).status === 200,
  })
  return { browser, isAlive }
}
const DEAD = { page: false, access: false, refresh: false }

const isOpen = async (browser: HttpBrowser, path = '/ui/account') =>
  (await browser.open(path)).body.includes('Signed in as') ||
  (await browser.open(path)).body.includes('account-login-name')

describe('the change of a password', () => {
  it('ends all other sessions and tokens, keeps this session under a new cookie, and refuses the old password', async () => {
    const other = await elsewhere('bob')
    const browser = await signedIn('bob')
    const before = browser.cookies.get('signet.session')
    const form = await browser.open('/ui/account/password')
    const done = await browser.submit(form, { current: PASSWORD, password: NEW_PASSWORD })
    expect([done.status, done.body]).toEqual([200, expect.stringContaining('id="account-done"')])
    expect(await other.isAlive()).toEqual(DEAD)
    expect(await isOpen(browser)).toBe(true)
    expect(browser.cookies.get('signet.session')).not.toBe(before)
    browser.cookies.set('signet.session', before ?? '')
    expect(await isOpen(browser)).toBe(false)
    expect((await system.tryPassword('bob')).status).toBe(400)
    expect((await system.tryPassword('bob', NEW_PASSWORD)).status).toBe(303)
  })

  it('keeps the password where the current one is wrong or a rule is broken, and throttles guesses', async () => {
    const browser = await signedIn('carol')
    const form = await browser.open('/ui/account/password')
    const tried = async (current: string, password: string) =>
      (await browser.submit(form, { current, password })).status
    expect(await tried(PASSWORD, 'short')).toBe(400)
    expect(await tried(PASSWORD, PASSWORD)).toBe(400)
    const guess = () => tried('Wrong-password-1', NEW_PASSWORD)
    for (let count = 0; count < 5; count += 1) expect(await guess()).toBe(400)
    // Each further failure doubles the delay: the last one is longer than any request of a busy machine.
    for (const delaySeconds of [1, 2, 4, 8, 16, 32]) {
      system.clock.advance(delaySeconds * 1000)
      expect(await guess()).toBe(400)
    }
    expect(await guess()).toBe(429)
    expect(await tried(PASSWORD, NEW_PASSWORD)).toBe(429)
  })
})

describe('notices', () => {
  const received = async (subject: string) => {
    const mail = () => messages.find((one) => one.to === ALICE.email.address && one.subject === subject)
    await expect.poll(() => mail() !== undefined, { timeout: 20_000 }).toBe(true)
    return mail()?.text
  }

  it('tell a person of a sign-in in another browser and of a password that they changed', async () => {
    const browser = await signedIn('alice')
    expect(await received('New sign-in to your account')).toContain('alice@acme.localhost')
    const form = await browser.open('/ui/account/password')
    await browser.submit(form, { current: PASSWORD, password: NEW_PASSWORD })
    expect(await received('Your password was changed')).toContain('alice@acme.localhost')
    const again = await browser.open('/ui/account/password')
    await browser.submit(again, { current: NEW_PASSWORD, password: PASSWORD })
    expect((await system.tryPassword('alice')).status).toBe(303)
  })
})

describe('the sessions of a person', () => {
  it('shows this device, ends one other session at once and all others with their tokens', async () => {
    const browser = await signedIn('dora')
    const [one, two] = [await elsewhere('dora'), await elsewhere('dora')]
    const list = await browser.open('/ui/account/sessions')
    expect(list.body.match(/This device/g)).toHaveLength(1)
    const [, ended = ''] = /name="end" value="([^"]+)"/.exec(list.body) ?? []
    await browser.submit(list, { end: ended })
    const pages = [(await one.isAlive()).page, (await two.isAlive()).page]
    expect(pages.filter(Boolean)).toHaveLength(1)
    await browser.submit(await browser.open('/ui/account/sessions'), { others: 'yes' })
    expect([await one.isAlive(), await two.isAlive()]).toEqual([DEAD, DEAD])
    expect(await isOpen(browser)).toBe(true)
  })

  it('ends no session of another person, and none ten minutes after the sign-in without a new proof', async () => {
    const browser = await signedIn('alice')
    const stranger = await elsewhere('dora')
    const [, sid = ''] =
      /name="request" value="([^"]+)"/.exec((await stranger.browser.open('/ui/account/sessions')).body) ?? []
    await browser.submit(await browser.open('/ui/account/sessions'), { end: sid })
    expect((await stranger.isAlive()).page).toBe(true)
    const other = await elsewhere('alice')
    const list = await browser.open('/ui/account/sessions')
    system.clock.advance(11 * 60_000)
    const confirm = await browser.submit(list, { others: 'yes' })
    expect(confirm.body).toContain('id="confirm-password"')
    expect((await other.isAlive()).page).toBe(true)
    const back = await browser.submit(confirm, { password: PASSWORD })
    expect(back.body).toContain('id="end-others"')
    await browser.submit(back, { others: 'yes' })
    expect((await other.isAlive()).page).toBe(false)
  })
})

it('names the place of a network address to the person, in the notice and to administrators', async () => {
  const { json: made } = await system.manage('POST', '/users', {
    ...{ organizationId: 'acme', userName: 'placed', password: PASSWORD },
    profile: { givenName: 'P', familyName: 'L', preferredLanguage: 'de' },
    email: { address: 'placed@example.org', verified: true },
  })
  const browser = system.newBrowser()
  browser.forwardedFor = '81.2.69.160'
  await browser.submit(await browser.open('/ui/account'), { login_name: 'placed', password: PASSWORD })
  const page = await browser.open('/ui/account/sessions')
  expect(page.body).toContain('81.2.69.160</bdi> · <bdi>München, Deutschland</bdi>')
  expect((await system.manage('GET', `/users/${made.id}/sessions`)).json).toMatchObject({
    items: [{ clientAddress: '81.2.69.160', place: 'Munich, Germany' }],
  })
  const notice = () => messages.find(({ to }) => to === 'placed@example.org')?.text
  await expect.poll(notice, { timeout: 20_000 }).toContain('81.2.69.160 (München, Deutschland)')
  const near = await signedIn('placed')
  expect((await near.open('/ui/account/sessions')).body).toContain('127.0.0.1</bdi></p>')
})

describe('the profile', () => {
  it('changes names and language, and refuses what is no name or language', async () => {
    const browser = await signedIn('dora')
    const form = await browser.open('/ui/account/profile')
    const profile = {
      given_name: 'Dora',
      family_name: 'Döring',
      nick_name: '',
      display_name: ' Dora <D> ',
      preferred_language: 'de',
    }
    const done = await browser.submit(form, profile)
    expect(done.body).toContain('id="profile-done"')
    expect(done.body).toContain('value="Dora &lt;D&gt;"')
    const { rows } = await system.database.query({
      name: '',
      text: "SELECT name, nickname, locale, family_name FROM directory_read.account_claims_v1 WHERE user_id = 'dora'",
    })
    expect(rows).toEqual([{ name: 'Dora <D>', nickname: null, locale: 'de', family_name: 'Döring' }])
    for (const wrong of [
      { display_name: '' },
      { given_name: 'a\u0007b' },
      { preferred_language: 'no language' },
    ]) {
      const refused = await browser.submit(form, { ...profile, ...wrong })
      expect([refused.status, refused.body]).toEqual([400, expect.stringContaining('-problem"')])
    }
  })
})

describe('the change of an e-mail address', () => {
  const emailOf = async (userId: string) => {
    const { rows } = await system.database.query({
      name: '',
      text: 'SELECT email, email_verified AS verified FROM directory_read.account_claims_v1 WHERE user_id = $1',
      values: [userId],
    })
    return rows[0]
  }
  async function linkTo(address: string): Promise<string> {
    await expect.poll(() => messages.some(({ to }) => to === address), { timeout: 20_000 }).toBe(true)
    const { text = '' } = messages.findLast(({ to }) => to === address) ?? {}
    return /\/ui\/account\/email\?token=\S+/.exec(text)?.[0] ?? ''
  }
  async function request(browser: HttpBrowser, address: string): Promise<string> {
    const sent = await browser.submit(await browser.open('/ui/account/email'), { address })
    expect(sent.body).toContain('id="code"')
    return linkTo(address)
  }

  it('changes the address when its owner, signed in, confirms the new one, once, and tells the former one', async () => {
    const browser = await signedIn('alice')
    const before = await emailOf('alice')
    const link = await request(browser, 'alice@new.example')
    expect(await emailOf('alice')).toEqual(before)
    const stranger = await signedIn('dora')
    for (const without of [stranger, system.newBrowser()]) {
      const { status, body } = await without.open(link)
      expect([status, body]).toEqual([200, expect.stringContaining('id="email-sign-in"')])
      expect(body).toContain('<bdi>alice@new.example</bdi>')
      expect(body).not.toContain('alice@acme.localhost')
      expect(body).not.toContain('<form')
    }
    const token = new URL(link, system.issuer).searchParams.get('token') ?? ''
    const form = await stranger.open('/ui/account/email')
    expect((await stranger.submit(form, { token })).status).toBe(400)
    const page = await browser.open(link)
    expect(page.body).toContain('<bdi>alice@new.example</bdi>')
    expect(await emailOf('alice')).toEqual(before)
    const done = await browser.submit(page, {})
    expect(done.body).toContain('<bdi>alice@new.example</bdi> (confirmed)')
    expect(await emailOf('alice')).toEqual({ email: 'alice@new.example', verified: true })
    expect((await browser.submit(page, {})).status).toBe(400)
    expect((await browser.open(link)).status).toBe(400)
    const former = (before as { email: string }).email
    await expect.poll(() => messages.some(({ to }) => to === former), { timeout: 20_000 }).toBe(true)
  })

  it('shows the account of the link in a browser with several accounts, whichever signed in last', async () => {
    const browser = await signedIn('alice')
    const link = await request(browser, 'alice@three.example')
    const signIn = `/oauth/v2/authorize?${new URLSearchParams({
      client_id: ':account',
      redirect_uri: `${system.issuer}/ui/account`,
      response_type: 'code',
      scope: 'openid',
      prompt: 'login',
    })}`
    await browser.submit(await browser.open(signIn), { login_name: 'dora', password: PASSWORD })
    expect((await browser.open('/ui/account')).body).toContain('dora@acme.localhost')
    const page = await browser.open(link)
    expect(page.body).toContain('<bdi>alice@acme.localhost</bdi>')
    await browser.submit(page, {})
    expect(await emailOf('alice')).toEqual({ email: 'alice@three.example', verified: true })
  })

  it('refuses a token after another change of the address, and one for another purpose', async () => {
    const browser = await signedIn('alice')
    const first = await request(browser, 'alice@one.example')
    const second = await request(browser, 'alice@two.example')
    expect((await browser.open(first.replace('/account/email', '/email/verify'))).status).toBe(400)
    await browser.submit(await browser.open(second), {})
    expect((await browser.open(first)).status).toBe(400)
    expect(await emailOf('alice')).toEqual({ email: 'alice@two.example', verified: true })
  })

  it('lets an account without an address have one, refuses what is none, and a token of before a sign-out everywhere', async () => {
    const browser = await signedIn('dora')
    const form = await browser.open('/ui/account/email')
    expect((await browser.submit(form, { address: 'no address' })).status).toBe(400)
    const former = await request(browser, 'dora@former.example')
    await browser.submit(await browser.open('/ui/account/sessions'), { others: 'yes' })
    expect((await browser.open(former)).status).toBe(400)
    const link = await request(browser, 'dora@new.example')
    await browser.submit(await browser.open(link), {})
    expect(await emailOf('dora')).toEqual({ email: 'dora@new.example', verified: true })
    // The page is in the language that dora saved in the profile.
    expect((await browser.submit(form, { address: 'Dora@new.example' })).body).toContain(
      'hat diese Adresse schon',
    )
  })
})

it('downloads the data of the account without secrets, after a recent sign-in only', async () => {
  const browser = await signedIn('dora')
  await system.tokens({ loginName: 'dora', browser })
  const page = await browser.open('/ui/account/data')
  const [, link = ''] = /id="data-download" href="([^"]+)"/.exec(page.body) ?? []
  const file = await browser.send(link.replaceAll('&amp;', '&'))
  expect(file.headers.get('content-disposition')).toContain('attachment')
  const data = JSON.parse(file.body)
  expect(data).toMatchObject({
    account: { userId: 'dora', loginName: 'dora@acme.localhost' },
    applications: [{ clientId: 'web' }],
    passkeys: [],
    secondFactors: { authenticatorApp: false, recoveryCodesLeft: 0, trustedBrowsers: false },
  })
  expect(data.sessions.filter(({ thisDevice }: { thisDevice: boolean }) => thisDevice)).toHaveLength(1)
  expect(data.activity.map(({ action }: { action: string }) => action)).toEqual(
    expect.arrayContaining(['user.update', 'sign_in']),
  )
  expect(file.body).not.toMatch(/hash|secret|argon/i)
  system.clock.advance(11 * 60_000)
  expect((await browser.open(link.replaceAll('&amp;', '&'))).body).toContain('id="confirm-password"')
})

describe('the deletion of the own account', () => {
  const page = (browser: HttpBrowser) => browser.open('/ui/account/delete')

  it('needs the login name, ends everything at once and is on record', async () => {
    const other = await elsewhere('carol')
    const browser = await signedIn('carol')
    const form = await page(browser)
    expect((await browser.submit(form, { login_name: 'dora@acme.localhost' })).status).toBe(400)
    expect((await other.isAlive()).access).toBe(true)
    const done = await browser.submit(form, { login_name: ' Carol@acme.localhost' })
    expect([done.status, done.body]).toEqual([200, expect.stringContaining('id="deletion-done"')])
    expect(await other.isAlive()).toEqual(DEAD)
    expect(await isOpen(browser)).toBe(false)
    expect((await system.tryPassword('carol')).status).toBe(400)
    expect((await system.manage('GET', '/users/carol')).status).toBe(404)
    const { json } = await system.manage('GET', '/audit?action=user.delete')
    expect(json).toMatchObject({ items: [{ actor: { id: 'carol' }, target: { id: 'carol' } }] })
  })

  it('is refused ten minutes after the sign-in without a new proof, and to administrators', async () => {
    const browser = await signedIn('dora')
    const form = await page(browser)
    system.clock.advance(11 * 60_000)
    const confirm = await browser.submit(form, { login_name: 'dora@acme.localhost' })
    expect(confirm.body).toContain('id="confirm-password"')
    const back = await browser.submit(confirm, { password: PASSWORD })
    expect(back.body).toContain('id="deletion-login-name"')
    const member = await system.manage('PUT', '/organizations/acme/members/dora', { roles: ['ORG_OWNER'] })
    expect(member.status).toBeLessThan(300)
    const refused = await browser.submit(back, { login_name: 'dora@acme.localhost' })
    expect([refused.status, refused.body]).toEqual([403, expect.stringContaining('id="deletion-forbidden"')])
    expect((await page(browser)).status).toBe(403)
    expect((await system.manage('GET', '/users/dora')).status).toBe(200)
  })
})
