import { toBinary } from '@bufbuild/protobuf'
import { createAuditRecorder } from '@signet/admin-api/audit/audit-recorder'
import { rpcClient } from '@signet/grpc/client'
import {
  CredentialService,
  VerifyPasswordResponseSchema,
} from '@signet/grpc/gen/directory/v1/credential_service_pb'
import { createInProcessNetwork } from '@signet/grpc/in-process'
import { BusyError, createPasswordHasher } from '@signet/password-hash/password-hasher'
import { silentLogger } from '@signet/platform/logger/logger'
import { FOREIGN_PASSWORD, FOREIGN_PASSWORD_HASHES } from '@signet/testing/foreign-password-hashes'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseLoginName } from '../src/accounts/login-name.ts'
import { auditTable } from '../src/audit/audit-table.ts'
import { CredentialStore } from '../src/credentials/credential.repository.ts'
import { createVerifyPassword } from '../src/credentials/verify-password.ts'
import { type DirectoryFixture, directoryFixture, PASSWORD } from './directory-fixture.ts'
import { startDirectoryIn } from './rpc-fixture.ts'

let directory: DirectoryFixture
let service: Awaited<ReturnType<typeof startDirectoryIn>>
const network = createInProcessNetwork({ onFailure: () => undefined })
const credentials = rpcClient(CredentialService, network.transport('login', 'directory'))

const SLOW_HASH = `$6$rounds=656000$salt$${'x'.repeat(86)}`

const person = (id: string, more: object = {}) => ({
  id,
  userName: id,
  profile: { givenName: 'A', familyName: 'B' },
  password: PASSWORD,
  ...more,
})

beforeAll(async () => {
  directory = await directoryFixture()
  await directory.apply({
    organizations: [
      {
        id: 'acme',
        name: 'ACME',
        primaryDomain: 'acme.localhost',
        domains: ['acme.example', { domainName: 'unproven.example', isVerified: false }],
        users: [
          person('alice', { email: { address: 'alice@mail.example', verified: true } }),
          person('locked', { state: 'locked' }),
          person('inactive', { state: 'inactive' }),
          person('twin-1', { userName: 'twin' }),
          person('bob', { email: { address: 'bob@mail.example', verified: false } }),
          person('émile', { id: 'emile' }),
          person('straße', { id: 'strasse' }),
          ...Object.values(FOREIGN_PASSWORD_HASHES).map((passwordHash, at) =>
            person(`foreign-${at}`, { password: undefined, passwordHash }),
          ),
          person('slow', { password: undefined, passwordHash: SLOW_HASH }),
          person('none', { password: undefined }),
          person('shared-1', { email: { address: 'shared@mail.example', verified: true } }),
          person('shared-2', { email: { address: 'shared@mail.example', verified: true } }),
          person('carol', { userName: 'carol@acme.localhost' }),
        ],
        serviceUsers: [{ id: 'robot', userName: 'robot' }],
      },
      {
        id: 'other',
        name: 'Other',
        primaryDomain: 'other.localhost',
        domains: ['other.example'],
        users: [
          person('twin-2', { userName: 'twin' }),
          person('dora'),
          person('owner', { email: { address: 'owner@other.example', verified: true } }),
          person('named', { email: { address: 'named@other.example', verified: true } }),
          person('proven', { email: { address: 'proven@free.example', verified: true } }),
          person('both', {
            userName: 'both@free.example',
            email: { address: 'both@free.example', verified: true },
          }),
        ],
      },
      ...['hostile-1', 'hostile-2', 'hostile-3'].map((id) => ({
        id,
        name: id,
        primaryDomain: `${id}.localhost`,
        users: [
          person(`${id}-owner`, { email: { address: 'owner@other.example', verified: true } }),
          person(`${id}-guest`, { email: { address: `guest-of-${id}@other.example`, verified: true } }),
          person(`${id}-named`, { userName: 'named@other.example' }),
          person(`${id}-proven`, { userName: 'proven@free.example' }),
          person(`${id}-both`, { userName: 'both@free.example' }),
        ],
      })),
      { id: 'closed', name: 'Closed', primaryDomain: 'closed.localhost', users: [person('gone')] },
    ],
  })
  await directory.rows(
    "UPDATE directory.organization SET state = 'inactive' WHERE organization_id = 'closed'",
  )
  service = await startDirectoryIn(network, directory)
  network.serve('directory', service.rpc ?? [])
})
afterAll(async () => {
  await service?.stop()
  await directory?.stop()
})

async function verify(loginName: string, password = PASSWORD, organizationId = '') {
  return credentials.verifyPassword({ loginName, password, organizationId }, { timeoutMs: 10_000 })
}
const whoIs = async (loginName: string, organizationId = '') =>
  (await verify(loginName, PASSWORD, organizationId)).account?.userId

describe('login names', () => {
  it.each([
    ['the user name alone', 'alice', 'alice'],
    ['any case, spaces around', '  ALICE ', 'alice'],
    ['a name of another composition', 'e\u0301mile', 'emile'],
    ['the primary domain', 'alice@acme.localhost', 'alice'],
    ['another verified domain', 'Alice@ACME.example', 'alice'],
    ['a verified e-mail', 'alice@mail.example', 'alice'],
    ['a user name that looks like an e-mail of the organization', 'carol@acme.localhost', 'carol'],
    ['a user name that two organizations have, with its domain', 'twin@other.localhost', 'twin-2'],
    ['an unverified domain', 'alice@unproven.example', undefined],
    ['an unverified e-mail', 'bob@mail.example', undefined],
    ['a user name that two organizations have', 'twin', 'twin-1'],
    ['a user name of another organization than that of the application', 'dora', undefined],
    ['a user name as case folding has it', 'STRASSE', 'strasse'],
    ['a user name in wide forms', 'ａｌｉｃｅ', 'alice'],
    ['a domain in another form', 'alice@ACME。example.', 'alice'],
    ['an e-mail that two people have', 'shared@mail.example', undefined],
    ['a service user', 'robot', undefined],
    ["the name of another organization's user at this domain", 'dora@acme.localhost', undefined],
    ['nothing', '', undefined],
  ])('%s', async (_, loginName, userId) => {
    expect(await whoIs(loginName)).toBe(userId)
  })

  it.each([
    ['a verified address in the domain of the own organization', 'owner@other.example', '', 'owner'],
    ['the same in the context of that organization', 'owner@other.example', 'other', 'owner'],
    ['a user name of others that looks like such an address', 'named@other.example', '', 'named'],
    ['a user name of others that looks like a verified address', 'proven@free.example', '', 'proven'],
    ['a user name of others that is also a name and the address of one', 'both@free.example', '', 'both'],
    [
      'an address in the domain of another organization',
      'guest-of-hostile-1@other.example',
      '',
      'hostile-1-guest',
    ],
    ['the same where that organization is asked for', 'guest-of-hostile-1@other.example', 'other', undefined],
  ])(
    'claims of other organizations take no login name away: %s',
    async (_, loginName, organizationId, userId) => {
      expect(await whoIs(loginName, organizationId)).toBe(userId)
    },
  )

  it('an organization resolves an ambiguous name, and another one finds no account', async () => {
    expect(await whoIs('twin', 'other')).toBe('twin-2')
    expect(await whoIs('alice', 'other')).toBeUndefined()
    expect(await whoIs('alice@acme.localhost', 'other')).toBeUndefined()
  })
})

// On a connection of its own, where PostgreSQL has planned nothing yet.
it.each(['credential.candidates', 'credential.attempt_limit'])(
  'plans the statement %s once for all names, after the five plans that PostgreSQL compares',
  async (statement) => {
    // An automatic one in between would let PostgreSQL compare again.
    await directory.superuser().query({ name: '', text: 'ANALYZE' })
    await directory.as('signet_directory').transaction(async (tx) => {
      const store = new CredentialStore(tx)
      for (let count = 0; count < 8; count += 1) {
        const name = parseLoginName(`name-${count}`)
        await store.candidates(name, { organizationId: undefined, clientId: undefined })
        await store.attemptLimit(name, { organizationId: undefined, clientId: undefined })
      }
      const { rows } = await tx.query<{ plans: number }>({
        name: '',
        text: 'SELECT generic_plans AS plans FROM pg_prepared_statements WHERE name = $1',
        values: [statement],
      })
      expect(rows).toEqual([{ plans: 3 }])
    })
  },
)

describe('where failures count', () => {
  const keyOf = (loginName: string, organizationId = '') =>
    credentials.findAttemptKey({ loginName, organizationId }, { timeoutMs: 10_000 })
  const keysOf = (names: readonly string[]) => Promise.all(names.map((name) => keyOf(name)))

  it('is one key for all names of an account', async () => {
    const names = [' ALICE ', 'alice@acme.localhost', 'alice@acme.example', 'alice@mail.example']
    const first = await keyOf('alice')
    expect(first.attemptKey).toMatch(/^[\w-]{43}$/)
    for (const key of await keysOf(names)) expect(key).toEqual(first)
  })

  it('is a key of its own for another account, for a name without one, and for each such name', async () => {
    const names = [
      'alice',
      'bob',
      'inactive',
      'nobody',
      'nobody@acme.localhost',
      'twin',
      'alice@unproven.example',
    ]
    const keys = await keysOf(names)
    expect(new Set(keys.map(({ attemptKey }) => attemptKey)).size).toBe(names.length)
    expect(new Set(keys.map(({ deviceKey }) => deviceKey)).size).toBe(names.length)
    expect(await keyOf('  NOBODY ')).toEqual(keys[3])
  })

  it('gives devices another key after the epoch of the account rose, and sign-ins keep theirs', async () => {
    const before = await keyOf('dora@other.localhost')
    await directory.rows("UPDATE directory.account SET token_epoch = token_epoch + 1 WHERE user_id = 'dora'")
    const after = await keyOf('dora@other.localhost')
    expect(after.attemptKey).toBe(before.attemptKey)
    expect(after.deviceKey).not.toBe(before.deviceKey)
    expect((await verify('dora@other.localhost')).account?.deviceKey).toBe(after.deviceKey)
  })

  it('returns the limit of the home organization for every name and domain', async () => {
    await directory.rows(
      `INSERT INTO directory.organization_policy VALUES ('other', 'lockout', '{"maxPasswordAttempts": 3}')`,
    )
    const limits = await Promise.all(
      [
        keyOf('dora', 'other'),
        keyOf('dora@other.localhost'),
        keyOf('nobody@other.localhost'),
        keyOf('nobody', 'other'),
      ].map(async (key) => (await key).maxPasswordAttempts),
    )
    expect(limits).toEqual([3, 3, 3, 3])
    expect((await keyOf('alice')).maxPasswordAttempts).toBe(5)
    expect((await keyOf('nobody')).maxPasswordAttempts).toBe(5)
  })
})

it('runs no hash for a throttled try', async () => {
  const hasher = createPasswordHasher({ concurrency: 1, queueLimit: 0 })
  const verifyWith = createVerifyPassword({
    credentials: new CredentialStore(directory.owner),
    isPasskeyOffered: async () => false,
    hasher,
    audit: createAuditRecorder(auditTable, directory.owner),
    reportRefused: () => undefined,
    recordNewBrowser: undefined,
    logger: silentLogger,
  })
  // The only place for such hashes is taken for a second.
  const running = hasher.verifyPassword(SLOW_HASH, 'wrong')
  const attempt = { loginName: 'slow', password: PASSWORD }
  expect(await verifyWith({ ...attempt, throttled: true })).toBeUndefined()
  await expect(verifyWith(attempt)).rejects.toThrow(BusyError)
  await running
})

it('returns the organization and the epochs of the new session', async () => {
  await directory.rows("UPDATE directory.account SET token_epoch = 3 WHERE user_id = 'dora'")
  expect((await verify('dora', PASSWORD, 'other')).account).toMatchObject({
    userId: 'dora',
    organizationId: 'other',
    userEpoch: 3n,
    organizationEpoch: 0n,
  })
})

it('wrong, unknown, locked, inactive, ambiguous and without a password: the same bytes [F-32]', async () => {
  const answers = [
    await verify('alice', 'Wrong-horse-1'),
    await verify('nobody'),
    await verify('locked'),
    await verify('inactive'),
    await verify('gone'),
    await verify('shared@mail.example'),
    await verify('none'),
  ]
  for (const answer of answers) expect(toBinary(VerifyPasswordResponseSchema, answer)).toHaveLength(0)
})

it('makes one argon2id hash for each reason of a refusal [F-32]', async () => {
  const hasher = createPasswordHasher({ concurrency: 1, queueLimit: 1 })
  let hashes = 0
  const verifyPassword = createVerifyPassword({
    credentials: new CredentialStore(directory.owner),
    isPasskeyOffered: async () => false,
    hasher: {
      ...hasher,
      verifyPassword(hash, password) {
        if (hash.startsWith('$argon2id$v=19$m=19456,')) hashes += 1
        return hasher.verifyPassword(hash, password)
      },
      rehashPassword(password) {
        hashes += 1
        return hasher.rehashPassword(password)
      },
    },
    audit: createAuditRecorder(auditTable, directory.owner),
    reportRefused: () => undefined,
    recordNewBrowser: undefined,
    logger: silentLogger,
  })
  const imported = `foreign-${Object.keys(FOREIGN_PASSWORD_HASHES).indexOf('md5plain')}`
  const reasons = ['alice', 'nobody', 'locked', 'inactive', 'gone', 'shared@mail.example', 'none', imported]
  const counts: Record<string, number> = {}
  for (const loginName of reasons) {
    hashes = 0
    expect(await verifyPassword({ loginName, password: 'Wrong-horse-1' })).toBeUndefined()
    counts[loginName] = hashes
  }
  expect(counts).toEqual(Object.fromEntries(reasons.map((loginName) => [loginName, 1])))
})

describe('hashes of other programs', () => {
  const stored = async (userId: string) =>
    (
      await directory.rows<{ hash: string; token_epoch: number }>(
        'SELECT p.hash, a.token_epoch FROM directory.account_password p JOIN directory.account a USING (user_id) WHERE user_id = $1',
        [userId],
      )
    )[0]

  it.each(Object.entries(FOREIGN_PASSWORD_HASHES).map(([format, hash], at) => [format, hash, at] as const))(
    'a person with %s signs in, gets an argon2id hash, keeps every token and signs in again',
    async (_, hash, at) => {
      const person = `foreign-${at}`
      expect((await verify(person, 'not-it')).account).toBeUndefined()
      expect(await stored(person)).toEqual({ hash, token_epoch: 0 })
      expect((await verify(person, FOREIGN_PASSWORD)).account).toMatchObject({
        userId: person,
        userEpoch: 0n,
      })
      expect(await stored(person)).toEqual({
        hash: expect.stringMatching(/^\$argon2id\$v=19\$m=19456,/),
        token_epoch: 0,
      })
      expect((await verify(person, FOREIGN_PASSWORD)).account?.userId).toBe(person)
    },
  )
})

it('only login may ask', async () => {
  const token = rpcClient(CredentialService, network.transport('token', 'directory'))
  await expect(
    token.verifyPassword({ loginName: 'alice', password: PASSWORD }, { timeoutMs: 1000 }),
  ).rejects.toMatchObject({
    code: 'PERMISSION_DENIED',
  })
})
