import { createDirectoryReader, type DirectoryReader } from '@signet/directory-reader/directory-reader'
import { silentLogger } from '@signet/platform/logger/logger'
import { withinASecond } from '@signet/testing/within-a-second'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sampleDocument } from './directory-fixture.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'

let management: ManagementFixture
let readers: readonly DirectoryReader[]
beforeAll(async () => {
  management = await managementFixture()
  const { features: _, ...document } = sampleDocument()
  await management.directory.apply(document)
  management.bearers.set('owner', { roles: ['IAM_OWNER'] })
  readers = (['signet_token', 'signet_token', 'signet_login'] as const).map((role) =>
    createDirectoryReader({
      database: management.directory.as(role),
      logger: silentLogger,
    }),
  )
})
afterAll(async () => {
  await Promise.all((readers ?? []).map((reader) => reader.stop()))
  await management?.stop()
})

describe('a change is effective on every replica within a second, with no Redis at all', () => {
  it.each([
    ['oidcTokenExchange', '/v2/features/instance'],
    ['enableImpersonation', '/v2/policies/security'],
  ] as const)('%s, on and off', async (name, path) => {
    for (const enabled of [true, false]) {
      // In every cache before the change.
      for (const reader of readers) expect((await reader.settings())[name]).toBe(!enabled)
      await withinASecond(
        () => management.call('PUT', path, { [name]: enabled }),
        async () => {
          const settings = await Promise.all(readers.map((reader) => reader.settings()))
          expect(settings.map((row) => row[name])).toEqual([enabled, enabled, enabled])
        },
      )
    }
  })

  it('redirect URIs, added and removed', async () => {
    const uris = () => Promise.all(readers.map(async (reader) => (await reader.client('web'))?.redirectUris))
    const [{ id }] = (await management.call('GET', '/applications?clientId=web')).body.items
    const before = (await uris())[0] ?? []
    for (const redirectUris of [[...before, 'https://new.example/callback'], before]) {
      await withinASecond(
        () => management.call('PATCH', `/applications/${id}`, { redirectUris }),
        async () => expect(await uris()).toEqual(readers.map(() => redirectUris)),
      )
    }
  })

  it('the name of a user', async () => {
    const names = () => Promise.all(readers.map(async (reader) => (await reader.account('alice'))?.name))
    expect(new Set(await names())).not.toContain('Within a second')
    await withinASecond(
      () =>
        management.directory.rows(
          "UPDATE directory.account SET display_name = 'Within a second' WHERE user_id = 'alice'",
        ),
      async () => expect(await names()).toEqual(readers.map(() => 'Within a second')),
    )
  })
})
