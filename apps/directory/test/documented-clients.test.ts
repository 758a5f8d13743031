// Clients that no organization registered, as the directory stores them (docs/decisions/0100).
import { randomBytes } from 'node:crypto'
import { createDirectoryReader } from '@signet/directory-reader/directory-reader'
import { silentLogger } from '@signet/platform/logger/logger'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DocumentedClientStore } from '../src/consents/documented-client.repository.ts'
import { sampleDocument } from './directory-fixture.ts'
import { type RpcFixture, rpcFixture, TIMEOUT } from './rpc-fixture.ts'

const ID = 'https://app.example/client.json'
const DOCUMENT = {
  name: 'app.example (App)',
  redirectUris: ['https://app.example/cb'],
  mayRefresh: true,
  signsAssertions: false,
}

let fixture: RpcFixture
let off: RpcFixture
beforeAll(async () => {
  const clientMetadata = { projectId: 'portal', hosts: { allowed: [], refused: [] } }
  fixture = await rpcFixture({ replicas: 2, clientMetadata })
  off = await rpcFixture()
  for (const { directory } of [fixture, off]) await directory.apply(withBob())
})
afterAll(async () => {
  await fixture?.stop()
  await off?.stop()
})

/** The sample with a second person. */
function withBob() {
  const document = sampleDocument()
  const [organization] = document.organizations ?? []
  const [alice] = organization?.users ?? []
  if (alice === undefined) throw new Error('the sample has no person')
  const email = { ...alice.email, address: 'bob@acme.test' }
  Object.assign(organization as object, {
    users: [...(organization?.users ?? []), { ...alice, id: 'bob', userName: 'bob', email }],
  })
  return document
}

const consent = (
  clientId = ID,
  client: object = DOCUMENT,
  { accounts }: Pick<RpcFixture, 'accounts'> = fixture,
) => accounts.recordConsent({ userId: 'alice', clientId, scopes: ['openid'], client }, TIMEOUT)

async function stored(clientId = ID) {
  const reader = createDirectoryReader({
    database: fixture.directory.as('signet_login'),
    logger: silentLogger,
  })
  try {
    return await reader.client(clientId)
  } finally {
    await reader.stop()
  }
}

describe('a consent with a document', () => {
  it('makes one public application on two replicas at once', async () => {
    await Promise.all(
      Array.from({ length: 8 }, (_, at) => consent(ID, DOCUMENT, fixture.replicas[at % 2] ?? fixture)),
    )
    expect(await stored()).toMatchObject({
      ...{ clientId: ID, projectId: 'portal', type: 'native', authMethod: 'none', active: true },
      ...{ name: DOCUMENT.name, redirectUris: DOCUMENT.redirectUris, firstParty: false, mayCallApi: false },
      grantTypes: ['authorization_code', 'refresh_token'],
    })
  })

  it('brings the application up to date, and keeps it inactive', async () => {
    await consent('https://app.example/changing')
    await fixture.directory.asAdministrator(
      "UPDATE directory.application SET state = 'inactive' WHERE client_id = 'https://app.example/changing'",
    )
    await consent('https://app.example/changing', {
      ...DOCUMENT,
      name: 'app.example',
      mayRefresh: false,
      signsAssertions: true,
    })
    expect(await stored('https://app.example/changing')).toMatchObject({
      ...{ name: 'app.example', grantTypes: ['authorization_code'], active: false },
      authMethod: 'private_key_jwt',
    })
  })

  it('changes no application of another project', async () => {
    const before = await stored('web')
    const elsewhere = new DocumentedClientStore({ projectId: 'none', newId: () => 'new' })
    await fixture.directory.owner.transaction((tx) =>
      elsewhere.put(
        tx,
        { clientId: 'web', ...DOCUMENT },
        { at: new Date(), actor: { kind: 'human', id: 'alice' } },
      ),
    )
    expect(await stored('web')).toEqual(before)
  })

  it('adds at most 50 applications for one person in a day, on two replicas at once', async () => {
    const ids = Array.from({ length: 60 }, (_, at) => `https://many.example/${at}`)
    const given = await Promise.allSettled(
      ids.map((clientId, at) =>
        (fixture.replicas[at % 2] ?? fixture).accounts.recordConsent(
          { userId: 'bob', clientId, scopes: ['openid'], client: DOCUMENT },
          TIMEOUT,
        ),
      ),
    )
    const added = ids.filter((_, at) => given[at]?.status === 'fulfilled')
    expect(added).toHaveLength(50)
    expect(await stored(added[0])).toMatchObject({ clientId: added[0] })
    const [left = ''] = ids.filter((id) => !added.includes(id))
    expect(await stored(left)).toBeUndefined()
    await consent(left)
    // A known client stays open to the person.
    await fixture.accounts.recordConsent(
      { userId: 'bob', clientId: left, scopes: ['openid'], client: DOCUMENT },
      TIMEOUT,
    )
  })

  it('is refused where such clients are off, or their project does not exist', async () => {
    await expect(consent(ID, DOCUMENT, off)).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' })
    const elsewhere = new DocumentedClientStore({
      projectId: 'none',
      newId: () => randomBytes(8).toString('hex'),
    })
    const clientId = 'https://app.example/none'
    await fixture.directory.owner.transaction((tx) =>
      elsewhere.put(tx, { clientId, ...DOCUMENT }, { at: new Date(), actor: { kind: 'human', id: 'alice' } }),
    )
    expect(await stored(clientId)).toBeUndefined()
  })
})

it('the organization of such a client opens none of its projects to it', async () => {
  const reader = createDirectoryReader({
    database: fixture.directory.as('signet_login'),
    logger: silentLogger,
  })
  const organizationId = (await stored())?.organizationId ?? ''
  expect(await reader.allowsAudience('portal', { clientId: 'web', organizationId })).toBe(true)
  expect(await reader.allowsAudience('portal', { clientId: ID, organizationId })).toBe(false)
  await reader.stop()
})
