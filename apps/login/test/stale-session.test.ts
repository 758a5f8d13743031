import { fillKey, SHARDS } from '@signet/revocation-reader/mirror-keys'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { asOwner } from './fixtures/directory-rows.ts'
import { type LoginWorld, startLoginWorld } from './fixtures/login-world.ts'

let world: LoginWorld
beforeAll(async () => {
  world = await startLoginWorld()
})
afterAll(() => world.stop())

/** What the token service writes when the mirror holds everything that can still end an access token. */
async function declareMirrorWhole(): Promise<void> {
  const info = `${await world.redis.info('server')}${await world.redis.info('replication')}`
  const identity = ['run_id', 'master_replid']
    .map((name) => new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1])
    .join(':')
  for (let shard = 0; shard < SHARDS; shard += 1) await world.redis.set(fillKey(shard), identity)
}

it.each([
  ['user', 'alice', `UPDATE directory.account SET token_epoch = token_epoch + 1 WHERE user_id = 'alice'`],
  [
    'organization',
    'bob',
    `UPDATE directory.organization SET token_epoch = token_epoch + 1 WHERE organization_id = 'acme'`,
  ],
])(
  'DESIGN.md section 4: a session outlives the mirror entry of its %s, not the epoch',
  async (_, loginName, raise) => {
    const browser = world.newBrowser()
    await world.signIn(browser, await world.authorize(browser), loginName)
    const silently = async () => {
      const { location } = await world.authorize(browser, { prompt: 'none' })
      return new URL(location).searchParams.get('error') ?? 'code'
    }
    await declareMirrorWhole()
    expect(await silently()).toBe('code')
    // The mirror keeps epochs as long as access tokens live; sessions live for weeks.
    await asOwner(world.adminUrl, [raise])
    await expect.poll(silently, { timeout: 5_000 }).toBe('login_required')
  },
)
