import { createDirectoryReader, type DirectoryReader } from '@signet/directory-reader/directory-reader'
import { createSignInPageReader, type FindSignInPage } from '@signet/directory-reader/sign-in-page'
import { silentLogger } from '@signet/platform/logger/logger'
import { withinASecond } from '@signet/testing/within-a-second'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sampleDocument } from './directory-fixture.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'

let management: ManagementFixture
let readers: readonly DirectoryReader[]
let findSignInPage: FindSignInPage
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
  const login = management.directory.as('signet_login')
  findSignInPage = createSignInPageReader({ database: login, directory: readers[2] as DirectoryReader })
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

  it('the sign-in page of an organization: its login policy and its mail server', async () => {
    const page = {
      ...{ organizationId: 'acme', offersReset: false, identifierFirst: false, allowsPasskey: true },
      providers: [],
    }
    expect(await findSignInPage('acme')).toEqual(page)
    const policies = '/organizations/acme/policies/login'
    const login = { identifierFirst: true, passwordlessType: 'PASSWORDLESS_TYPE_NOT_ALLOWED' }
    await withinASecond(
      () => management.call('PUT', policies, login),
      async () =>
        expect(await findSignInPage('acme')).toEqual({
          ...page,
          identifierFirst: true,
          allowsPasskey: false,
        }),
    )
    await withinASecond(
      () => management.call('DELETE', policies),
      async () => expect(await findSignInPage('acme')).toEqual(page),
    )
    for (const [sql, offersReset] of [
      [
        `INSERT INTO directory.organization_smtp (organization_id, host, port, tls, sender_address)
         VALUES ('acme', 'mail.acme.localhost', 465, 'implicit', 'sign-in@acme.localhost')`,
        true,
      ],
      ["DELETE FROM directory.organization_smtp WHERE organization_id = 'acme'", false],
    ] as const) {
      await withinASecond(
        () => management.directory.rows(sql),
        async () => expect(await findSignInPage('acme')).toEqual({ ...page, offersReset }),
      )
    }
  })

  it('the identity providers of a sign-in page, and a domain that leads to them', async () => {
    const offered = async () => (await findSignInPage('acme')).providers.map(({ name }) => name)
    const discovered = async () => (await findSignInPage(undefined, 'any@acme.localhost')).providers.length
    expect([await offered(), await discovered()]).toEqual([[], 0])
    const provider = {
      ...{ id: 'corporate', organizationId: 'acme', name: 'Corporate', clientId: 'signet' },
      ...{ issuer: 'https://corporate.example', clientAuthentication: 'none' },
    }
    await withinASecond(
      () => management.call('POST', '/identity-providers', provider),
      async () => expect(await offered()).toEqual(['Corporate']),
    )
    await management.directory.rows('UPDATE directory.setting SET default_organization_id = NULL')
    await withinASecond(
      () => management.call('PUT', '/organizations/acme/policies/login', { allowDomainDiscovery: true }),
      async () => expect(await discovered()).toBe(1),
    )
    await withinASecond(
      () => management.call('POST', '/identity-providers/corporate/deactivate', {}),
      async () => expect([await offered(), await discovered()]).toEqual([[], 0]),
    )
    await management.call('DELETE', '/organizations/acme/policies/login')
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
