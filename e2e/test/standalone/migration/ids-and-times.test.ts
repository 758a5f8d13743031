import { generateKeyPairSync } from 'node:crypto'
import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMigrationClient, type MigrationClient, migrationSystem } from '../migration-client.ts'

let target: MigrationClient
beforeAll(async () => {
  target = createMigrationClient(await startSystem(migrationSystem()))
}, 60_000)
afterAll(() => target?.system.stop())

const PAST = '2001-02-03T04:05:06Z'
const FUTURE = '2999-01-01T00:00:00Z'

/** An organization with one record of each list that has a time of creation. */
function organization(orgId: string, creationDate: string, userGrantId = `${orgId}-grant`) {
  const [projectId, userId] = [`${orgId}-project`, `${orgId}-user`]
  const app = { projectId, name: 'App', authMethodType: 'OIDC_AUTH_METHOD_TYPE_NONE' }
  return {
    orgId,
    org: { name: orgId },
    creationDate,
    orgMetadata: [{ key: 'plan', value: Buffer.from([0, 255, 10]).toString('base64') }],
    humanUsers: [{ userId, user: { userName: userId }, creationDate, changeDate: creationDate }],
    projects: [{ projectId, project: { name: 'Project' }, creationDate }],
    oidcApps: [{ appId: `${orgId}-app`, app, creationDate }],
    userGrants: [{ userId, projectId, userGrantId, creationDate }],
  }
}

const imported = async (...orgs: readonly object[]) => {
  const { body } = await target.import({ orgs })
  return body
}
const read = async (path: string) =>
  (await (await target.manage('GET', path)).json()) as Record<string, unknown>

async function timesOf(orgId: string): Promise<readonly unknown[]> {
  const paths = [
    `/organizations/${orgId}`,
    `/users/${orgId}-user`,
    `/projects/${orgId}-project`,
    `/applications/${orgId}-app`,
  ]
  const shown = await Promise.all(paths.map(read))
  const { items } = await read(`/projects/${orgId}-project/user-grants`)
  return [...shown, ...(items as Record<string, unknown>[])].map(({ createdAt }) => createdAt)
}

describe('ids and times of an imported document', () => {
  it('keeps times of creation, ids of user grants and metadata of organizations', async () => {
    expect((await imported(organization('old', PAST))).errors).toBeUndefined()
    expect(await timesOf('old')).toEqual(Array(5).fill('2001-02-03T04:05:06.000Z'))
    expect(await read('/projects/old-project/user-grants')).toMatchObject({ items: [{ id: 'old-grant' }] })
    expect(await read('/organizations/old/metadata/plan')).toEqual({ key: 'plan', value: 'AP8K' })
    const [moved] = (await target.export({ org_ids: ['old'] })).orgs
    expect(moved).toMatchObject(organization('old', PAST))
  })

  it('keeps the times at which keys were registered', async () => {
    const publicKey = Buffer.from(
      generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }),
    ).toString('base64')
    const { errors } = await imported({
      ...organization('keys', PAST),
      machineUsers: [{ userId: 'robot', user: { userName: 'robot' } }],
      machineKeys: [{ keyId: 'one', userId: 'robot', publicKey, creationDate: PAST }],
      appKeys: [{ id: 'two', appId: 'keys-app', publicKey }],
    })
    expect(errors).toBeUndefined()
    const keysOf = async (owner: string) => {
      const answer = await target.manage('GET', `/${owner}/keys`)
      return ((await answer.json()) as { items: { id: string; createdAt: string }[] }).items
    }
    expect(await keysOf('users/robot')).toMatchObject([
      { id: 'one', createdAt: new Date(PAST).toISOString() },
    ])
    const [key] = await keysOf('applications/keys-app')
    expect(key?.id).toBe('two')
    // Without one, the time of the import.
    expect(Date.now() - Date.parse(key?.createdAt ?? '')).toBeLessThan(60_000)
  })

  it('an older organization does not become the default organization', async () => {
    const { rows } = await target.system.database.query<{ id: string }>({
      name: '',
      text: 'SELECT default_organization_id AS id FROM directory_read.setting_v1',
    })
    expect(rows).toEqual([{ id: 'home' }])
  })

  it('leaves times in the future out and reports them', async () => {
    const { errors = [] } = await imported(organization('early', FUTURE))
    const message = 'creationDate is left out: it is in the future'
    for (const type of ['org', 'human_user', 'project', 'oidc_app', 'user_grant']) {
      expect(errors).toContainEqual({ type, id: expect.any(String), message })
    }
    for (const time of await timesOf('early'))
      expect(Date.parse(String(time))).toBeLessThanOrEqual(Date.now())
  })

  it('a time ahead by less than clocks differ becomes the time of the import', async () => {
    const ahead = new Date(Date.now() + 60_000).toISOString()
    expect((await imported(organization('ahead', ahead))).errors).toBeUndefined()
    for (const time of await timesOf('ahead'))
      expect(Date.parse(String(time))).toBeLessThanOrEqual(Date.now())
  })

  it('refuses a user grant with the id of another one', async () => {
    const { errors } = await imported(organization('thief', PAST, 'old-grant'))
    const message = 'the id belongs to another user grant'
    expect(errors).toEqual([{ type: 'user_grant', id: 'thief_thief-project_thief-user', message }])
    expect(await read('/projects/old-project/user-grants')).toMatchObject({
      items: [{ id: 'old-grant', userId: 'old-user' }],
    })
  })

  it('refuses a document that gives an id to two user grants', async () => {
    const body = await imported(organization('one', PAST, 'twice'), organization('two', PAST, 'twice'))
    expect(body.message).toContain('userGrants')
  })

  it('an existing organization keeps its metadata and times unless the import updates', async () => {
    const changed = { ...organization('old', FUTURE), orgMetadata: [{ key: 'plan', value: 'YQ==' }] }
    await target.import({ orgs: [changed] })
    expect(await read('/organizations/old/metadata/plan')).toMatchObject({ value: 'AP8K' })
    await target.import({ orgs: [changed] }, { on_conflict: 'update' })
    expect(await read('/organizations/old/metadata/plan')).toMatchObject({ value: 'YQ==' })
    expect(await timesOf('old')).toEqual(Array(5).fill('2001-02-03T04:05:06.000Z'))
  })
})
