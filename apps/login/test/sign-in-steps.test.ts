import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { PageView, TestBrowser } from './browser.ts'
import { PASSWORD } from './fake-services.ts'
import { asOwner, startTestEnvironment, type TestEnvironment } from './setup.ts'

let env: TestEnvironment

beforeAll(async () => {
  env = await startTestEnvironment()
})
beforeEach(async () => {
  await env.redis.flushdb()
  for (const known of ['totpCodes', 'forced', 'enrolled', 'passwordChanges', 'refusedRules'] as const) {
    env.fakes[known].clear()
  }
})
afterAll(() => env.stop())

const NEW_PASSWORD = 'Another-horse-10'
const enter = async (browser: TestBrowser, page: PageView, login_name: string): Promise<PageView> =>
  browser.follow(await browser.submit(page, { login_name, password: PASSWORD }))
const signIn = async (browser: TestBrowser, loginName: string, parameters = {}): Promise<PageView> =>
  enter(browser, await env.authorize(browser, parameters), loginName)
const secretOn = (page: PageView): string =>
  /<code id="enrolment-secret"[^>]*>([^<]*)</.exec(page.body)?.[1]?.replaceAll(' ', '') ?? ''

let codes = 100_000
function newCode(): string {
  codes += 1
  env.fakes.totpCodes.add(String(codes))
  return String(codes)
}

/** Adds the second factor of a page, and leaves the page with the recovery codes. */
async function enrol(browser: TestBrowser, page: PageView): Promise<PageView> {
  const shown = await browser.submit(page, { code: newCode() })
  expect(shown.body.match(/<li><code /g)).toHaveLength(10)
  const [, path = ''] = /id="recovery-codes-kept" href="([^"]+)"/.exec(shown.body) ?? []
  return browser.follow(await browser.get(path))
}

const silent = async (browser: TestBrowser, parameters = {}): Promise<URLSearchParams> =>
  new URL((await env.authorize(browser, { prompt: 'none', ...parameters })).location).searchParams
const lastSession = () => env.fakes.codeRequests.at(-1)?.session
const lastAcr = () => env.fakes.codeRequests.at(-1)?.acr

/** Sets a policy of an organization, and waits until sign-in reads it. */
async function withPolicy(
  organizationId: string,
  document: object,
  work: () => Promise<void>,
): Promise<void> {
  const set = (text: string) =>
    asOwner(env.adminUrl, [
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

describe('a policy that requires a second factor', () => {
  it('shows a secret after the password of an account without one, and signs in after its first correct code', async () => {
    env.fakes.forced.add('acme')
    const browser = env.newBrowser()
    const page = await signIn(browser, 'user1', { state: 'mine' })
    expect(page.status).toBe(200)
    expect(page.text).toContain('Add a second factor')
    expect(page.body).toContain('href="otpauth://totp/ACME:user1?secret=')
    const secret = secretOn(page)
    expect(secret).not.toBe('')
    expect(browser.cookies.has('signet.session')).toBe(false)
    // The secret stays the same until it is confirmed, because the app may have stored it.
    const again = await browser.submit(page, { code: '000000' })
    expect(again).toMatchObject({ status: 400 })
    expect(secretOn(again)).toBe(secret)
    expect((await browser.submit(page, { code: ' ' })).text).toContain('Enter the code')
    expect((await silent(browser)).get('error')).toBe('login_required')
    const answer = await enrol(browser, page)
    expect(new URL(answer.location).searchParams.get('state')).toBe('mine')
    expect(lastSession()).toMatchObject({ userId: 'user1', amr: ['pwd', 'otp', 'mfa'] })
    // From here on the code of the app is required.
    expect((await signIn(env.newBrowser(), 'user1')).body).toContain('id="totp-code"')
  })

  it('shows another secret to another sign-in of the same user', async () => {
    env.fakes.forced.add('acme')
    const [one, two] = [await signIn(env.newBrowser(), 'user1'), await signIn(env.newBrowser(), 'user1')]
    expect(secretOn(one)).not.toBe(secretOn(two))
  })

  it('applies to new accounts', async () => {
    env.fakes.forced.add('acme')
    const browser = env.newBrowser()
    const page = await env.authorize(browser, { prompt: 'create' })
    const form = { given_name: 'E', family_name: 'X', email: 'e@x.example', user_name: 'user4' }
    const next = await browser.follow(await browser.submit(page, { ...form, password: PASSWORD }))
    expect(next.body).toContain('id="enrolment-code"')
    expect(browser.cookies.has('signet.session')).toBe(false)
  })

  it('rejects another browser, another request, a proof older than ten minutes and a missing password', async () => {
    env.fakes.forced.add('acme')
    const browser = env.newBrowser()
    const page = await signIn(browser, 'user1')
    const request = /name="request" value="([^"]*)"/.exec(page.body)?.[1] ?? ''
    const thief = env.newBrowser()
    await env.authorize(thief)
    expect((await thief.follow(await thief.get(`/ui/totp/new?request=${request}`))).body).not.toContain(
      'enrolment-',
    )
    const other = await env.authorize(browser)
    const otherRequest = /name="request" value="([^"]*)"/.exec(other.body)?.[1] ?? ''
    const elsewhere = await browser.follow(await browser.get(`/ui/totp/new?request=${otherRequest}`))
    expect(elsewhere.body).toContain('id="password"')
    env.clock.advance(10 * 60_000 + 1)
    const late = await browser.follow(await browser.submit(page, { code: newCode() }))
    expect(late.body).toContain('id="password"')
    expect(env.fakes.enrolled.has('user1')).toBe(false)
  })

  it('asks a session without a second factor', async () => {
    const browser = env.newBrowser()
    await signIn(browser, 'globex1')
    await withPolicy('globex', { forceMfa: true }, async () => {
      await expect.poll(async () => (await silent(browser)).get('error')).toBe('interaction_required')
      const page = await env.authorize(browser)
      expect(page.body).toContain('id="enrolment-code"')
      const answer = await enrol(browser, page)
      expect(answer.location).toContain('code=')
      expect(lastSession()?.amr).toEqual(['pwd', 'otp', 'mfa'])
    })
  })

  it('delays codes after the number of failures of the policy', async () => {
    env.fakes.forced.add('acme')
    const browser = env.newBrowser()
    const page = await signIn(browser, 'user1')
    for (let failure = 0; failure < 5; failure += 1) await browser.submit(page, { code: '000000' })
    expect((await browser.submit(page, { code: newCode() })).status).toBe(429)
    env.clock.advance(1_000)
    expect((await enrol(browser, page)).location).toContain('code=')
  })
})

describe('a required password change', () => {
  it('happens before the sign-in continues, with the epochs of the new password', async () => {
    env.fakes.passwordChanges.add('user1')
    const browser = env.newBrowser()
    const page = await signIn(browser, 'user1', { state: 'mine' })
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
    expect(lastSession()).toMatchObject({ userId: 'user1', amr: ['pwd'], userEpoch: 1n })
  })

  it('follows the second factor, so that the password alone changes nothing', async () => {
    env.fakes.passwordChanges.add('totpuser')
    const browser = env.newBrowser()
    const page = await signIn(browser, 'totpuser')
    expect(page.body).toContain('id="totp-code"')
    const request = /name="request" value="([^"]*)"/.exec(page.body)?.[1] ?? ''
    expect((await browser.follow(await browser.get(`/ui/password?request=${request}`))).body).not.toContain(
      'id="new-password"',
    )
    const next = await browser.follow(await browser.submit(page, { code: newCode() }))
    expect(next.body).toContain('id="new-password"')
    await browser.follow(await browser.submit(next, { password: NEW_PASSWORD }))
    expect(lastSession()).toMatchObject({ userId: 'totpuser', amr: ['pwd', 'otp', 'mfa'] })
  })

  it('keeps the page while the directory is unavailable', async () => {
    env.fakes.passwordChanges.add('user1')
    const browser = env.newBrowser()
    const page = await signIn(browser, 'user1')
    env.fakes.away.add('directory')
    const away = await browser.submit(page, { password: NEW_PASSWORD })
    env.fakes.away.clear()
    expect(away.status).toBe(503)
    expect((await browser.submit(page, { password: NEW_PASSWORD })).status).toBe(303)
  })
})

it('rejects a sign-in that a policy forbids and names the policy in the response', async () => {
  env.fakes.refusedRules.set('user1', 'password_sign_in_not_allowed')
  const browser = env.newBrowser()
  const page = await signIn(browser, 'user1')
  expect(page.status).toBe(403)
  expect(page.text).toContain('does not allow signing in with a password')
  expect(browser.cookies.has('signet.session')).toBe(false)
})

describe('the lifetime of a proof', () => {
  it.each([
    ['a password', { passwordCheckLifetime: '3600s' }, 'id="password"'],
    ['a code', { secondFactorCheckLifetime: '3600s' }, 'id="totp-code"'],
    ['both together', { multiFactorCheckLifetime: '3600s' }, 'id="password"'],
  ])('asks again after the lifetime of %s', async (_, policy, asked) => {
    env.fakes.enrolled.add('globex1')
    const browser = env.newBrowser()
    const page = await signIn(browser, 'globex1')
    await browser.follow(await browser.submit(page, { code: newCode() }))
    await withPolicy('globex', policy, async () => {
      expect((await silent(browser)).get('code')).not.toBeNull()
      env.clock.advance(3_600_001)
      await expect
        .poll(async () => (await silent(browser)).get('error'))
        .toMatch(/^(login|interaction)_required$/)
      // The policy of the row before may be cached for half a second more.
      await expect.poll(async () => (await env.authorize(browser)).body).toContain(asked)
    })
  })

  it('is zero: asks for every request except the one that it was proven for', async () => {
    await withPolicy('globex', { passwordCheckLifetime: '0s' }, async () => {
      const browser = env.newBrowser()
      await signIn(browser, 'globex1')
      await expect.poll(async () => (await silent(browser)).get('error')).toBe('login_required')
      expect((await signIn(env.newBrowser(), 'globex1')).location).toContain('code=')
    })
  })
})

describe('acr_values (OIDC Core section 3.1.2.1)', () => {
  const MFA = 'urn:service:acr:mfa'
  const PWD = 'urn:service:acr:pwd'
  const essential = (...values: string[]) => ({
    claims: JSON.stringify({ id_token: { acr: { essential: true, values } } }),
  })

  it.each([
    ['acr_values', { acr_values: `1 ${MFA} ${PWD}` }],
    ['an essential claim', essential(MFA)],
  ])('%s asks a session without a second factor to add one', async (_, parameters) => {
    const browser = env.newBrowser()
    await signIn(browser, 'user1')
    expect(lastAcr()).toBe(PWD)
    const authTime = lastSession()?.authTime
    env.clock.advance(60_000)
    expect((await silent(browser, parameters)).get('error')).toBe('interaction_required')
    const page = await env.authorize(browser, parameters)
    expect(page.body).toContain('id="enrolment-code"')
    await enrol(browser, page)
    expect(lastAcr()).toBe(MFA)
    // The time of the password stays.
    expect(lastSession()?.authTime).toEqual(authTime)
    expect((await silent(browser, parameters)).get('code')).not.toBeNull()
  })

  it('asks for the password before an old session adds a second factor', async () => {
    const browser = env.newBrowser()
    await signIn(browser, 'user1')
    env.clock.advance(10 * 60_000 + 1)
    expect((await silent(browser, { acr_values: MFA })).get('error')).toBe('login_required')
    const page = await env.authorize(browser, { acr_values: MFA })
    expect(page.body).toContain('id="password"')
    const request = /name="request" value="([^"]*)"/.exec(page.body)?.[1] ?? ''
    const skipped = await browser.follow(await browser.get(`/ui/totp/new?request=${request}`))
    expect(skipped.body).not.toContain('enrolment-')
    const next = await enter(browser, page, 'user1')
    expect(next.body).toContain('id="enrolment-code"')
    await enrol(browser, next)
    expect(lastAcr()).toBe(MFA)
    env.clock.advance(10 * 60_000 + 1)
    expect((await silent(browser, { acr_values: MFA })).get('code')).not.toBeNull()
  })

  it('asks for the code of an account with a second factor', async () => {
    const browser = env.newBrowser()
    await signIn(browser, 'user2')
    env.fakes.enrolled.add('user2')
    const page = await env.authorize(browser, { acr_values: MFA })
    expect(page.body).toContain('id="totp-code"')
    const answer = await browser.follow(await browser.submit(page, { code: newCode() }))
    expect(answer.location).toContain('code=')
    expect(lastAcr()).toBe(MFA)
  })

  it.each([
    ['the acr of a password first', { acr_values: `${PWD} ${MFA}` }, PWD],
    ['unknown acr values', { acr_values: '1 2' }, PWD],
    ['an essential acr of a password', essential(PWD), PWD],
  ])('asks for no further factor with %s', async (_, parameters, acr) => {
    const browser = env.newBrowser()
    await signIn(browser, 'user1')
    expect((await silent(browser, parameters)).get('code')).not.toBeNull()
    expect(lastAcr()).toBe(acr)
  })

  it('returns the acr of one factor when the request names only that one', async () => {
    env.fakes.enrolled.add('user1')
    const browser = env.newBrowser()
    const page = await signIn(browser, 'user1')
    await browser.follow(await browser.submit(page, { code: newCode() }))
    expect(lastAcr()).toBe(MFA)
    await silent(browser, { acr_values: PWD })
    expect(lastAcr()).toBe(PWD)
  })
})
