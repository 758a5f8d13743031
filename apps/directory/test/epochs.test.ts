import type { Database } from '@signet/platform/postgres/pool'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { EpochStore } from '../src/epochs/epoch.repository.ts'
import { createPruneEpochs } from '../src/jobs.ts'
import { type DirectoryFixture, directoryFixture, sampleDocument } from './directory-fixture.ts'

let directory: DirectoryFixture
let token: Database
beforeAll(async () => {
  directory = await directoryFixture()
  token = directory.as('signet_token')
  await directory.apply(sampleDocument())
})
afterAll(() => directory?.stop())
beforeEach(async () => {
  await directory.rows('DELETE FROM directory.ending_change')
})

/** The feed in the order in which token reads it: `u alice 1`. */
async function feed(): Promise<readonly string[]> {
  const { rows } = await token.query<{ text: string }>({
    name: 'feed',
    text: "SELECT kind || ' ' || id || ' ' || value AS text FROM directory_read.ending_change_v1 ORDER BY seq",
  })
  return rows.map(({ text }) => text)
}

const addAccount = (id: string, kind = 'human', organization = 'acme') =>
  directory.rows(
    `INSERT INTO directory.account (user_id, organization_id, kind, user_name, user_name_key, display_name)
     VALUES ($1::text, $3, $2, $1::text, $1::text, $1::text)`,
    [id, kind, organization],
  )
const addServiceUser = async (id: string, clientId: string, organization = 'acme') => {
  await addAccount(id, 'service_user', organization)
  await directory.rows('INSERT INTO directory.service_user (user_id, client_id) VALUES ($1, $2)', [
    id,
    clientId,
  ])
}
const addApplication = (id: string, clientId: string, project = 'portal') =>
  directory.rows(
    `INSERT INTO directory.application
       (application_id, client_id, project_id, name, type, auth_method, response_types, grant_types)
     VALUES ($1::text, $2, $3, $1::text, 'web', 'none', '{code}', '{authorization_code}')`,
    [id, clientId, project],
  )
async function addOrganization(id: string) {
  await directory.owner.transaction(async (tx) => {
    await tx.query({
      name: '',
      text: 'INSERT INTO directory.organization (organization_id, name, primary_domain) VALUES ($1::text, $1::text, $2)',
      values: [id, `${id}.localhost`],
    })
    await tx.query({
      name: '',
      text: 'INSERT INTO directory.organization_domain VALUES ($1, $2, true)',
      values: [id, `${id}.localhost`],
    })
  })
}
const raise = (table: string, key: string, id: string, to: number) =>
  directory.rows(`UPDATE directory.${table} SET token_epoch = $2 WHERE ${key} = $1`, [id, to])

describe('the feed of endings', () => {
  it('contains the risen epochs of users, and of the clients that service users are', async () => {
    await directory.rows("UPDATE directory.account SET state = 'inactive' WHERE kind = 'service_user'")
    await directory.rows("UPDATE directory.account SET state = 'locked' WHERE user_id = 'alice'")
    expect(await feed()).toEqual(['u migrator-id 1', 'c migrator 1', 'u alice 1'])
  })

  it('contains the risen epochs of applications by client_id, and of organizations', async () => {
    await addApplication('billing-app', 'billing-client')
    await directory.rows(
      "UPDATE directory.application SET state = 'inactive' WHERE application_id = 'billing-app'",
    )
    await directory.rows("UPDATE directory.organization SET state = 'inactive'")
    expect(await feed()).toEqual(['c billing-client 1', 'o acme 1'])
  })

  it('contains the epoch that a change of the password raises', async () => {
    const before = (await directory.epochOf('account', 'alice')) ?? 0
    await directory.rows("UPDATE directory.account_password SET changed_at = now() WHERE user_id = 'alice'")
    expect(await feed()).toEqual([`u alice ${before + 1}`])
  })

  it('contains nothing for changes that raise no epoch', async () => {
    await directory.rows("UPDATE directory.account SET nickname = 'x', state = 'active'")
    await directory.rows("UPDATE directory.organization SET name = 'New', state = 'active'")
    await directory.rows('UPDATE directory.application SET dev_mode = NOT dev_mode')
    await addAccount('newcomer')
    expect(await feed()).toEqual([])
  })
})

describe('the epoch of an object with the id of a deleted one', () => {
  it('continues above that of the deleted user', async () => {
    await addAccount('bob')
    await raise('account', 'user_id', 'bob', 4)
    await directory.rows("DELETE FROM directory.account WHERE user_id = 'bob'")
    expect(await feed()).toEqual(['u bob 4', 'u bob 5'])
    await addAccount('bob')
    expect(await directory.epochOf('account', 'bob')).toBe(5)
    await directory.rows("DELETE FROM directory.account WHERE user_id = 'bob'")
    await addAccount('bob')
    expect(await directory.epochOf('account', 'bob')).toBe(6)
  })

  it('continues above that of the deleted service user, whose client_id no application can get', async () => {
    await addServiceUser('robot-id', 'robot')
    await raise('account', 'user_id', 'robot-id', 7)
    await directory.rows("DELETE FROM directory.account WHERE user_id = 'robot-id'")
    expect((await feed()).slice(-2).sort()).toEqual(['c robot 8', 'u robot-id 8'])
    await expect(addApplication('robot-app', 'robot')).rejects.toThrow('only the same kind of object')
    await addServiceUser('robot-again', 'robot')
    expect(await directory.epochOf('account', 'robot-again')).toBe(8)
    // Its tokens carry the epochs of the client and of the user, so the feed has both.
    expect((await feed()).slice(-2)).toEqual(['u robot-again 8', 'c robot 8'])
  })

  it('continues above that of the deleted application, whose client_id no service user can get', async () => {
    await addApplication('shop-app', 'shop')
    await raise('application', 'application_id', 'shop-app', 3)
    await directory.rows("DELETE FROM directory.application WHERE application_id = 'shop-app'")
    expect((await feed()).at(-1)).toBe('c shop 4')
    await expect(addServiceUser('shop-robot', 'shop')).rejects.toThrow('only the same kind of object')
    await addApplication('shop-again', 'shop')
    expect(await directory.epochOf('client', 'shop')).toBe(4)
  })

  it('continues when an application gives its client_id up and takes it again', async () => {
    await addApplication('moving', 'first-client')
    await raise('application', 'application_id', 'moving', 2)
    await directory.rows(
      "UPDATE directory.application SET client_id = 'second-client' WHERE application_id = 'moving'",
    )
    expect((await feed()).at(-1)).toBe('c first-client 3')
    await directory.rows(
      "UPDATE directory.application SET client_id = 'first-client' WHERE application_id = 'moving'",
    )
    expect(await directory.epochOf('client', 'first-client')).toBe(3)

    await addServiceUser('moving-robot', 'third-client')
    await directory.rows("UPDATE directory.service_user SET client_id = NULL WHERE user_id = 'moving-robot'")
    expect((await feed()).at(-1)).toBe('c third-client 1')
    await directory.rows(
      "UPDATE directory.service_user SET client_id = 'third-client' WHERE user_id = 'moving-robot'",
    )
    expect(await directory.epochOf('account', 'moving-robot')).toBe(1)
    await directory.rows("DELETE FROM directory.service_user WHERE user_id = 'moving-robot'")
    expect((await feed()).at(-1)).toBe('c third-client 2')
  })

  it('continues for an organization and its objects', async () => {
    const fill = async () => {
      await addOrganization('umbrella')
      await directory.rows(
        "INSERT INTO directory.project (project_id, organization_id, name) VALUES ('lab', 'umbrella', 'Lab')",
      )
      await addAccount('ada', 'human', 'umbrella')
      await addServiceUser('drone-id', 'drone', 'umbrella')
      await addApplication('lab-app', 'lab-client', 'lab')
    }
    await fill()
    await raise('account', 'user_id', 'ada', 2)
    await directory.rows('DELETE FROM directory.ending_change')
    await directory.rows("DELETE FROM directory.organization WHERE organization_id = 'umbrella'")
    expect([...(await feed())].sort()).toEqual([
      'c drone 1',
      'c lab-client 1',
      'o umbrella 1',
      'u ada 3',
      'u drone-id 1',
    ])
    await fill()
    expect(await directory.epochOf('organization', 'umbrella')).toBe(1)
    expect(await directory.epochOf('account', 'ada')).toBe(3)
    expect(await directory.epochOf('account', 'drone-id')).toBe(1)
    expect(await directory.epochOf('client', 'lab-client')).toBe(1)
  })

  it.each([
    [
      'user',
      () => addAccount('racer'),
      "DELETE FROM directory.account WHERE user_id = 'racer'",
      'account',
      'racer',
    ],
    [
      'organization',
      () => addOrganization('races'),
      "DELETE FROM directory.organization WHERE organization_id = 'races'",
      'organization',
      'races',
    ],
    [
      'application',
      () => addApplication('racing', 'racing'),
      "DELETE FROM directory.application WHERE application_id = 'racing'",
      'client',
      'racing',
    ],
  ] as const)(
    'a %s that is created again while its deletion is uncommitted',
    async (_, make, remove, kind, id) => {
      await make()
      let remade: Promise<unknown> | undefined
      await directory.owner.transaction(async (tx) => {
        await tx.query({ name: '', text: remove })
        remade = make()
        // The newcomer waits for this transaction before it is let go.
        await expect
          .poll(() =>
            directory.rows(
              "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
            ),
          )
          .not.toEqual([])
      })
      await remade
      expect(await directory.epochOf(kind, id)).toBe(1)
    },
  )
})

it('records the end of a personal access token when it is deleted', async () => {
  await directory.rows('DELETE FROM directory.ending_change')
  await addServiceUser('ended-robot', 'ended-robot-client')
  await directory.rows(`INSERT INTO directory.personal_access_token (user_id, token_id, token_hash)
                        VALUES ('ended-robot', 'build', decode(repeat('cd', 32), 'hex'))`)
  expect(await feed()).toEqual([])
  await directory.rows("DELETE FROM directory.personal_access_token WHERE token_id = 'build'")
  expect(await feed()).toEqual(['p ended-robot build 1'])
})

it('keeps the feed for 25 hours and retired epochs for 401 days', async () => {
  await directory.rows('DELETE FROM directory.retired_epoch')
  await directory.rows(`
    INSERT INTO directory.retired_epoch (kind, id, epoch, owner_kind, owner_id, retired_at)
    VALUES ('u', 'old', 1, 'account', 'old', now() - interval '402 days'),
           ('u', 'young', 1, 'account', 'young', now() - interval '400 days')`)
  await directory.rows('DELETE FROM directory.ending_change')
  await directory.rows(`
    INSERT INTO directory.ending_change (kind, id, value, changed_at)
    VALUES ('u', 'old', 1, now() - interval '26 hours'), ('u', 'young', 1, now() - interval '24 hours')`)
  const prune = createPruneEpochs(new EpochStore(directory.owner))
  // Transactions of other databases on the server hold the horizon back for as long as they run.
  await expect
    .poll(
      async () => {
        await prune()
        return feed()
      },
      { timeout: 240_000 },
    )
    .toEqual(['u young 1'])
  expect(await directory.rows('SELECT id FROM directory.retired_epoch')).toEqual([{ id: 'young' }])
}, 250_000)

describe('the views of bearers for token', () => {
  it('a personal access token by its hash, active while its user and organization are', async () => {
    const read = async () => {
      const { rows } = await token.query({
        name: 'pat',
        text: 'SELECT token_id, user_id, kind, organization_id, expires_at, active FROM directory_read.personal_access_token_v1 WHERE token_hash = sha256($1)',
        values: [Buffer.from('p'.repeat(40))],
      })
      return rows
    }
    await directory.rows("UPDATE directory.account SET state = 'active'")
    await directory.rows("UPDATE directory.organization SET state = 'active'")
    const row = {
      token_id: 'first',
      user_id: 'migrator-id',
      kind: 'service_user',
      organization_id: 'acme',
      expires_at: null,
    }
    expect(await read()).toEqual([{ ...row, active: true }])
    await directory.rows("UPDATE directory.organization SET state = 'inactive'")
    expect(await read()).toEqual([{ ...row, active: false }])
    await directory.rows("UPDATE directory.organization SET state = 'active'")
    await directory.rows("UPDATE directory.account SET state = 'locked' WHERE user_id = 'migrator-id'")
    expect(await read()).toEqual([{ ...row, active: false }])
  })

  it('the roles of a user, and where they hold', async () => {
    await directory.rows(
      "INSERT INTO directory.member (user_id, level, project_id, role) VALUES ('alice', 'project', 'portal', 'PROJECT_OWNER')",
    )
    const { rows } = await token.query({
      name: 'member',
      text: "SELECT role, object_id FROM directory_read.member_v1 WHERE user_id = 'alice' ORDER BY role",
    })
    expect(rows).toEqual([
      { role: 'IAM_OWNER_VIEWER', object_id: null },
      { role: 'ORG_OWNER', object_id: 'acme' },
      { role: 'PROJECT_OWNER', object_id: 'portal' },
    ])
  })
})
