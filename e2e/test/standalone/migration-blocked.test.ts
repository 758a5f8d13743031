import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createMigrationClient, type MigrationClient, migrationSystem } from './migration-client.ts'

type Json = Readonly<Record<string, unknown>>

let migration: MigrationClient
beforeAll(async () => {
  migration = createMigrationClient(await startSystem(migrationSystem()))
  const { status } = await migration.import({
    orgs: [
      {
        orgId: 'first',
        org: { name: 'First' },
        humanUsers: [{ userId: 'mia', user: { userName: 'mia' } }],
        projects: [{ projectId: 'shop', project: { name: 'Shop' } }],
      },
    ],
  })
  expect(status).toBe(200)
})
afterAll(() => migration?.system.stop())

const APP = {
  clientId: 'portal',
  redirectUris: ['https://portal.example/callback'],
  responseTypes: ['OIDC_RESPONSE_TYPE_CODE'],
  grantTypes: ['OIDC_GRANT_TYPE_AUTHORIZATION_CODE'],
  appType: 'OIDC_APP_TYPE_WEB',
  authMethodType: 'OIDC_AUTH_METHOD_TYPE_NONE',
}

/** An organization whose person and project have ids of another one, and records that refer to them. */
const second = {
  orgId: 'second',
  org: { name: 'Second' },
  humanUsers: [
    { userId: 'mia', user: { userName: 'mia.second' } },
    { userId: 'ben', user: { userName: 'ben' } },
  ],
  projects: [
    { projectId: 'shop', project: { name: 'Shop' } },
    { projectId: 'desk', project: { name: 'Desk' } },
  ],
  projectRoles: [{ projectId: 'shop', roleKey: 'buyer', displayName: 'Buyer' }],
  userMetadata: [{ id: 'mia', key: 'plan', value: 'Z29sZA==' }],
  oidcApps: [{ appId: 'portal', app: { projectId: 'shop', ...APP } }],
  userGrants: [
    { userId: 'ben', projectId: 'shop', roleKeys: [] },
    { userId: 'ben', projectId: 'desk', roleKeys: [] },
    { userId: 'nobody', projectId: 'desk', roleKeys: [] },
  ],
}

async function finished(document: unknown, more: Json): Promise<Json & { readonly id: string }> {
  const accepted = await migration.call(
    'POST',
    '/import',
    { data_orgs: document, ...more },
    { Prefer: 'respond-async' },
  )
  const { id } = (await accepted.json()) as { readonly id: string }
  const job = async () => (await migration.call('GET', `/jobs/${id}`)).json() as Promise<Json>
  await expect.poll(async () => (await job()).finishedAt, { timeout: 20_000 }).toBeDefined()
  return { ...(await job()), id }
}

async function linesOf(id: string, what: 'report' | 'left-out'): Promise<readonly Json[]> {
  const text = await (await migration.call('GET', `/jobs/${id}/${what}`)).text()
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

const blockedOf = async (id: string) =>
  (await linesOf(id, 'left-out'))
    .filter(({ what }) => /not imported because/.test(String(what)))
    .map(({ what, record, value, next }) => [what, record, value, next])

const next = (parent: string) => `mend ${parent}, and import the document again: what is there is skipped`

it('counts a record whose user or project failed as blocked and names both; a dry run predicts it', async () => {
  const dryRun = await finished({ orgs: [second] }, { dryRun: true })
  const real = await finished({ orgs: [second] }, {})
  // The user, the project and the grant of a user that no document has.
  for (const { counts } of [dryRun, real])
    expect(counts).toMatchObject({ total: 11, done: 11, created: 4, failed: 3, blocked: 4 })
  expect(dryRun.plan).toMatchObject({ create: 4, conflict: 3, blocked: 4 })

  const expected = [
    ['oidcApps, not imported because the project was not', 'portal', 'shop', next('shop')],
    ['projectRoles, not imported because the project was not', 'shop_buyer', 'shop', next('shop')],
    ['userGrants, not imported because the project was not', 'shop_ben', 'shop', next('shop')],
    [
      'userMetadata, not imported because the user was not',
      'mia_plan',
      'mia.second (mia)',
      next('mia.second (mia)'),
    ],
  ]
  expect(await blockedOf(real.id)).toEqual(expected)
  expect(await blockedOf(dryRun.id)).toEqual(expected)

  const report = await linesOf(real.id, 'report')
  expect(report.filter(({ outcome }) => outcome === 'blocked').map(({ message }) => message)).toEqual(
    expect.arrayContaining([
      'not imported because project shop was not',
      'not imported because user mia.second (mia) was not',
    ]),
  )
  expect(report.filter(({ outcome }) => outcome === 'failed')).toHaveLength(3)
})

it('names the organization for all records of one that the document may not write into, and no error but its own', async () => {
  const document = {
    orgs: [
      {
        orgId: 'first',
        org: { name: 'First' },
        humanUsers: Array.from({ length: 5 }, (_, at) => ({
          userId: `five-${at}`,
          user: { userName: `five-${at}` },
        })),
      },
    ],
  }
  const { body } = await migration.import(document, { org_ids: [] })
  expect(body.errors).toEqual([expect.objectContaining({ type: 'org', id: 'first' })])
  const { counts, id } = await finished(document, { org_ids: [] })
  expect(counts).toMatchObject({ failed: 1, blocked: 5 })
  expect((await blockedOf(id)).slice(0, 1)).toEqual([
    ['humanUsers, not imported because the organization was not', 'five-0', 'first', next('first')],
  ])
})

it('blocks what refers to an invalid record, or to one that is given twice', async () => {
  const document = {
    orgs: [
      {
        orgId: 'third',
        org: { name: 'Third' },
        humanUsers: [
          { userId: 'odd', user: { userName: 7 } },
          { userId: 'cleo', user: { userName: 'cleo' } },
          { userId: 'cleo-again', user: { userName: 'CLEO' } },
        ],
        projects: [{ projectId: 'third-desk', project: { name: 'Desk' } }],
        orgMembers: [{ userId: 'odd', roles: ['ORG_OWNER'] }],
        userGrants: [{ userId: 'cleo-again', projectId: 'third-desk', roleKeys: [] }],
      },
    ],
  }
  const { counts, id } = await finished(document, { on_invalid: 'skip' })
  expect(counts).toMatchObject({ created: 3, failed: 0, invalid: 2, blocked: 2 })
  expect((await blockedOf(id)).map(([what, , value]) => [what, value])).toEqual([
    ['orgMembers, not imported because the user was not', 'odd'],
    ['userGrants, not imported because the user was not', 'cleo-again'],
  ])
})
