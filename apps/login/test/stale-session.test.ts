import { entryFields, LOG_KEY } from '@signet/revocation-reader/endings'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { asOwner } from './fixtures/directory-rows.ts'
import { type LoginWorld, startLoginWorld } from './fixtures/login-world.ts'
import { PASSWORD } from './fixtures/peers.ts'

let world: LoginWorld
beforeAll(async () => {
  world = await startLoginWorld()
})
afterAll(() => world.stop())

/** Opens the log of endings as the token service does. */
async function openLog(): Promise<void> {
  await world.redis.xadd(LOG_KEY, '*', ...entryFields([], 0, Buffer.alloc(32), new Date()))
}

it.each([
  ['user', 'alice', `UPDATE directory.account SET token_epoch = token_epoch + 1 WHERE user_id = 'alice'`],
  [
    'organization',
    'bob',
    `UPDATE directory.organization SET token_epoch = token_epoch + 1 WHERE organization_id = 'acme'`,
  ],
])('a session outlives the ending of its %s, not the epoch', async (_, loginName, raise) => {
  const browser = world.newBrowser()
  await world.signIn(browser, await world.authorize(browser), loginName)
  const silently = async () => {
    const { location } = await world.authorize(browser, { prompt: 'none' })
    return new URL(location).searchParams.get('error') ?? 'code'
  }
  await openLog()
  expect(await silently()).toBe('code')
  // An ending is kept as long as access tokens live; sessions live for weeks.
  await asOwner(world.adminUrl, [raise])
  await expect.poll(silently, { timeout: 5_000 }).toBe('login_required')
})

it.each([
  ['choosing a new password', 0n, 'passwordChanges', '/ui/password', { password: 'Another-horse-10' }],
  ['adding a second factor', 1n, 'forced', '/ui/totp/new', { code: '123456' }],
] as const)(
  'a password that was right goes no further with %s once it was reset',
  async (_, epoch, kind, path, entered) => {
    world.peers.epochs.user = epoch
    world.peers[kind].add(kind === 'forced' ? 'globex' : 'dora')
    world.peers.totpCodes.add('123456')
    const browser = world.newBrowser()
    const login = await world.authorize(browser)
    const page = await browser.follow(await browser.submit(login, { login_name: 'dora', password: PASSWORD }))
    expect(page.body).toContain(`action="${path}"`)
    const request = /name="request" value="([^"]*)"/.exec(page.body)?.[1] ?? ''
    await asOwner(world.adminUrl, [
      `UPDATE directory.account SET token_epoch = token_epoch + 1 WHERE user_id = 'dora'`,
    ])
    const look = async () => (await browser.follow(await browser.get(`${path}?request=${request}`))).body
    await expect.poll(look, { timeout: 5_000 }).toContain('id="login-name"')
    const answer = await browser.follow(await browser.submit(page, entered))
    expect(answer.body).toContain('id="login-name"')
    expect(world.peers.enrolled.has('dora')).toBe(false)
  },
)
