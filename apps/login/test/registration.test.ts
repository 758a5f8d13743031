import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PageView, TestBrowser } from './browser.ts'
import { asOwner, startTestEnvironment, type TestEnvironment } from './setup.ts'

let env: TestEnvironment

beforeAll(async () => {
  env = await startTestEnvironment()
})
afterAll(() => env.stop())

const USER4 = {
  user_name: 'user4',
  email: 'user4@example.org',
  given_name: 'User4',
  family_name: 'Example',
  password: 'A-long-password-1',
}

const create = (browser: TestBrowser, more = {}) => env.authorize(browser, { prompt: 'create', ...more })
const problemAt = ({ body }: PageView, id: string) =>
  new RegExp(`<p class="problem" id="register-${id}-problem">([^<]*)</p>`).exec(body)?.[1]
const linkOf = ({ body }: PageView, id: string) => new RegExp(`<a id="${id}" href="([^"]+)">`).exec(body)?.[1]

describe('prompt=create shows the registration form', () => {
  it('creates the account, signs in to it and continues the request', async () => {
    const browser = env.newBrowser()
    browser.acceptLanguage = 'de'
    const page = await create(browser, { state: 'made' })
    expect(page.status).toBe(200)
    const answer = await browser.follow(await browser.submit(page, USER4))
    expect(new URL(answer.location).searchParams.get('state')).toBe('made')
    expect(env.fakes.registrations.at(-1)).toMatchObject({
      organizationId: '',
      userName: 'user4',
      email: 'user4@example.org',
      givenName: 'User4',
      familyName: 'Example',
      preferredLanguage: 'de',
      password: USER4.password,
      clientAddress: '127.0.0.1',
    })
    expect(env.fakes.codeRequests.at(-1)?.session).toMatchObject({ userId: 'user4', amr: ['pwd'] })
    expect((await env.authorize(browser, { prompt: 'none' })).location).toContain('code=')
  })

  it('also with a live session', async () => {
    const browser = env.newBrowser()
    await env.signIn(browser, await env.authorize(browser))
    expect((await create(browser)).body).toContain('id="register-submit"')
  })

  it('in the organization of the request', async () => {
    const browser = env.newBrowser()
    const page = await create(browser, { scope: 'openid urn:service:iam:org:id:globex' })
    await browser.follow(await browser.submit(page, { ...USER4, user_name: 'globex2' }))
    expect(env.fakes.registrations.at(-1)?.organizationId).toBe('globex')
    expect(env.fakes.codeRequests.at(-1)?.session).toMatchObject({
      userId: 'globex2',
      organizationId: 'globex',
    })
  })

  it('fills in login_hint', async () => {
    const browser = env.newBrowser()
    expect((await create(browser, { login_hint: 'user4@example.org' })).body).toMatch(
      /id="register-email"[^>]* value="user4@example.org"/,
    )
    expect((await create(browser, { login_hint: '"><b>' })).body).toMatch(
      /id="register-user-name"[^>]* value="&quot;&gt;&lt;b&gt;"/,
    )
  })

  it('links to the sign-in page and back', async () => {
    const browser = env.newBrowser()
    const page = await create(browser)
    const login = await browser.get(linkOf(page, 'register-sign-in') ?? '')
    expect(login.body).toContain('id="login-name"')
    expect((await browser.get(linkOf(login, 'login-register') ?? '')).body).toContain('id="register-submit"')
    await env.signIn(browser, login, 'user2')
    expect(env.fakes.codeRequests.at(-1)?.session?.userId).toBe('user2')
  })
})

describe('an invalid form', () => {
  it('shows each problem at its field and keeps the values except the password', async () => {
    const browser = env.newBrowser()
    env.fakes.registrationProblems.push(
      { field: 'user_name', code: 'taken' },
      { field: 'password', code: 'password_common' },
    )
    const page = await browser.submit(await create(browser), USER4)
    expect(page.status).toBe(400)
    expect(problemAt(page, 'user-name')).toBe('This is taken already. Choose another one.')
    expect(problemAt(page, 'password')).toContain('easy to guess')
    expect(problemAt(page, 'email')).toBeUndefined()
    expect(page.body).toMatch(/id="register-user-name"[^>]* value="user4"[^>]* aria-invalid="true"/)
    expect(page.body).toMatch(
      /id="register-user-name"[^>]* aria-describedby="register-user-name-problem"[^>]* autofocus/,
    )
    expect(page.body).not.toContain(USER4.password)
    expect(browser.cookies.has('signet.session')).toBe(false)
    const answer = await browser.follow(await browser.submit(page, USER4))
    expect(answer.location).toContain('code=')
  })

  it('says every empty field', async () => {
    const browser = env.newBrowser()
    const page = await browser.submit(await create(browser), { user_name: ' ' })
    for (const id of ['user-name', 'email', 'given-name', 'family-name', 'password']) {
      expect(problemAt(page, id), id).toBe('Fill in this field.')
    }
    expect(page.body).toMatch(/id="register-given-name"[^>]* autofocus/)
    expect(page.body.match(/ autofocus/g)).toHaveLength(1)
    expect(page.status).toBe(400)
  })

  it.each([
    [{ field: '', code: 'too_many_attempts' }, 429, 'too many attempts'],
    [{ field: '', code: 'not_allowed' }, 400, 'cannot be created here'],
    [{ field: '', code: 'of_another_release' }, 400, 'cannot be used here'],
    [{ field: 'of_another_release', code: 'taken' }, 400, 'taken already'],
  ])('shows %j above the form', async (problem, status, text) => {
    const browser = env.newBrowser()
    env.fakes.registrationProblems.push(problem)
    const page = await browser.submit(await create(browser), USER4)
    expect(page.status).toBe(status)
    expect(page.headers['retry-after']).toBe(status === 429 ? '3600' : undefined)
    expect(page.text).toContain(text)
  })

  it('keeps the values while the directory is unavailable', async () => {
    const browser = env.newBrowser()
    const page = await create(browser)
    env.fakes.away.add('directory')
    const answer = await browser.submit(page, USER4)
    env.fakes.away.clear()
    expect(answer.status).toBe(503)
    expect(answer.text).toContain('not possible right now')
    expect((await browser.follow(await browser.submit(answer, USER4))).location).toContain('code=')
  })

  it('is rejected without the form token [F-15]', async () => {
    const browser = env.newBrowser()
    const asked = env.fakes.registrations.length
    const page = await browser.submit(await create(browser), { ...USER4, csrf: 'A'.repeat(43) })
    expect(page.text).toContain('Request rejected')
    expect(env.fakes.registrations).toHaveLength(asked)
  })
})

describe('the policy of the organization', () => {
  const policy = (kind: string, document: object) =>
    asOwner(env.adminUrl, [
      `INSERT INTO directory.organization_policy VALUES ('globex', '${kind}', '${JSON.stringify(document)}')
         ON CONFLICT (organization_id, kind) DO UPDATE SET document = EXCLUDED.document`,
    ])
  const ofGlobex = { scope: 'openid urn:service:iam:org:id:globex' }

  it('shows the password rules', async () => {
    await policy('password_complexity', { minLength: 12, hasNumber: true, hasSymbol: true })
    const text = async () => (await create(env.newBrowser(), ofGlobex)).text
    await expect
      .poll(text)
      .toContain('At least 12 characters; 15 or more are better. With a digit. With a symbol.')
    expect((await create(env.newBrowser())).text).toContain('At least 8 characters')
  })

  it('shows no link, and the sign-in page instead of the form, where registration is not allowed', async () => {
    const linked = async (more = {}) => {
      const page = await env.authorize(env.newBrowser(), more)
      return linkOf(page, 'login-register') !== undefined
    }
    expect(await linked(ofGlobex)).toBe(true)
    await policy('login', { allowRegister: false })
    await expect.poll(() => linked(ofGlobex)).toBe(false)
    expect(await linked()).toBe(true)
    const browser = env.newBrowser()
    const page = await create(browser, ofGlobex)
    expect(page.body).toContain('id="login-name"')
    await env.signIn(browser, page, 'globex1')
    expect(env.fakes.codeRequests.at(-1)?.session?.userId).toBe('globex1')
  })
})
