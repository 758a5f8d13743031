import { createSoftwareAuthenticator } from '@signet/testing/software-authenticator'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { PATHS } from '../src/pages/paths.ts'
import type { PageView, TestBrowser } from './browser.ts'
import { PASSWORD } from './fake-services.ts'
import { startTestEnvironment, type TestEnvironment } from './setup.ts'

let env: TestEnvironment
const authenticator = createSoftwareAuthenticator({ rpId: 'localhost', origin: 'http://localhost:8080' })

beforeAll(async () => {
  env = await startTestEnvironment()
})
afterAll(() => env?.stop())
beforeEach(async () => {
  await env.redis.flushdb()
  for (const known of ['forced', 'passwordChanges', 'passkeys', 'enrolled', 'totpCodes'] as const) {
    env.fakes[known].clear()
  }
  const offer = { organizationId: 'partner', organizationName: 'Partner', projectId: '', projectName: '' }
  for (const userId of ['user1', 'totpuser']) {
    env.fakes.offers.set(userId, [{ ...offer, roles: ['ORG_OWNER'] }])
  }
})

const formPath = ({ body }: PageView) => /<form method="post" action="([^"?]+)/.exec(body)?.[1] ?? ''
const requestOf = ({ body }: PageView) => /name="request" value="([^"]*)"/.exec(body)?.[1] ?? ''

type Ceremony = (browser: TestBrowser, page: PageView) => Promise<PageView>

const withPassword: Ceremony = (browser, page) =>
  browser.submit(page, { login_name: 'user1', password: PASSWORD })

const withPasskey: Ceremony = (browser, page) => {
  const [, form = ''] = /<form class="passkey"([\s\S]*?)<\/form>/.exec(page.body) ?? []
  const field = (name: string) => new RegExp(`name="${name}" type="hidden" value="([^"]*)"`).exec(form)?.[1]
  const [, challenge = ''] = /challenge&quot;:&quot;([^&]*)/.exec(form) ?? []
  return browser.post(PATHS.passkey, {
    request: field('request') ?? '',
    csrf: field('csrf') ?? '',
    response: authenticator.get({ challenge }),
  })
}

/** The values that pass the page of each gate. */
const VALUES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [PATHS.totp]: { code: '111111' },
  [PATHS.enrolment]: { code: '111111' },
  [PATHS.newPassword]: { password: 'Correct-horse-10' },
  [PATHS.roles]: { decision: 'accept' },
  [PATHS.consent]: { decision: 'allow' },
}

/** The pages from the sign-in to the response; at each of them the pages of all gates are opened and tried first. */
async function passAll(ceremony: Ceremony): Promise<readonly string[]> {
  const browser = env.newBrowser()
  let page = await env.authorize(browser, { prompt: 'consent' })
  const request = requestOf(page)
  page = await browser.follow(await ceremony(browser, page))
  const passed: string[] = []
  while (!page.location.includes('code=')) {
    const path = formPath(page)
    passed.push(path)
    const before = env.fakes.codeRequests.length
    for (const other of Object.keys(VALUES).filter((one) => one !== path)) {
      expect(formPath(await browser.follow(await browser.get(`${other}?request=${request}`)))).not.toBe(other)
      expect((await browser.post(other, { request, csrf: 'none', ...VALUES[other] })).status).toBe(400)
    }
    expect(env.fakes.codeRequests).toHaveLength(before)
    env.fakes.totpCodes.add('111111')
    page = await browser.follow(await browser.submit(page, VALUES[path]))
    // New recovery codes are shown between two pages.
    const [, kept] = /id="recovery-codes-kept" href="([^"]+)"/.exec(page.body) ?? []
    if (kept !== undefined) page = await browser.follow(await browser.get(kept))
    if (passed.length > 8) throw new Error(passed.join(' '))
  }
  return passed
}

it('leads a password through every gate in their order, and opens no page out of turn', async () => {
  env.fakes.forced.add('acme')
  env.fakes.passwordChanges.add('user1')
  expect(await passAll(withPassword)).toEqual([
    PATHS.enrolment,
    PATHS.newPassword,
    PATHS.roles,
    PATHS.consent,
  ])
})

it('leads a passkey through the gates behind the session', async () => {
  env.fakes.passkeys.set('user1', [authenticator.id])
  env.fakes.forced.add('acme')
  expect(await passAll(withPasskey)).toEqual([PATHS.roles, PATHS.consent])
})
