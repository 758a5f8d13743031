import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asOwner } from './fixtures/directory-rows.ts'
import { type LoginWorld, startLoginWorld } from './fixtures/login-world.ts'
import type { PageView, TestBrowser } from './fixtures/test-browser.ts'

let world: LoginWorld

beforeAll(async () => {
  world = await startLoginWorld()
})
afterAll(() => world.stop())

const ERIN = {
  user_name: 'erin',
  email: 'erin@example.org',
  given_name: 'Erin',
  family_name: 'Example',
  password: 'A-long-password-1',
}

const create = (browser: TestBrowser, more = {}) => world.authorize(browser, { prompt: 'create', ...more })
const problemAt = ({ body }: PageView, id: string) =>
  new RegExp(`<p class="problem" id="register-${id}-problem">([^<]*)</p>`).exec(body)?.[1]
const linkOf = ({ body }: PageView, id: string) => new RegExp(`<a id="${id}" href="([^"]+)">`).exec(body)?.[1]

describe('prompt=create: the registration form is displayed directly', () => {
  it('makes the account, signs in to it and goes on', async () => {
    const browser = world.newBrowser()
    browser.acceptLanguage = 'de'
    const page = await create(browser, { state: 'made' })
    expect(page.status).toBe(200)
    const answer = await browser.follow(await browser.submit(page, ERIN))
    expect(new URL(answer.location).searchParams.get('state')).toBe('made')
    expect(world.peers.registrations.at(-1)).toMatchObject({
      organizationId: '',
      userName: 'erin',
      email: 'erin@example.org',
      givenName: 'Erin',
      familyName: 'Example',
      preferredLanguage: 'de',
      password: ERIN.password,
      clientAddress: '127.0.0.1',
    })
    expect(world.peers.codeRequests.at(-1)?.session).toMatchObject({ userId: 'erin', amr: ['pwd'] })
    expect((await world.authorize(browser, { prompt: 'none' })).location).toContain('code=')
  })

  it('also to somebody who is signed in', async () => {
    const browser = world.newBrowser()
    await world.signIn(browser, await world.authorize(browser))
    expect((await create(browser)).body).toContain('id="register-submit"')
  })

  it('in the organization of the request', async () => {
    const browser = world.newBrowser()
    const page = await create(browser, { scope: 'openid urn:service:iam:org:id:globex' })
    await browser.follow(await browser.submit(page, { ...ERIN, user_name: 'gus' }))
    expect(world.peers.registrations.at(-1)?.organizationId).toBe('globex')
    expect(world.peers.codeRequests.at(-1)?.session).toMatchObject({
      userId: 'gus',
      organizationId: 'globex',
    })
  })

  it('fills in what login_hint says', async () => {
    const browser = world.newBrowser()
    expect((await create(browser, { login_hint: 'erin@example.org' })).body).toMatch(
      /id="register-email"[^>]* value="erin@example.org"/,
    )
    expect((await create(browser, { login_hint: '"><b>' })).body).toMatch(
      /id="register-user-name"[^>]* value="&quot;&gt;&lt;b&gt;"/,
    )
  })

  it('leads to the sign-in page and back', async () => {
    const browser = world.newBrowser()
    const page = await create(browser)
    const login = await browser.get(linkOf(page, 'register-sign-in') ?? '')
    expect(login.body).toContain('id="login-name"')
    expect((await browser.get(linkOf(login, 'login-register') ?? '')).body).toContain('id="register-submit"')
    await world.signIn(browser, login, 'bob')
    expect(world.peers.codeRequests.at(-1)?.session?.userId).toBe('bob')
  })
})

describe('a form that is not right', () => {
  it('says at each field what is wrong, keeps what was typed, and never the password', async () => {
    const browser = world.newBrowser()
    world.peers.registrationProblems.push(
      { field: 'user_name', code: 'taken' },
      { field: 'password', code: 'password_common' },
    )
    const page = await browser.submit(await create(browser), ERIN)
    expect(page.status).toBe(400)
    expect(problemAt(page, 'user-name')).toBe('This is taken already. Choose another one.')
    expect(problemAt(page, 'password')).toContain('easy to guess')
    expect(problemAt(page, 'email')).toBeUndefined()
    expect(page.body).toMatch(/id="register-user-name"[^>]* value="erin"[^>]* aria-invalid="true"/)
    expect(page.body).toMatch(
      /id="register-user-name"[^>]* aria-describedby="register-user-name-problem"[^>]* autofocus/,
    )
    expect(page.body).not.toContain(ERIN.password)
    expect(browser.cookies.has('signet.session')).toBe(false)
    const answer = await browser.follow(await browser.submit(page, ERIN))
    expect(answer.location).toContain('code=')
  })

  it('asks nobody when a field is empty', async () => {
    const browser = world.newBrowser()
    const asked = world.peers.registrations.length
    const page = await browser.submit(await create(browser), { user_name: ' ' })
    for (const id of ['user-name', 'email', 'given-name', 'family-name', 'password']) {
      expect(problemAt(page, id), id).toBe('Fill in this field.')
    }
    expect(page.body).toMatch(/id="register-given-name"[^>]* autofocus/)
    expect(page.body.match(/ autofocus/g)).toHaveLength(1)
    expect(world.peers.registrations).toHaveLength(asked)
  })

  it.each([
    [{ field: '', code: 'too_many_attempts' }, 429, 'too many attempts'],
    [{ field: '', code: 'not_allowed' }, 400, 'cannot be created here'],
    [{ field: '', code: 'of_another_release' }, 400, 'cannot be used here'],
    [{ field: 'of_another_release', code: 'taken' }, 400, 'taken already'],
  ])('%j is told above the form', async (problem, status, text) => {
    const browser = world.newBrowser()
    world.peers.registrationProblems.push(problem)
    const page = await browser.submit(await create(browser), ERIN)
    expect(page.status).toBe(status)
    expect(page.headers['retry-after']).toBe(status === 429 ? '3600' : undefined)
    expect(page.text).toContain(text)
  })

  it('keeps the form while the directory is away', async () => {
    const browser = world.newBrowser()
    const page = await create(browser)
    world.peers.away.add('directory')
    const answer = await browser.submit(page, ERIN)
    world.peers.away.clear()
    expect(answer.status).toBe(503)
    expect(answer.text).toContain('not possible right now')
    expect((await browser.follow(await browser.submit(answer, ERIN))).location).toContain('code=')
  })

  it('F-15: is refused when it is not ours', async () => {
    const browser = world.newBrowser()
    const asked = world.peers.registrations.length
    const page = await browser.submit(await create(browser), { ...ERIN, csrf: 'A'.repeat(43) })
    expect(page.text).toContain('Request rejected')
    expect(world.peers.registrations).toHaveLength(asked)
  })
})

describe('the policy of the organization', () => {
  const policy = (kind: string, document: object) =>
    asOwner(world.adminUrl, [
      `INSERT INTO directory.organization_policy VALUES ('globex', '${kind}', '${JSON.stringify(document)}')
         ON CONFLICT (organization_id, kind) DO UPDATE SET document = EXCLUDED.document`,
    ])
  const ofGlobex = { scope: 'openid urn:service:iam:org:id:globex' }

  it('tells what a password needs', async () => {
    await policy('password_complexity', { minLength: 12, hasNumber: true, hasSymbol: true })
    const text = async () => (await create(world.newBrowser(), ofGlobex)).text
    await expect
      .poll(text)
      .toContain('At least 12 characters; 15 or more are better. With a digit. With a symbol.')
    expect((await create(world.newBrowser())).text).toContain('At least 8 characters')
  })

  it('where people may not register there is no link, and the sign-in page instead of the form', async () => {
    const linked = async (more = {}) => {
      const page = await world.authorize(world.newBrowser(), more)
      return linkOf(page, 'login-register') !== undefined
    }
    expect(await linked(ofGlobex)).toBe(true)
    await policy('login', { allowRegister: false })
    await expect.poll(() => linked(ofGlobex)).toBe(false)
    expect(await linked()).toBe(true)
    const browser = world.newBrowser()
    const page = await create(browser, ofGlobex)
    expect(page.body).toContain('id="login-name"')
    await world.signIn(browser, page, 'dora')
    expect(world.peers.codeRequests.at(-1)?.session?.userId).toBe('dora')
  })
})
