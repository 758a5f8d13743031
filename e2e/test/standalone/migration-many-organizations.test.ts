import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMigrationClient, type MigrationClient, migrationSystem } from './migration-client.ts'

let migration: MigrationClient
beforeAll(async () => {
  migration = createMigrationClient(await startSystem(migrationSystem()))
})
afterAll(() => migration?.system.stop())

const COUNT = 12
const numbers = Array.from({ length: COUNT }, (_, at) => at)
/** Returns ids whose order is not that of the document. */
const idOf = (name: string, at: number) => `${name}-${(at * 7) % COUNT}`

const person = (userId: string) => ({
  userId,
  user: { userName: userId, profile: { firstName: 'Given', lastName: userId } },
})

/** Organizations with two people, a service user, a project and a grant each. */
function documentOf(name: string) {
  return {
    orgs: numbers.map((at) => {
      const orgId = idOf(name, at)
      const [first, second] = [`${orgId}-a`, `${orgId}-b`]
      return {
        orgId,
        org: { name: orgId },
        domains: [{ domainName: `${orgId}.example`, isVerified: true, isPrimary: true }],
        humanUsers: [person(first), person(second)],
        machineUsers: [{ userId: `${orgId}-m`, user: { userName: `${name}-robot`, name: 'Robot' } }],
        projects: [{ projectId: `${orgId}-p`, project: { name: 'P' } }],
        projectRoles: [{ projectId: `${orgId}-p`, roleKey: 'reader' }],
        userGrants: [first, second].map((userId) => ({
          userId,
          projectId: `${orgId}-p`,
          roleKeys: ['reader'],
        })),
        orgMetadata: [{ key: 'k', value: 'dg==' }],
      }
    }),
  }
}

async function reportOf(id: string): Promise<readonly Record<string, unknown>[]> {
  const text = await (await migration.call('GET', `/jobs/${id}/report`)).text()
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** The id of the job of an import that ends. */
async function imported(document: object, more: object = {}): Promise<string> {
  const body = { data_orgs: document, timeout: '1m', ...more }
  const answer = await migration.call('POST', '/import', body, { Prefer: 'respond-async' })
  expect(answer.status).toBe(202)
  const { id } = (await answer.json()) as { id: string }
  await ended(id)
  return id
}

const jobOf = async (id: string) =>
  (await migration.call('GET', `/jobs/${id}`)).json() as Promise<Record<string, unknown>>
const ended = (id: string) =>
  expect.poll(async () => (await jobOf(id)).state, { timeout: 30_000 }).not.toMatch(/queued|running/)

const count = async (text: string, ...values: unknown[]) =>
  (await migration.system.database.query({ name: '', text, values })).rowCount
const accountsOf = (name: string) =>
  count('SELECT FROM directory_read.account_life_v1 WHERE starts_with(organization_id, $1)', `${name}-`)

describe('an import of many organizations', () => {
  it('names them in the order of the document, each with its records, in the response and the report', async () => {
    const { status, body } = await migration.import(documentOf('told'))
    expect([status, body.errors]).toEqual([200, undefined])
    expect(body.success.orgs).toEqual(
      numbers.map((at) => {
        const orgId = idOf('told', at)
        return {
          orgId,
          domains: [`${orgId}.example`],
          humanUserIds: [`${orgId}-a`, `${orgId}-b`],
          machineUserIds: [`${orgId}-m`],
          orgMetadata: ['k'],
          projectIds: [`${orgId}-p`],
          projectRoles: [`${orgId}-p_reader`],
          userGrants: [`${orgId}-a`, `${orgId}-b`].map((userId) => ({ projectId: `${orgId}-p`, userId })),
        }
      }),
    )
    const lines = (await reportOf(await imported(documentOf('told')))).filter(
      ({ orgId }) => orgId !== undefined,
    )
    expect([...new Set(lines.map(({ orgId }) => orgId))]).toEqual(numbers.map((at) => idOf('told', at)))
    const people = lines.filter(({ type }) => type === 'human_user')
    expect(people.map(({ id, index, outcome }) => [id, index, outcome])).toEqual(
      numbers.flatMap((at) => [
        [`${idOf('told', at)}-a`, 0, 'skipped'],
        [`${idOf('told', at)}-b`, 1, 'skipped'],
      ]),
    )
  })

  it('exports them as they were imported', async () => {
    const orgIds = numbers.map((at) => idOf('out', at))
    await migration.import(documentOf('out'))
    const all = await migration.export({ orgIds })
    const each = []
    for (const orgId of orgIds) each.push(...(await migration.export({ orgIds: [orgId] })).orgs)
    expect(new Map(all.orgs.map((org) => [org.orgId, org]))).toEqual(
      new Map(each.map((org) => [org.orgId, org])),
    )
    expect(all.meta.counts).toMatchObject({ orgs: COUNT, humanUsers: 2 * COUNT, userGrants: 2 * COUNT })
  })

  it('fails the records alone that exist, of an organization in the middle', async () => {
    const taken = idOf('mixed', 6)
    await migration.import({
      orgs: [{ orgId: taken, org: { name: taken }, humanUsers: [person(`${taken}-b`)] }],
    })
    const { body } = await migration.import(documentOf('mixed'), { on_conflict: 'fail' })
    expect(body.errors).toEqual([
      { type: 'human_user', id: `${taken}-b`, message: 'exists already' },
      { type: 'org', id: taken, message: 'exists already' },
    ])
    expect(body.success.orgs?.map(({ orgId }) => orgId)).toEqual(numbers.map((at) => idOf('mixed', at)))
    expect(body.success.orgs?.[6]).toMatchObject({ humanUserIds: [`${taken}-a`] })
    expect(await accountsOf('mixed')).toBe(3 * COUNT)
  })

  it('fails the records of an organization that belong to another', async () => {
    const [first, middle] = [idOf('strange', 0), idOf('strange', 8)]
    await migration.import({
      orgs: [{ orgId: 'owner-of-strange', org: { name: 'Owner' }, humanUsers: [person(`${middle}-a`)] }],
    })
    const { body } = await migration.import(documentOf('strange'))
    expect(body.errors).toEqual([
      { type: 'human_user', id: `${middle}-a`, message: 'the user belongs to another organization' },
    ])
    expect(body.success.orgs?.[0]).toMatchObject({ humanUserIds: [`${first}-a`, `${first}-b`] })
  })

  it('rejects invalid records and duplicates with the organization that has them', async () => {
    const document = documentOf('bad')
    const [fifth, ninth] = [document.orgs[5], document.orgs[9]]
    fifth?.humanUsers.push({ ...person('bad-x'), user: { ...person('bad-x').user, userName: '' } })
    ninth?.humanUsers.push(person(`${idOf('bad', 2)}-a`))
    const id = await imported(document, { on_invalid: 'skip' })
    expect(await jobOf(id)).toMatchObject({ state: 'partial', counts: { invalid: 2, created: 9 * COUNT } })
    const rejects = (await (await migration.call('GET', `/jobs/${id}/rejects`)).json()) as typeof document
    expect(
      rejects.orgs.map(({ orgId, humanUsers }) => [orgId, humanUsers.map(({ userId }) => userId)]),
    ).toEqual([
      [idOf('bad', 5), ['bad-x']],
      [idOf('bad', 9), [`${idOf('bad', 2)}-a`]],
    ])
  })

  it('writes nothing of a plan that no longer holds, and names the organization', async () => {
    const planned = await migration.call('POST', '/import', {
      data_orgs: documentOf('plan'),
      dry_run: true,
      timeout: '1m',
    })
    const { plan } = (await planned.json()) as { plan: { id: string; create: number } }
    expect(plan.create).toBe(9 * COUNT)
    const changed = idOf('plan', 10)
    await migration.import({ orgs: [{ orgId: changed, org: { name: 'Other' } }] })
    const answer = await migration.call('POST', `/jobs/${plan.id}/apply`, { timeout: '1m' })
    expect(await answer.json()).toMatchObject({
      message: expect.stringContaining('nothing is written'),
      details: [{ id: 'plan_outdated', organizationId: changed, list: 'organization', recordId: changed }],
    })
    const written = `SELECT FROM directory_read.organization_v1 WHERE starts_with(organization_id, 'plan-')`
    expect(await count(written)).toBe(1)
    expect(await accountsOf('plan')).toBe(0)
  })

  it('applies a plan of many organizations', async () => {
    const planned = await migration.call('POST', '/import', {
      data_orgs: documentOf('held'),
      dry_run: true,
      timeout: '1m',
    })
    const { plan } = (await planned.json()) as { plan: { id: string } }
    expect((await migration.call('POST', `/jobs/${plan.id}/apply`, { timeout: '1m' })).status).toBe(200)
    expect(await accountsOf('held')).toBe(3 * COUNT)
  })

  it('is taken back', async () => {
    const id = await imported(documentOf('back'))
    const background = { Prefer: 'respond-async' }
    const undo = await migration.call('POST', `/jobs/${id}/undo`, { timeout: '1m' }, background)
    const { id: undoId } = (await undo.json()) as { id: string }
    await ended(undoId)
    expect(await jobOf(undoId)).toMatchObject({
      state: 'succeeded',
      counts: { deleted: 9 * COUNT, kept: 0 },
    })
    expect(await accountsOf('back')).toBe(0)
    expect(
      await count(`SELECT FROM directory_read.organization_v1 WHERE starts_with(organization_id, 'back-')`),
    ).toBe(0)
  })

  it('has one result when it runs twice at once', async () => {
    const [one, other] = await Promise.all(
      [0, 1].map(() => migration.import(documentOf('twice'), { on_conflict: 'skip' })),
    )
    const created = (body: typeof one) =>
      (body?.body.success.orgs ?? []).flatMap(({ humanUserIds = [] }) => humanUserIds as string[])
    expect([...created(one), ...created(other)].toSorted()).toEqual(
      numbers.flatMap((at) => [`${idOf('twice', at)}-a`, `${idOf('twice', at)}-b`]).toSorted(),
    )
    expect([one?.body.errors, other?.body.errors]).toEqual([undefined, undefined])
  })
})
