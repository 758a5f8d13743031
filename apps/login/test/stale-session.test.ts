import { ENDING_SECONDS, type Ending, entryFields, LOG_KEY } from '@signet/revocation-reader/endings'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { PASSWORD } from './fake-services.ts'
import { asOwner, startTestEnvironment, type TestEnvironment } from './setup.ts'

let env: TestEnvironment
beforeAll(async () => {
  env = await startTestEnvironment()
})
afterAll(() => env.stop())

/** Writes the revocation log as the token service does; without endings it only opens the log. */
async function writeLog(...endings: Ending[]): Promise<void> {
  await env.redis.xadd(LOG_KEY, '*', ...entryFields(endings, 0, Buffer.alloc(32), new Date()))
}

it.each([
  ['user', 'user1', `UPDATE directory.account SET token_epoch = token_epoch + 1 WHERE user_id = 'user1'`],
  [
    'organization',
    'user2',
    `UPDATE directory.organization SET token_epoch = token_epoch + 1 WHERE organization_id = 'acme'`,
  ],
])(
  'a higher epoch of its %s ends a session that is older than the entries of the revocation log',
  async (_, loginName, raise) => {
    const browser = env.newBrowser()
    await env.signIn(browser, await env.authorize(browser), loginName)
    const silently = async () => {
      const { location } = await env.authorize(browser, { prompt: 'none' })
      return new URL(location).searchParams.get('error') ?? 'code'
    }
    await writeLog()
    expect(await silently()).toBe('code')
    // An entry is kept for the lifetime of access tokens; sessions live for weeks.
    await asOwner(env.adminUrl, [raise])
    await expect.poll(silently).toBe('login_required')
  },
)

it.each([
  ['choosing a new password', 0n, 'passwordChanges', '/ui/password', { password: 'Another-horse-10' }],
  ['adding a second factor', 1n, 'forced', '/ui/totp/new', { code: '123456' }],
] as const)(
  'a verified password does not continue with %s after a password reset',
  async (_, epoch, kind, path, entered) => {
    env.fakes.epochs.user = epoch
    env.fakes[kind].add(kind === 'forced' ? 'globex' : 'globex1')
    env.fakes.totpCodes.add('123456')
    const browser = env.newBrowser()
    const login = await env.authorize(browser)
    const page = await browser.follow(
      await browser.submit(login, { login_name: 'globex1', password: PASSWORD }),
    )
    expect(page.body).toContain(`action="${path}"`)
    const request = /name="request" value="([^"]*)"/.exec(page.body)?.[1] ?? ''
    await asOwner(env.adminUrl, [
      `UPDATE directory.account SET token_epoch = token_epoch + 1 WHERE user_id = 'globex1'`,
    ])
    await writeLog({ kind: 'u', id: 'globex1', value: Number(epoch) + 1, secondsLeft: ENDING_SECONDS })
    const look = await browser.follow(await browser.get(`${path}?request=${request}`))
    expect(look.body).toContain('id="login-name"')
    const answer = await browser.follow(await browser.submit(page, entered))
    expect(answer.body).toContain('id="login-name"')
    expect(env.fakes.enrolled.has('globex1')).toBe(false)
  },
)
