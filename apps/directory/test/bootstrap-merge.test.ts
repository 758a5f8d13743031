import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPasswordHasher } from '@signet/password-hash/password-hasher'
import { openValue } from '@signet/platform/sealing/sealed-value'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  acme,
  type DirectoryFixture,
  directoryFixture,
  PASSWORD,
  type SampleDocument,
  sampleDocument,
} from './directory-fixture.ts'

let directory: DirectoryFixture
beforeEach(async () => {
  directory = await directoryFixture()
})
afterEach(() => directory?.stop())

const hasher = createPasswordHasher({ concurrency: 1, queueLimit: 10 })
async function passwordIs(password: string): Promise<boolean> {
  const [row] = await directory.rows<{ hash: string }>(
    "SELECT hash FROM directory.account_password WHERE user_id = 'alice'",
  )
  return (await hasher.verifyPassword(row?.hash ?? '', password)).matches
}
const epoch = async () =>
  (
    await directory.rows<{ token_epoch: number }>(
      "SELECT token_epoch FROM directory.account WHERE user_id = 'alice'",
    )
  )[0]?.token_epoch

it('writes everything that a file says', async () => {
  expect(await directory.apply(sampleDocument())).toEqual({ created: 10, updated: 1, unchanged: 0 })
  expect(await passwordIs(PASSWORD)).toBe(true)
  const [totp] = await directory.rows<{ sealed_seed: Buffer }>(
    'SELECT sealed_seed FROM directory.account_totp',
  )
  expect(openValue(directory.masterKeys, totp?.sealed_seed ?? Buffer.alloc(0), 'account_totp alice')).toEqual(
    Buffer.from('Hello!\xde\xad\xbe\xef', 'latin1'),
  )
  expect(
    await directory.rows("SELECT * FROM directory_read.account_claims_v1 WHERE user_id = 'alice'"),
  ).toEqual([
    expect.objectContaining({
      login_name: 'alice@acme.localhost',
      name: 'Alice Example',
      email: 'Alice@acme.localhost',
      email_verified: true,
      locality: 'Zurich',
      metadata: { customer_no: Buffer.from('4711').toString('base64url') },
      active: true,
      token_epoch: 0,
    }),
  ])
  expect(
    await directory.rows('SELECT level, role, organization_id FROM directory.member ORDER BY level'),
  ).toEqual([
    { level: 'instance', role: 'IAM_OWNER_VIEWER', organization_id: null },
    { level: 'organization', role: 'ORG_OWNER', organization_id: 'acme' },
  ])
  expect(await directory.rows('SELECT user_id, role_keys FROM directory_read.user_grant_v1')).toEqual([
    { user_id: 'alice', role_keys: ['admin'] },
  ])
  expect(await directory.rows('SELECT * FROM directory_read.client_v1 ORDER BY client_id')).toEqual([
    expect.objectContaining({
      client_id: 'migrator',
      kind: 'service_user',
      user_id: 'migrator-id',
      grant_types: ['client_credentials'],
      secrets: [{ hash: expect.stringMatching(/^\$argon2id\$/), expires_at: null }],
    }),
    expect.objectContaining({
      client_id: 'web',
      type: 'web',
      auth_method: 'client_secret_basic',
      grant_types: ['authorization_code', 'refresh_token'],
      secrets: [
        {
          hash: `sha256$${createHash('sha256').update('x'.repeat(43)).digest('base64url')}`,
          expires_at: null,
        },
      ],
    }),
  ])
  expect(
    await directory.rows('SELECT access_token_lifetime_seconds AS s FROM directory_read.setting_v1'),
  ).toEqual([{ s: 600 }])
})

it('a restart with an unchanged file brings back no old password, no unlocked user, no deleted token', async () => {
  await directory.apply(sampleDocument())
  const newHash = await hasher.hashPassword('Another-horse-10')
  await directory.rows(
    "UPDATE directory.account_password SET hash = $1, changed_at = now() WHERE user_id = 'alice'",
    [newHash],
  )
  await directory.rows(
    "UPDATE directory.account SET state = 'locked', nickname = 'Al' WHERE user_id = 'alice'",
  )
  await directory.rows('DELETE FROM directory.personal_access_token')
  await directory.rows('DELETE FROM directory.application_secret')
  await directory.rows("DELETE FROM directory.member WHERE role = 'ORG_OWNER'")
  const before = await epoch()

  expect(await directory.apply(sampleDocument())).toEqual({ created: 0, updated: 0, unchanged: 10 })

  expect(await passwordIs('Another-horse-10')).toBe(true)
  expect(
    await directory.rows("SELECT state, nickname FROM directory.account WHERE user_id = 'alice'"),
  ).toEqual([{ state: 'locked', nickname: 'Al' }])
  expect(await directory.rows('SELECT FROM directory.personal_access_token')).toEqual([])
  expect(await directory.rows('SELECT FROM directory.application_secret')).toEqual([])
  expect(await directory.rows("SELECT FROM directory.member WHERE role = 'ORG_OWNER'")).toEqual([])
  expect(await epoch()).toBe(before)
})

it('writes only the fields that changed in the file, and ends the tokens of a changed secret', async () => {
  await directory.apply(sampleDocument())
  await directory.rows(
    "UPDATE directory.account SET nickname = 'Al', given_name = 'Alicia' WHERE user_id = 'alice'",
  )
  const document = sampleDocument()
  Object.assign(acme(document).users?.[0] ?? {}, { password: 'Third-horse-11', state: 'active' })
  directory.clock.advance(60_000)
  await directory.apply(document)
  expect(await passwordIs('Third-horse-11')).toBe(true)
  expect(await epoch()).toBe(1)
  expect(
    await directory.rows("SELECT given_name, nickname FROM directory.account WHERE user_id = 'alice'"),
  ).toEqual([{ given_name: 'Alicia', nickname: 'Al' }])
})

it('writes a changed claimMapping as a whole, and takes another order of its claims for the same', async () => {
  const applyMapping = (claimMapping: Record<string, string>) => {
    const document = sampleDocument()
    Object.assign(acme(document).projects?.[0]?.applications?.[0] ?? {}, { claimMapping })
    return directory.apply(document)
  }
  await applyMapping({ department: 'department', cost_center: 'center' })
  expect(await applyMapping({ cost_center: 'center', department: 'department' })).toMatchObject({
    updated: 0,
  })
  expect(await applyMapping({ department: 'unit' })).toMatchObject({ updated: 1 })
  expect(
    await directory.rows("SELECT claim_mapping FROM directory_read.client_v1 WHERE client_id = 'web'"),
  ).toEqual([{ claim_mapping: { department: 'unit' } }])
})

it.each([
  ['a redirect URI', { redirectUris: ['http://localhost:3000/other'] }],
  ['the secret', { clientSecret: 'y'.repeat(43) }],
  [
    'a key',
    {
      keys: [{ id: 'k1', publicKeyJwk: generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }) }],
    },
  ],
])(
  'a changed file that changes %s keeps the marks that the entry states, and no others',
  async (_, changed) => {
    const documentWith = (more: object) => {
      const document = sampleDocument()
      Object.assign(acme(document).projects?.[0]?.applications?.[0] ?? {}, more)
      return document
    }
    const marks = () =>
      directory.rows(
        "SELECT may_call_api, first_party FROM directory.application WHERE application_id = 'web'",
      )
    await directory.apply(documentWith({ mayCallApi: true }))
    await directory.rows('UPDATE directory.application SET first_party = true')
    await directory.apply(documentWith({ mayCallApi: true, name: 'Renamed' }))
    expect(await marks()).toEqual([{ may_call_api: true, first_party: true }])
    await directory.apply(documentWith({ mayCallApi: true, name: 'Renamed', ...changed }))
    expect(await marks()).toEqual([{ may_call_api: true, first_party: false }])
  },
)

it('a deleted object stays deleted until the file changes it; then it is created with all fields', async () => {
  await directory.apply(sampleDocument())
  await directory.rows("DELETE FROM directory.account WHERE user_id = 'alice'")
  await directory.apply(sampleDocument())
  expect(await directory.rows("SELECT FROM directory.account WHERE user_id = 'alice'")).toEqual([])

  const document = sampleDocument()
  Object.assign(acme(document).users?.[0]?.profile ?? {}, { nickName: 'Al' })
  await directory.apply(document)
  expect(
    await directory.rows("SELECT given_name, nickname FROM directory.account WHERE user_id = 'alice'"),
  ).toEqual([{ given_name: 'Alice', nickname: 'Al' }])
  expect(await passwordIs(PASSWORD)).toBe(true)
})

it('deletes nothing that the file no longer has', async () => {
  await directory.apply(sampleDocument())
  await directory.apply({})
  expect(await directory.rows('SELECT FROM directory.account')).toHaveLength(2)
})

it('keeps generated ids over restarts', async () => {
  const document = () => ({
    organizations: [
      {
        name: 'Bare',
        primaryDomain: 'bare.localhost',
        projects: [
          {
            name: 'P',
            applications: [{ name: 'A', type: 'native' as const, redirectUris: ['app.bare:/cb'] }],
          },
        ],
      },
    ],
  })
  await directory.apply(document())
  const clients = await directory.rows<{ client_id: string }>(
    'SELECT client_id, organization_id FROM directory_read.client_v1',
  )
  expect(clients).toEqual([
    {
      client_id: expect.stringMatching(/^[a-z2-7]{26}$/),
      organization_id: expect.stringMatching(/^[a-z2-7]{26}$/),
    },
  ])
  await directory.apply(document())
  expect(await directory.rows('SELECT client_id, organization_id FROM directory_read.client_v1')).toEqual(
    clients,
  )
})

it('recognises secrets that were applied under the older of two master keys', async () => {
  await directory.apply(sampleDocument())
  const rotated = [randomBytes(32), ...directory.masterKeys]
  expect(await directory.apply(sampleDocument(), {}, rotated)).toMatchObject({ created: 0, updated: 0 })
})

it('two processes that start at once make one result', async () => {
  const results = await Promise.all([1, 2, 3].map(() => directory.apply(sampleDocument())))
  expect(results.map(({ created }) => created).sort()).toEqual([0, 0, 10])
})

it('no id is a user and a client; a refused object is named and everything rolled back [F-29]', async () => {
  await directory.apply(sampleDocument())
  await expect(
    directory.apply({
      organizations: [
        {
          id: 'other',
          name: 'Other',
          primaryDomain: 'other.localhost',
          users: [{ id: 'web', userName: 'w', profile: { givenName: 'W', familyName: 'E' } }],
        },
      ],
    }),
  ).rejects.toMatchObject({
    problems: ['organizations[0].users[0]: the id web belongs to another user, service user or application'],
  })
  expect(await directory.rows("SELECT FROM directory.organization WHERE organization_id = 'other'")).toEqual(
    [],
  )
})

it('does not change the user of another organization with the same id', async () => {
  await directory.apply(sampleDocument())
  const document = sampleDocument()
  Object.assign(acme(document), {
    id: 'other',
    primaryDomain: 'other.localhost',
    serviceUsers: [],
    projects: [],
  })
  await expect(directory.apply({ organizations: document.organizations })).rejects.toMatchObject({
    problems: ['organizations[0].users[0].id: is the id of something with another owner'],
  })
})

it('generates a personal access token once, into a file that only its owner may read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'signet-bootstrap-'))
  try {
    const outputFile = join(folder, 'first.pat')
    const document = () => {
      const sample = sampleDocument()
      Object.assign(acme(sample).serviceUsers?.[0] ?? {}, {
        personalAccessTokens: [{ id: 'first', outputFile }],
      })
      return sample
    }
    await directory.apply(document())
    const token = (await readFile(outputFile, 'utf8')).trim()
    expect(token).toMatch(/^sgpat_[A-Za-z0-9_-]{49}$/)
    expect((await stat(outputFile)).mode & 0o777).toBe(0o600)
    expect(await directory.rows('SELECT token_hash FROM directory.personal_access_token')).toEqual([
      { token_hash: createHash('sha256').update(token).digest() },
    ])
    await directory.apply(document())
    expect((await readFile(outputFile, 'utf8')).trim()).toBe(token)
  } finally {
    await rm(folder, { recursive: true })
  }
})

it('a service user whose name is taken gets userName@primaryDomain as client_id', async () => {
  const document = sampleDocument()
  acme(document).users?.push({ id: 'migrator', userName: 'm', profile: { givenName: 'M', familyName: 'M' } })
  await directory.apply(document)
  expect(await directory.rows('SELECT client_id FROM directory.service_user')).toEqual([
    { client_id: 'migrator@acme.localhost' },
  ])
})

it('refuses a password that a stored policy of the organization forbids', async () => {
  await directory.apply(sampleDocument())
  await directory.rows(
    `INSERT INTO directory.organization_policy VALUES ('acme', 'password_complexity', '{"minLength": 20}')`,
  )
  const document = sampleDocument()
  Object.assign(acme(document).users?.[0] ?? {}, { password: 'Short-horse-1' })
  await expect(directory.apply(document)).rejects.toMatchObject({
    problems: ['organizations[0].users[0].password: needs at least 20 characters'],
  })
})

it('stores no secret of the file in the clear', async () => {
  await directory.apply(sampleDocument())
  const secrets = [
    ...[PASSWORD, 'JBSWY3DPEHPK3PXP', 'Hello!'],
    ...['a-secret-of-people-1', 'p'.repeat(40), 'x'.repeat(43)],
  ]
  expect(await directory.placesOf('alice@acme.localhost', ...secrets)).toEqual([
    'directory.account: alice@acme.localhost',
  ])
})

it('D: a file may hand IAM_OWNER on, and not take it from the last one', async () => {
  const document = (
    first: readonly 'IAM_OWNER'[],
    second: readonly 'IAM_OWNER'[],
    secret = 'a-secret-of-the-second',
  ): SampleDocument => ({
    organizations: [
      {
        id: 'owners',
        name: 'Owners',
        primaryDomain: 'owners.localhost',
        serviceUsers: [
          { id: 'first-owner', userName: 'first', clientSecret: 'a-secret-of-the-first', roles: [...first] },
          { id: 'second-owner', userName: 'second', clientSecret: secret, roles: [...second] },
        ],
      },
    ],
  })
  const owners = () => directory.rows("SELECT user_id FROM directory.member WHERE role = 'IAM_OWNER'")
  await directory.apply(document(['IAM_OWNER'], []))
  await directory.apply(document([], ['IAM_OWNER']))
  expect(await owners()).toEqual([{ user_id: 'second-owner' }])
  await expect(directory.apply(document([], []))).rejects.toThrow(
    'give IAM_OWNER to another active user who can sign in first',
  )
  // Another secret takes the place of the one before it.
  await directory.apply(document([], ['IAM_OWNER'], 'another-secret-of-the-second'))
  expect(await owners()).toEqual([{ user_id: 'second-owner' }])
})
