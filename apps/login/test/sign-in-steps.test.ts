import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { asOwner } from './fixtures/directory-rows.ts'
import { type LoginWorld, startLoginWorld } from './fixtures/login-world.ts'
import { PASSWORD } from './fixtures/peers.ts'
import type { PageView, TestBrowser } from './fixtures/test-browser.ts'

let world: LoginWorld

beforeAll(async () => {
  world = await startLoginWorld()
})
beforeEach(async () => {
  await world.redis.flushdb()
  for (const known of ['totpCodes', 'forced', 'enrolled', 'passwordChanges', 'refusedRules'] as const) {
    world.peers[known].clear()
  }
})
afterAll(() => world.stop())

const NEW_PASSWORD = 'Another-horse-10'
const enter = async (browser: TestBrowser, page: PageView, login_name: string): Promise<PageView> =>
  browser.follow(await browser.submit(page, { login_name, password: PASSWORD }))
const signIn = async (browser: TestBrowser, loginName: string, parameters = {}): Promise<PageView> =>
  enter(browser, await world.authorize(browser, parameters), loginName)
const secretOn = (page: PageView): string =>
  /<code id="enrolment-secret"[^>]*>([^<]*)</.exec(page.body)?.[1]?.replaceAll(' ', '') ?? ''

let codes = 100_000
function newCode(): string {
  codes += 1
  world.peers.totpCodes.add(String(codes))
  return String(codes)
}

const silent = async (browser: TestBrowser, parameters = {}): Promise<URLSearchParams> =>
  new URL((await world.authorize(browser, { prompt: 'none', ...parameters })).location).searchParams
const lastSession = () => world.peers.codeRequests.at(-1)?.session
const lastAcr = () => world.peers.codeRequests.at(-1)?.acr

/** Sets a policy of an organization, and waits until sign-in reads it. */
async function withPolicy(
  organizationId: string,
  document: object,
  work: () => Promise<void>,
): Promise<void> {
  const set = (text: string) =>
    asOwner(world.adminUrl, [
      `DELETE FROM directory.organization_policy WHERE organization_id = '${organizationId}'`,
      text,
    ])
  await set(
    `INSERT INTO directory.organization_policy VALUES ('${organizationId}', 'login', '${JSON.stringify(document)}')`,
  )
  try {
    await work()
  } finally {
    await set('SELECT 1')
  }
}

describe('a policy that forces a second factor', () => {
  it('shows a secret after the password of an account without one, and signs in with its first right code', async () => {
    world.peers.forced.add('acme')
    const browser = world.newBrowser()
    const page = await signIn(browser, 'alice', { state: 'mine' })
    expect(page.status).toBe(200)
    expect(page.text).toContain('Add a second factor')
    expect(page.body).toContain('href="otpauth://totp/ACME:alice?secret=')
    const secret = secretOn(page)
    expect(secret).not.toBe('')
    expect(browser.cookies.has('signet.session')).toBe(false)
    // The same secret until it is confirmed: the app may have it already.
    const again = await browser.submit(page, { code: '000000' })
    expect(again).toMatchObject({ status: 400 })
    expect(secretOn(again)).toBe(secret)
    expect((await browser.submit(page, { code: ' ' })).text).toContain('Enter the code')
    expect((await silent(browser)).get('error')).toBe('login_required')
    const answer = await browser.follow(await browser.submit(page, { code: newCode() }))
    expect(new URL(answer.location).searchParams.get('state')).toBe('mine')
    expect(lastSession()).toMatchObject({ userId: 'alice', amr: ['pwd', 'otp', 'mfa'] })
    // From now on the code of the app is asked for.
    expect((await signIn(world.newBrowser(), 'alice')).body).toContain('id="totp-code"')
  })

  it('shows another secret to another sign-in of the same person', async () => {
    world.peers.forced.add('acme')
    const [one, two] = [await signIn(world.newBrowser(), 'alice'), await signIn(world.newBrowser(), 'alice')]
    expect(secretOn(one)).not.toBe(secretOn(two))
  })

  it('holds for people who register', async () => {
    world.peers.forced.add('acme')
    const browser = world.newBrowser()
    const page = await world.authorize(browser, { prompt: 'create' })
    const form = { given_name: 'E', family_name: 'X', email: 'e@x.example', user_name: 'erin' }
    const next = await browser.follow(await browser.submit(page, { ...form, password: PASSWORD }))
    expect(next.body).toContain('id="enrolment-code"')
    expect(browser.cookies.has('signet.session')).toBe(false)
  })

  it('lets nobody past the page: no other browser, no other request, not after ten minutes, not without a password', async () => {
    world.peers.forced.add('acme')
    const browser = world.newBrowser()
    const page = await signIn(browser, 'alice')
    const request = /name="request" value="([^"]*)"/.exec(page.body)?.[1] ?? ''
    const thief = world.newBrowser()
    await world.authorize(thief)
    expect((await thief.follow(await thief.get(`/ui/totp/new?request=${request}`))).body).not.toContain(
      'enrolment-',
    )
    const other = await world.authorize(browser)
    const otherRequest = /name="request" value="([^"]*)"/.exec(other.body)?.[1] ?? ''
    const elsewhere = await browser.follow(await browser.get(`/ui/totp/new?request=${otherRequest}`))
    expect(elsewhere.body).toContain('id="password"')
    world.clock.advance(10 * 60_000 + 1)
    const late = await browser.follow(await browser.submit(page, { code: newCode() }))
    expect(late.body).toContain('id="password"')
    expect(world.peers.enrolled.has('alice')).toBe(false)
  })

  it('asks a session that was made without one', async () => {
    const browser = world.newBrowser()
    await signIn(browser, 'dora')
    await withPolicy('globex', { forceMfa: true }, async () => {
      await expect.poll(async () => (await silent(browser)).get('error')).toBe('interaction_required')
      const page = await world.authorize(browser)
      expect(page.body).toContain('id="enrolment-code"')
      const answer = await browser.follow(await browser.submit(page, { code: newCode() }))
      expect(answer.location).toContain('code=')
      expect(lastSession()?.amr).toEqual(['pwd', 'otp', 'mfa'])
    })
  })

  it('waits after as many failed codes as the policy allows', async () => {
    world.peers.forced.add('acme')
    const browser = world.newBrowser()
    const page = await signIn(browser, 'alice')
    for (let failure = 0; failure < 5; failure += 1) await browser.submit(page, { code: '000000' })
    expect((await browser.submit(page, { code: newCode() })).status).not.toBe(303)
    world.clock.advance(1_000)
    expect((await browser.submit(page, { code: newCode() })).status).toBe(303)
  })
})

describe('a password that has to be changed', () => {
  it('is changed before the sign-in goes on, under the epochs of the new one', async () => {
    world.peers.passwordChanges.add('alice')
    const browser = world.newBrowser()
    const page = await signIn(browser, 'alice', { state: 'mine' })
    expect(page.text).toContain('Choose a new password')
    expect(page.text).toContain('At least 8 characters')
    expect(browser.cookies.has('signet.session')).toBe(false)
    for (const [password, text] of [
      ['', 'Fill in this field'],
      ['short', 'The password is too short'],
      [PASSWORD, 'This is the password that you have now'],
    ] as const) {
      const refused = await browser.submit(page, { password })
      expect(refused.status).toBe(400)
      expect(refused.text).toContain(text)
    }
    expect((await silent(browser)).get('error')).toBe('login_required')
    const answer = await browser.follow(await browser.submit(page, { password: NEW_PASSWORD }))
    expect(new URL(answer.location).searchParams.get('state')).toBe('mine')
    expect(lastSession()).toMatchObject({ userId: 'alice', amr: ['pwd'], userEpoch: 1n })
  })

  it('comes after the second factor, so that a password alone changes nothing', async () => {
    world.peers.passwordChanges.add('tilda')
    const browser = world.newBrowser()
    const page = await signIn(browser, 'tilda')
    expect(page.body).toContain('id="totp-code"')
    const request = /name="request" value="([^"]*)"/.exec(page.body)?.[1] ?? ''
    expect((await browser.follow(await browser.get(`/ui/password?request=${request}`))).body).not.toContain(
      'id="new-password"',
    )
    const next = await browser.follow(await browser.submit(page, { code: newCode() }))
    expect(next.body).toContain('id="new-password"')
    await browser.follow(await browser.submit(next, { password: NEW_PASSWORD }))
    expect(lastSession()).toMatchObject({ userId: 'tilda', amr: ['pwd', 'otp', 'mfa'] })
  })

  it('keeps the page while the directory is away', async () => {
    world.peers.passwordChanges.add('alice')
    const browser = world.newBrowser()
    const page = await signIn(browser, 'alice')
    world.peers.away.add('directory')
    const away = await browser.submit(page, { password: NEW_PASSWORD })
    world.peers.away.clear()
    expect(away.status).toBe(503)
    expect((await browser.submit(page, { password: NEW_PASSWORD })).status).toBe(303)
  })
})

it('a sign-in that a policy forbids is refused with the rule named', async () => {
  world.peers.refusedRules.set('alice', 'password_sign_in_not_allowed')
  const browser = world.newBrowser()
  const page = await signIn(browser, 'alice')
  expect(page.status).toBe(403)
  expect(page.text).toContain('does not allow signing in with a password')
  expect(browser.cookies.has('signet.session')).toBe(false)
})

describe('how long a proof counts', () => {
  it.each([
    ['a password', { passwordCheckLifetime: '3600s' }, 'id="password"'],
    ['a code', { secondFactorCheckLifetime: '3600s' }, 'id="totp-code"'],
    ['both together', { multiFactorCheckLifetime: '3600s' }, 'id="password"'],
  ])('%s', async (_, policy, asked) => {
    world.peers.enrolled.add('dora')
    const browser = world.newBrowser()
    const page = await signIn(browser, 'dora')
    await browser.follow(await browser.submit(page, { code: newCode() }))
    await withPolicy('globex', policy, async () => {
      expect((await silent(browser)).get('code')).not.toBeNull()
      world.clock.advance(3_600_001)
      await expect
        .poll(async () => (await silent(browser)).get('error'))
        .toMatch(/^(login|interaction)_required$/)
      // The policy of the row before may be cached for half a second more.
      await expect.poll(async () => (await world.authorize(browser)).body).toContain(asked)
    })
  })

  it('none where it is zero, except for the request that it was proven for', async () => {
    await withPolicy('globex', { passwordCheckLifetime: '0s' }, async () => {
      const browser = world.newBrowser()
      await signIn(browser, 'dora')
      await expect.poll(async () => (await silent(browser)).get('error')).toBe('login_required')
      expect((await signIn(world.newBrowser(), 'dora')).location).toContain('code=')
    })
  })
})

describe('OIDC Core section 3.1.2.1: acr_values', () => {
  const MFA = 'urn:service:acr:mfa'
  const PWD = 'urn:service:acr:pwd'
  const essential = (...values: string[]) => ({
    claims: JSON.stringify({ id_token: { acr: { essential: true, values } } }),
  })

  it.each([
    ['acr_values', { acr_values: `1 ${MFA} ${PWD}` }],
    ['an essential claim', essential(MFA)],
  ])('%s asks a session without a second factor to add one', async (_, parameters) => {
    const browser = world.newBrowser()
    await signIn(browser, 'alice')
    expect(lastAcr()).toBe(PWD)
    const authTime = lastSession()?.authTime
    world.clock.advance(60_000)
    expect((await silent(browser, parameters)).get('error')).toBe('interaction_required')
    const page = await world.authorize(browser, parameters)
    expect(page.body).toContain('id="enrolment-code"')
    await browser.follow(await browser.submit(page, { code: newCode() }))
    expect(lastAcr()).toBe(MFA)
    // The password is as old as it was.
    expect(lastSession()?.authTime).toEqual(authTime)
    expect((await silent(browser, parameters)).get('code')).not.toBeNull()
  })

  it('asks for the password before a session from long ago adds one', async () => {
    const browser = world.newBrowser()
    await signIn(browser, 'alice')
    world.clock.advance(10 * 60_000 + 1)
    expect((await silent(browser, { acr_values: MFA })).get('error')).toBe('login_required')
    const page = await world.authorize(browser, { acr_values: MFA })
    expect(page.body).toContain('id="password"')
    const request = /name="request" value="([^"]*)"/.exec(page.body)?.[1] ?? ''
    const skipped = await browser.follow(await browser.get(`/ui/totp/new?request=${request}`))
    expect(skipped.body).not.toContain('enrolment-')
    const next = await enter(browser, page, 'alice')
    expect(next.body).toContain('id="enrolment-code"')
    await browser.follow(await browser.submit(next, { code: newCode() }))
    expect(lastAcr()).toBe(MFA)
    world.clock.advance(10 * 60_000 + 1)
    expect((await silent(browser, { acr_values: MFA })).get('code')).not.toBeNull()
  })

  it('asks for the code of an account that has one', async () => {
    const browser = world.newBrowser()
    await signIn(browser, 'bob')
    world.peers.enrolled.add('bob')
    const page = await world.authorize(browser, { acr_values: MFA })
    expect(page.body).toContain('id="totp-code"')
    const answer = await browser.follow(await browser.submit(page, { code: newCode() }))
    expect(answer.location).toContain('code=')
    expect(lastAcr()).toBe(MFA)
  })

  it.each([
    ['the password class first', { acr_values: `${PWD} ${MFA}` }, PWD],
    ['unknown classes', { acr_values: '1 2' }, PWD],
    ['an essential password class', essential(PWD), PWD],
  ])('asks for nothing more with %s', async (_, parameters, acr) => {
    const browser = world.newBrowser()
    await signIn(browser, 'alice')
    expect((await silent(browser, parameters)).get('code')).not.toBeNull()
    expect(lastAcr()).toBe(acr)
  })

  it('answers the class of one factor where only that was asked for', async () => {
    world.peers.enrolled.add('alice')
    const browser = world.newBrowser()
    const page = await signIn(browser, 'alice')
    await browser.follow(await browser.submit(page, { code: newCode() }))
    expect(lastAcr()).toBe(MFA)
    await silent(browser, { acr_values: PWD })
    expect(lastAcr()).toBe(PWD)
  })
})
