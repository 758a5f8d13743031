import { createHash } from 'node:crypto'
import { createDirectoryReader, type DirectoryReader } from '@signet/directory-reader/directory-reader'
import { silentLogger } from '@signet/platform/logger/logger'
import type { Database, Statement } from '@signet/platform/postgres/pool'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ChangeFeedStore } from '../src/change-feed/change-feed.repository.ts'
import { createPruneChangeFeed } from '../src/jobs.ts'
import { type DirectoryFixture, directoryFixture, sampleDocument } from './directory-fixture.ts'

let directory: DirectoryFixture
let readers: DirectoryReader[] = []
beforeAll(async () => {
  directory = await directoryFixture()
  await directory.apply(sampleDocument())
})
afterEach(async () => {
  await Promise.all(readers.map((reader) => reader.stop()))
  readers = []
})
afterAll(() => directory?.stop())

/** Far longer than any test: polls happen when a test asks for them. */
const NEVER_MS = 3_600_000

/** A reader as the token service has one, the names of the statements it ran, and a hook into each. */
async function tokenReader({ pollIntervalMs = NEVER_MS } = {}) {
  const database = directory.as('signet_token')
  const statements: string[] = []
  const hooks: { around?: (statement: Statement, run: () => Promise<unknown>) => Promise<unknown> } = {}
  const watched: Database = {
    ...database,
    query: (statement) => {
      statements.push(statement.name)
      const run = () => database.query(statement)
      return (hooks.around?.(statement, run) ?? run()) as never
    },
  }
  const reader = createDirectoryReader({
    database: watched,
    elapsed: () => directory.clock.now().getTime(),
    logger: silentLogger,
    pollIntervalMs,
  })
  readers.push(reader)
  await reader.poll()
  return {
    reader,
    hooks,
    count: (name: string) => statements.filter((ran) => ran === `directory_reader.${name}`).length,
  }
}

async function setUserName(name: string): Promise<void> {
  await directory.rows("UPDATE directory.account SET display_name = $1 WHERE user_id = 'alice'", [name])
}

describe('rows', () => {
  it('come typed, with all values for claims and clients', async () => {
    const { reader } = await tokenReader()
    expect(await reader.client('web')).toMatchObject({
      clientId: 'web',
      kind: 'application',
      applicationId: 'web',
      projectId: 'portal',
      organizationId: 'acme',
      redirectUris: ['http://localhost:3000/callback'],
      secrets: [{ hash: expect.stringMatching(/^sha256\$/), expiresAt: null }],
      accessTokenLifetimeSeconds: null,
      active: true,
      tokenEpoch: 0,
    })
    expect(await reader.account('alice')).toMatchObject({
      loginName: 'alice@acme.localhost',
      organizationPrimaryDomain: 'acme.localhost',
      updatedAt: expect.any(Date),
      phoneNumber: null,
      phoneNumberVerified: false,
    })
    expect(await reader.organization('acme')).toMatchObject({ name: 'ACME', active: true })
    expect(await reader.organizationByPrimaryDomain('acme.localhost')).toMatchObject({
      organizationId: 'acme',
    })
    expect(await reader.organizationByPrimaryDomain('nowhere.localhost')).toBeUndefined()
    expect(await reader.project('portal')).toMatchObject({ roleKeys: ['admin'], organizationId: 'acme' })
    expect(await reader.userGrants('alice')).toEqual([
      expect.objectContaining({
        projectId: 'portal',
        roleKeys: ['admin'],
        organizationPrimaryDomain: 'acme.localhost',
      }),
    ])
    expect(await reader.userGrants('migrator-id')).toEqual([])
    expect(await reader.settings()).toMatchObject({
      accessTokenLifetimeSeconds: 600,
      refreshRetryWindowSeconds: 30,
      refreshUnusedRetrySeconds: 600,
      defaultOrganizationId: 'acme',
      oidcTokenExchange: true,
    })
  })

  it('returns the policies of an organization, and defaults for absent members', async () => {
    const document = sampleDocument()
    document.organizations.push({
      id: 'ruled',
      name: 'Ruled',
      primaryDomain: 'ruled.localhost',
      loginPolicy: { allowRegister: false },
      lockoutPolicy: { maxPasswordAttempts: 3 },
      passwordComplexityPolicy: { minLength: 12, hasNumber: true },
    })
    await directory.apply(document)
    const { reader } = await tokenReader()
    expect(await reader.organization('acme')).toMatchObject({
      allowRegister: true,
      maxPasswordAttempts: 5,
      passwordMinLength: 8,
      passwordNeedsUppercase: false,
      passwordNeedsNumber: false,
    })
    expect(await reader.organization('ruled')).toMatchObject({
      allowRegister: false,
      maxPasswordAttempts: 3,
      passwordMinLength: 12,
      passwordNeedsUppercase: false,
      passwordNeedsLowercase: false,
      passwordNeedsNumber: true,
      passwordNeedsSymbol: false,
    })
    await directory.rows(
      "DELETE FROM directory.organization_policy WHERE organization_id = 'ruled' AND kind = 'login'",
    )
    await reader.poll()
    expect((await reader.organization('ruled'))?.allowRegister).toBe(true)
  })

  it('name the organizations that a project was granted to, and follow the grant', async () => {
    const { reader, count } = await tokenReader()
    expect(await reader.grantedOrganizations('portal')).toEqual(new Set())
    await directory.rows("INSERT INTO directory.project_grant VALUES ('portal', 'ruled')")
    await reader.poll()
    expect(await reader.grantedOrganizations('portal')).toEqual(new Set(['ruled']))
    expect(await reader.grantedOrganizations('portal')).toEqual(new Set(['ruled']))
    expect(count('project_grant')).toBe(2)
    await directory.rows('DELETE FROM directory.project_grant')
    await reader.poll()
    expect(await reader.grantedOrganizations('portal')).toEqual(new Set())
  })

  it('hold the keys of a service user that has no secret, and follow them', async () => {
    const { reader } = await tokenReader()
    expect(await reader.machineKeys('migrator-id')).toEqual([])
    await directory.rows(
      `INSERT INTO directory.machine_key (user_id, kid, jwk, expires_at)
       VALUES ('migrator-id', 'k2', '{"kty":"RSA"}', NULL), ('migrator-id', 'k1', '{"kty":"EC"}', '2031-01-01T00:00:00Z')`,
    )
    await reader.poll()
    expect(await reader.machineKeys('migrator-id')).toEqual([
      { kid: 'k1', jwk: { kty: 'EC' }, expiresAt: new Date('2031-01-01T00:00:00Z') },
      { kid: 'k2', jwk: { kty: 'RSA' }, expiresAt: null },
    ])
  })

  it('find a personal access token by its hash, as it is at that moment, for introspection too', async () => {
    const hash = createHash('sha256').update('p'.repeat(40)).digest()
    const token = {
      tokenId: 'first',
      userId: 'migrator-id',
      kind: 'service_user',
      organizationId: 'acme',
      expiresAt: null,
      active: true,
    }
    const { reader } = await tokenReader()
    const introspection = createDirectoryReader({
      database: directory.as('signet_introspection'),
      elapsed: () => directory.clock.now().getTime(),
      logger: silentLogger,
    })
    readers.push(introspection)
    expect(await reader.personalAccessToken(hash)).toEqual(token)
    expect(await introspection.personalAccessToken(hash)).toEqual(token)
    await directory.rows('UPDATE directory.personal_access_token SET token_hash = sha256(token_hash)')
    expect(await introspection.personalAccessToken(hash)).toBeUndefined()
  })

  it('read the expiry of secrets and keys as times', async () => {
    await directory.rows("UPDATE directory.application_secret SET expires_at = '2031-01-01T00:00:00Z'")
    const { reader } = await tokenReader()
    expect((await reader.client('web'))?.secrets[0]?.expiresAt).toEqual(new Date('2031-01-01T00:00:00Z'))
  })
})

describe('the cache', () => {
  it('asks the database once for concurrent misses, and not again while the row is young', async () => {
    const { reader, count } = await tokenReader()
    await Promise.all(Array.from({ length: 50 }, () => reader.account('alice')))
    directory.clock.advance(29_999)
    await reader.account('alice')
    // A query that alice's row still had to wait for would have been sent before this one was answered.
    await reader.client('web')
    expect(count('account')).toBe(1)
  })

  it('reads a row in use again before its minute is over, while it returns the cached one', async () => {
    const { reader, count, hooks } = await tokenReader()
    const before = await reader.account('alice')
    directory.clock.advance(30_000)
    await setUserName('Read again')
    expect(await Promise.all([reader.account('alice'), reader.account('alice')])).toEqual([before, before])
    await expect.poll(async () => (await reader.account('alice'))?.name).toBe('Read again')
    expect(count('account')).toBe(2)
    hooks.around = () => Promise.reject(new Error('no connection'))
    directory.clock.advance(59_999)
    expect((await reader.account('alice'))?.name).toBe('Read again')
    directory.clock.advance(1)
    await expect(reader.account('alice')).rejects.toThrow('no connection')
  })

  it('tries once a second to read such a row again, and keeps it meanwhile', async () => {
    const { reader, count, hooks } = await tokenReader()
    const row = await reader.account('alice')
    hooks.around = () => Promise.reject(new Error('no connection'))
    directory.clock.advance(30_000)
    for (let tenths = 0; tenths < 25; tenths += 1) {
      expect(await reader.account('alice')).toBe(row)
      await new Promise((resolve) => setImmediate(resolve))
      directory.clock.advance(100)
    }
    expect(count('account')).toBe(4)
    delete hooks.around
    directory.clock.advance(1_000)
    await reader.account('alice')
    await expect.poll(async () => (await reader.account('alice')) === row).toBe(false)
    expect(count('account')).toBe(5)
  })

  it('reads different users of concurrent calls in one query, and returns each to its caller', async () => {
    const { reader, count } = await tokenReader()
    const ids = [
      'alice',
      'nobody',
      'migrator-id',
      ...Array.from({ length: 190 }, (_, index) => `missing-${index}`),
    ]
    const found = await Promise.all(ids.map((id) => reader.account(id)))
    expect(found.map((account) => account?.userId).slice(0, 4)).toEqual([
      'alice',
      undefined,
      'migrator-id',
      undefined,
    ])
    expect(count('account')).toBe(1)
    await Promise.all(Array.from({ length: 201 }, (_, index) => reader.account(`absent-${index}`)))
    expect(count('account')).toBe(3)
  })

  it('never serves a row that was read over 60 seconds ago, even when the change feed cannot be read', async () => {
    const { reader, hooks } = await tokenReader()
    await reader.account('alice')
    hooks.around = (statement, run) =>
      statement.name === 'directory_reader.change' ? Promise.reject(new Error('no connection')) : run()
    await setUserName('After the outage')
    await expect(reader.poll()).rejects.toThrow('no connection')
    directory.clock.advance(59_999)
    expect((await reader.account('alice'))?.name).not.toBe('After the outage')
    directory.clock.advance(1)
    expect((await reader.account('alice'))?.name).toBe('After the outage')
  })

  it('caches a miss for a second or two, until any row of the kind changes', async () => {
    const { reader, count } = await tokenReader()
    expect(await reader.account('nobody')).toBeUndefined()
    expect(await reader.account('nobody')).toBeUndefined()
    expect(count('account')).toBe(1)
    directory.clock.advance(2_000)
    await reader.account('nobody')
    expect(count('account')).toBe(2)
    await setUserName('Somebody changed')
    await reader.poll()
    await reader.account('nobody')
    expect(count('account')).toBe(3)
  })

  it('does not cache a failure', async () => {
    const { reader, hooks } = await tokenReader()
    hooks.around = () => Promise.reject(new Error('no connection'))
    await expect(reader.account('alice')).rejects.toThrow('no connection')
    delete hooks.around
    expect(await reader.account('alice')).toBeDefined()
  })
})

describe('the change feed', () => {
  it.each([
    ['an account', 'account', "UPDATE directory.account SET nickname = 'x' WHERE user_id = 'alice'"],
    ['its metadata', 'account', "UPDATE directory.user_metadata SET value = '\\x01'"],
    [
      'its organization',
      'account',
      "UPDATE directory.organization SET name = 'New' WHERE organization_id = 'acme'",
    ],
    ['an application', 'client', 'UPDATE directory.application SET dev_mode = NOT dev_mode'],
    ['its secrets', 'client', 'UPDATE directory.application_secret SET expires_at = NULL'],
    [
      'its organization',
      'client',
      "UPDATE directory.organization SET name = 'Newer' WHERE organization_id = 'acme'",
    ],
    ['a project role', 'project', "INSERT INTO directory.project_role VALUES ('portal', 'viewer', 'Viewer')"],
    [
      'a granted role',
      'user_grant',
      "INSERT INTO directory.user_grant_role VALUES ('alice', 'portal', 'viewer')",
    ],
    ['a deleted role', 'user_grant', "DELETE FROM directory.project_role WHERE role_key = 'viewer'"],
    ['a policy', 'organization', "INSERT INTO directory.organization_policy VALUES ('acme', 'login', '{}')"],
    ['a feature', 'setting', 'UPDATE directory.feature SET enabled = NOT enabled'],
    ['a setting', 'setting', 'UPDATE directory.setting SET session_idle_seconds = 60'],
  ])('a change of %s drops the %s and no unrelated rows', async (_, kind, change) => {
    const { reader, count } = await tokenReader()
    const readAll = async () => {
      await reader.account('alice')
      await reader.client('web')
      await reader.project('portal')
      await reader.userGrants('alice')
      await reader.organization('acme')
      await reader.settings()
      await reader.account('migrator-id')
    }
    await readAll()
    const others = count('account')
    await directory.rows(change)
    await reader.poll()
    await readAll()
    expect(count(kind)).toBeGreaterThan(kind === 'account' ? others : 1)
    // Each account holds values of its organization, so a change of that drops the accounts too.
    const concernsAccounts = kind === 'account' || change.includes('directory.organization')
    if (!concernsAccounts) expect(count('account')).toBe(others)
  })

  it('sees a row that is committed late by a long transaction that began first', async () => {
    const { reader } = await tokenReader()
    const first = await reader.account('alice')
    const long = directory.as('signet_directory')
    await long.transaction(async (tx) => {
      await tx.query({
        name: '',
        text: "UPDATE directory.account SET display_name = 'Late' WHERE user_id = 'alice'",
      })
      // Later transactions commit, and polls pass them by, while this one is still open.
      for (let at = 0; at < 3; at += 1) {
        await directory.rows('UPDATE directory.application SET dev_mode = NOT dev_mode')
        await reader.poll()
      }
      expect((await reader.account('alice'))?.name).toBe(first?.name)
    })
    await reader.poll()
    expect((await reader.account('alice'))?.name).toBe('Late')
  })

  it('while a long transaction runs, a change drops its row once, not at every poll', async () => {
    const { reader, count } = await tokenReader()
    const long = directory.as('signet_directory')
    await long.transaction(async (tx) => {
      await tx.query({ name: '', text: 'SELECT pg_current_xact_id()' })
      await directory.rows('UPDATE directory.application SET dev_mode = NOT dev_mode')
      for (let at = 0; at < 3; at += 1) {
        await reader.poll()
        await reader.client('web')
      }
      expect(count('client')).toBe(1)
    })
  })

  it('while a long transaction runs, too much to look at drops everything once, not at every poll', async () => {
    const { reader, count } = await tokenReader()
    const long = directory.as('signet_directory')
    await long.transaction(async (tx) => {
      await tx.query({ name: '', text: 'SELECT pg_current_xact_id()' })
      await directory.rows(
        "INSERT INTO directory.change (kind, id) SELECT 'project', n::text FROM generate_series(1, 6000) n",
      )
      for (let at = 0; at < 3; at += 1) {
        await reader.poll()
        await reader.account('alice')
      }
      expect(count('account')).toBe(1)
    })
  })

  it('a row that was read before a change and arrives after it does not stick', async () => {
    const { reader, hooks } = await tokenReader()
    let release: (() => void) | undefined
    hooks.around = async (statement, run) => {
      const result = await run()
      if (statement.name === 'directory_reader.account') await new Promise<void>((go) => (release = go))
      return result
    }
    const slow = reader.account('alice')
    await expect.poll(() => release).toBeDefined()
    delete hooks.around
    await setUserName('Changed in between')
    await reader.poll()
    expect((await reader.account('alice'))?.name).toBe('Changed in between')
    release?.()
    expect((await slow)?.name).not.toBe('Changed in between')
    expect((await reader.account('alice'))?.name).toBe('Changed in between')
  })

  it('drops everything when there is too much to look at', async () => {
    const { reader, count } = await tokenReader()
    await reader.account('alice')
    await directory.rows(
      "INSERT INTO directory.change (kind, id) SELECT 'project', n::text FROM generate_series(1, 6000) n",
    )
    await reader.poll()
    await reader.account('alice')
    expect(count('account')).toBe(2)
  })

  it('invalidates cached misses when users are added, for any number of them', async () => {
    const { reader, count } = await tokenReader()
    await reader.account('alice')
    expect(await reader.account('new-1')).toBeUndefined()
    expect(await reader.account('new-6000')).toBeUndefined()
    await directory.rows(
      `INSERT INTO directory.account (user_id, organization_id, kind, user_name, user_name_key, display_name)
       SELECT 'new-' || n, 'acme', 'human', 'new-' || n, 'new-' || n, 'New' FROM generate_series(1, 6000) n`,
    )
    await reader.poll()
    expect(await reader.account('new-1')).toBeDefined()
    expect(await reader.account('new-6000')).toBeDefined()
    expect(count('account')).toBe(5)
    await reader.account('alice')
    expect(count('account')).toBe(5)
  })

  it('reads the feed by its index after fast growth without ANALYZE and beside open transactions', async () => {
    const { reader } = await tokenReader()
    const long = directory.as('signet_directory')
    await long.transaction(async (tx) => {
      await tx.query({ name: '', text: 'SELECT pg_current_xact_id()' })
      for (let at = 0; at < 10; at += 1) await reader.poll()
      await directory.rows(
        "INSERT INTO directory.change (kind, id) SELECT 'project', n::text FROM generate_series(1, 20000) n",
      )
      await reader.poll()
      const before = await readsOfFeed()
      // The statistics of a connection arrive with a delay.
      await expect
        .poll(async () => {
          await reader.poll()
          return (await readsOfFeed()).byIndex
        })
        .toBeGreaterThan(before.byIndex)
      expect((await readsOfFeed()).rowsOfScans - before.rowsOfScans).toBeLessThan(20_000)
    })
  })

  it('prunes a row one round after its transactions ended, and no row that a reader has still to see', async () => {
    const prune = createPruneChangeFeed(new ChangeFeedStore(directory.owner))
    const newest = async () =>
      (
        await directory.rows<{ seq: number | null }>('SELECT max(seq) AS seq FROM directory_read.change_v1')
      )[0]?.seq
    await setUserName('Before the first round')
    const before = await newest()
    await prune()
    expect(await newest()).toBe(before)
    await setUserName('Between the rounds')
    const between = await newest()
    await prune()
    expect(await newest()).toBe(between)
    // Transactions of other databases on the server hold the horizon back for as long as they run.
    await expect
      .poll(
        async () => {
          await prune()
          return newest()
        },
        { timeout: 240_000 },
      )
      .toBeNull()
  }, 250_000)
})

async function readsOfFeed(): Promise<{ readonly byIndex: number; readonly rowsOfScans: number }> {
  const [reads] = await directory.rows<{ byIndex: number; rowsOfScans: number }>(
    `SELECT idx_scan AS "byIndex", seq_tup_read AS "rowsOfScans" FROM pg_stat_user_tables
      WHERE schemaname = 'directory' AND relname = 'change'`,
  )
  if (reads === undefined) throw new Error('there is no feed')
  return reads
}

describe('epochs', () => {
  const epochs = async () => {
    const { reader } = await tokenReader()
    const account = await reader.account('alice')
    const client = await reader.client('web')
    return [account?.tokenEpoch, account?.organizationTokenEpoch, client?.tokenEpoch]
  }

  it('rise when an account, an application or an organization stops being active, in the same statement', async () => {
    const [user = 0, organization = 0, client = 0] = await epochs()
    await directory.rows("UPDATE directory.account SET state = 'locked' WHERE user_id = 'alice'")
    await directory.rows("UPDATE directory.application SET state = 'inactive' WHERE client_id = 'web'")
    await directory.rows(
      "UPDATE directory.organization SET state = 'inactive' WHERE organization_id = 'acme'",
    )
    expect(await epochs()).toEqual([user + 1, organization + 1, client + 1])
    await directory.rows("UPDATE directory.account SET state = 'active' WHERE user_id = 'alice'")
    expect(await epochs()).toEqual([user + 1, organization + 1, client + 1])
  })

  it('never fall', async () => {
    await expect(
      directory.rows("UPDATE directory.account SET token_epoch = -1 WHERE user_id = 'alice'"),
    ).rejects.toThrow('a token epoch never falls')
  })
})
