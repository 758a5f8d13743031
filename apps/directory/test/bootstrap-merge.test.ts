import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RpcClient, rpcClient } from '@signet/grpc/client'
import { CredentialService } from '@signet/grpc/gen/directory/v1/credential_service_pb'
import { createInProcessNetwork } from '@signet/grpc/in-process'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { defaultAuthenticator, totpCode } from '../src/credentials/totp.ts'
import {
  acme,
  type DirectoryFixture,
  directoryFixture,
  PASSWORD,
  type SampleDocument,
  sampleDocument,
} from './directory-fixture.ts'
import { startDirectoryIn, TIMEOUT } from './rpc-fixture.ts'

let directory: DirectoryFixture
beforeEach(async () => {
  directory = await directoryFixture()
})
afterEach(() => directory?.stop())

/** Signs alice in, by a replica that runs for this call alone. */
async function signIn<R>(call: (credentials: RpcClient<typeof CredentialService>) => Promise<R>): Promise<R> {
  const network = createInProcessNetwork({ onFailure: () => undefined })
  const service = await startDirectoryIn(network, directory)
  network.serve('directory', service.rpc ?? [])
  try {
    return await call(rpcClient(CredentialService, network.transport('login', 'directory')))
  } finally {
    await service.stop()
  }
}
const passwordIs = async (password: string) =>
  (await signIn((credentials) => credentials.verifyPassword({ loginName: 'alice', password }, TIMEOUT)))
    .account !== undefined
const epoch = () => directory.epochOf('account', 'alice')

it('writes everything that a file says', async () => {
  expect(await directory.apply(sampleDocument())).toEqual({ created: 10, updated: 1, unchanged: 0 })
  expect(await passwordIs(PASSWORD)).toBe(true)
  const seed = Buffer.from('Hello!\xde\xad\xbe\xef', 'latin1')
  const code = totpCode(defaultAuthenticator(seed), Math.floor(directory.clock.now().getTime() / 30_000))
  expect(
    await signIn((credentials) => credentials.verifyTotp({ userId: 'alice', code }, TIMEOUT)),
  ).toMatchObject({ accepted: true })
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
  expect(await directory.rows('SELECT role, object_id FROM directory_read.member_v1 ORDER BY role')).toEqual([
    { role: 'IAM_OWNER_VIEWER', object_id: null },
    { role: 'ORG_OWNER', object_id: 'acme' },
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
  await directory.rows("UPDATE directory.account_password SET hash = 'other' WHERE user_id = 'alice'")
  await directory.rows(
    "UPDATE directory.account SET state = 'locked', nickname = 'Al' WHERE user_id = 'alice'",
  )
  await directory.rows('DELETE FROM directory.personal_access_token')
  await directory.rows('DELETE FROM directory.application_secret')
  await directory.rows("DELETE FROM directory.member WHERE role = 'ORG_OWNER'")
  const before = await directory.digests()

  expect(await directory.apply(sampleDocument())).toEqual({ created: 0, updated: 0, unchanged: 10 })

  expect(await directory.digests()).toEqual(before)
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
    await directory.rows(
      "SELECT given_name, nickname FROM directory_read.account_claims_v1 WHERE user_id = 'alice'",
    ),
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
        "SELECT may_call_api, first_party FROM directory_read.client_v1 WHERE application_id = 'web'",
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
  expect(await epoch()).toBeUndefined()

  const document = sampleDocument()
  Object.assign(acme(document).users?.[0]?.profile ?? {}, { nickName: 'Al' })
  await directory.apply(document)
  expect(
    await directory.rows(
      "SELECT given_name, nickname FROM directory_read.account_claims_v1 WHERE user_id = 'alice'",
    ),
  ).toEqual([{ given_name: 'Alice', nickname: 'Al' }])
  expect(await passwordIs(PASSWORD)).toBe(true)
})

it('deletes nothing that the file no longer has', async () => {
  await directory.apply(sampleDocument())
  await directory.apply({})
  expect(await directory.rows('SELECT FROM directory_read.account_life_v1')).toHaveLength(2)
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
  expect(
    await directory.rows("SELECT FROM directory_read.organization_v1 WHERE organization_id = 'other'"),
  ).toEqual([])
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
    expect(await directory.rows('SELECT token_hash FROM directory_read.personal_access_token_v1')).toEqual([
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
  expect(await directory.rows('SELECT client_id FROM directory_read.service_user_v1')).toEqual([
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
  const owners = () => directory.rows("SELECT user_id FROM directory_read.member_v1 WHERE role = 'IAM_OWNER'")
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
