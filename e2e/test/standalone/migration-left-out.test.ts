import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  createMigrationClient,
  type MigrationClient,
  migrationSystem,
  ORGANIZER_TOKEN,
} from './migration-client.ts'

type Json = Readonly<Record<string, unknown>>

let migration: MigrationClient
beforeAll(async () => {
  migration = createMigrationClient(await startSystem(migrationSystem()))
})
afterAll(() => migration?.system.stop())

const SECRET = '##ANN_PASSWORD##'
const SCRIPT = 'javascript:alert(1)'

/** An organization whose import leaves out or changes a value in each way that there is. */
const documentOf = (orgId: string) => ({
  orgs: [
    {
      orgId,
      org: { name: orgId },
      invented: 'a member of no format',
      lockoutPolicy: { maxPasswordAttempts: 7, maxOtpAttempts: 7 },
      humanUsers: [
        { userId: `${orgId}-ann`, user: { userName: 'ann', password: SECRET } },
        { userId: `${orgId}-ben`, user: { userName: 'ben', profile: { website: SCRIPT } } },
        { userId: `${orgId}-cleo`, user: { userName: 'cleo' } },
      ],
      projects: [{ projectId: `${orgId}-shop`, project: { name: 'Shop' } }],
      oidcApps: [
        {
          appId: `${orgId}-app`,
          app: {
            projectId: `${orgId}-shop`,
            clientId: `${orgId}-portal`,
            redirectUris: ['https://portal.example/callback', 'http://portal.example/plain'],
            responseTypes: ['OIDC_RESPONSE_TYPE_CODE'],
            grantTypes: ['OIDC_GRANT_TYPE_AUTHORIZATION_CODE'],
            appType: 'OIDC_APP_TYPE_WEB',
            authMethodType: 'OIDC_AUTH_METHOD_TYPE_BASIC',
            mayCallApi: true,
          },
        },
      ],
      userGrants: [{ userId: 'nobody', projectId: `${orgId}-shop`, roleKeys: [] }],
    },
  ],
})

async function importing(document: unknown, more: Json = {}) {
  const accepted = await migration.call(
    'POST',
    '/import',
    { data_orgs: document, ...more },
    { Prefer: 'respond-async' },
  )
  const { id } = (await accepted.json()) as { readonly id: string }
  return id
}

const ended = async (id: string) => {
  const job = async () => (await migration.call('GET', `/jobs/${id}`)).json() as Promise<Json>
  await expect.poll(async () => (await job()).finishedAt, { timeout: 20_000 }).toBeDefined()
  return await job()
}

async function listOf(id: string): Promise<readonly Json[]> {
  const answer = await migration.call('GET', `/jobs/${id}/left-out`)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-ndjson'])
  const lines = (await answer.text()).split('\n').filter((line) => line !== '')
  return lines.map((line) => JSON.parse(line))
}

const keep = (id: string, body: unknown, headers: Record<string, string> = {}) =>
  migration.call('PUT', `/jobs/${id}/left-out`, JSON.stringify(body), headers)

const CONVERTED = [
  {
    effect: 'sign-in',
    about: 'application',
    what: 'clients[].redirectUris with a wildcard or relative',
    record: 'portal',
    value: 'https://portal.example/*',
    next: 'register the exact URI in place of https://portal.example/*',
    task: 'redirect-uri',
  },
  { effect: 'sign-in', about: 'person', what: 'users[].credentials[]', record: 'dora' },
]

it('lists each value that an import leaves out or changes, with its record and what to do; a dry run predicts it', async () => {
  const id = await importing(documentOf('lossy'), { dryRun: true })
  const job = await ended(id)
  expect(job).toMatchObject({
    state: 'partial',
    counts: { created: 6, failed: 1, withChanges: 3 },
    result: { leftOut: `/admin/v1/jobs/${id}/left-out` },
  })
  const planned = await listOf(id)
  const application = { by: 'import', about: 'application', record: 'lossy-portal', id: 'lossy-app' }
  expect(planned).toEqual(
    expect.arrayContaining([
      {
        ...{ by: 'import', effect: 'settings', about: 'other', count: 1 },
        what: 'members that are not part of the format: invented',
      },
      {
        ...application,
        effect: 'sign-in',
        orgId: 'lossy',
        what: expect.stringMatching(
          /^oidcApps, kept without this member: app\.redirectUris\[\]: must use https/,
        ),
        value: 'http://portal.example/plain',
        next: 'register a URI that the rules allow in place of http://portal.example/plain',
        task: 'redirect-uri',
        member: 'app.redirectUris[1]',
      },
      {
        ...application,
        effect: 'sign-in',
        what: 'applications, came without a client secret',
        next: 'make a new secret: signet application rotate-secret',
        task: 'secret',
      },
      {
        ...application,
        effect: 'sign-in',
        what: 'applications, set by an IAM_OWNER alone: mayCallApi',
        value: 'mayCallApi',
        next: 'ask an IAM_OWNER for mayCallApi, if the application needs it',
        member: 'app.mayCallApi',
      },
      {
        ...{
          by: 'import',
          effect: 'sign-in',
          about: 'person',
          record: 'ann',
          id: 'lossy-ann',
          orgId: 'lossy',
        },
        what: expect.stringMatching(/^humanUsers, kept without this member: user\.password: /),
        next: expect.stringMatching(/^send the person a link/),
        member: 'user.password',
      },
      {
        ...{
          by: 'import',
          effect: 'claims',
          about: 'person',
          record: 'ben',
          id: 'lossy-ben',
          orgId: 'lossy',
        },
        what: expect.stringMatching(/^humanUsers, kept without this member: user\.profile\.website: /),
        member: 'user.profile.website',
      },
      expect.objectContaining({
        by: 'import',
        effect: 'claims',
        what: expect.stringMatching(/^userGrants, left out: /),
      }),
    ]),
  )
  expect(JSON.stringify(planned)).not.toContain(SECRET)

  const real = await importing(documentOf('lossy'))
  expect(await ended(real)).toMatchObject({ counts: { created: 6, failed: 1, withChanges: 3 } })
  expect(await listOf(real)).toEqual(planned)
  const report = (await (await migration.call('GET', `/jobs/${real}/report`)).text()).trim().split('\n')
  const changed = report.map((line) => JSON.parse(line)).filter(({ withChanges }) => withChanges)
  expect(changed.map(({ id, outcome }) => [id, outcome]).sort()).toEqual([
    ['lossy-ann', 'created'],
    ['lossy-app', 'created'],
    ['lossy-ben', 'created'],
  ])
})

it('keeps the list of the conversion with the job, before what the import left out', async () => {
  const id = await importing({ orgs: [{ orgId: 'kept', org: { name: 'kept' } }] }, { dryRun: true })
  await ended(id)
  expect((await keep(id, { entries: CONVERTED, omitted: 3 })).status).toBe(204)
  expect((await keep(id, { entries: CONVERTED, omitted: 4 })).status).toBe(204)
  const listed = CONVERTED.map((entry) => ({ ...entry, by: 'conversion' }))
  const more = {
    effect: 'settings',
    about: 'other',
    what: 'values that the list of the conversion does not hold',
  }
  expect(await listOf(id)).toEqual([...listed, { ...more, count: 4, by: 'conversion' }])
  const { rows } = await migration.system.database.query<{ sealed: Buffer }>({
    name: '',
    text: 'SELECT sealed FROM migration.left_out WHERE job_id = $1',
    values: [id],
  })
  expect(rows).toHaveLength(2)
  for (const { sealed } of rows) expect(sealed.includes('portal')).toBe(false)

  expect((await migration.call('POST', `/jobs/${id}/apply`, {})).status).toBe(200)
  expect((await listOf(id)).slice(0, 2)).toEqual(listed)
})

it('refuses a list that is too long, of another shape, of a job that is no import, or by someone else', async () => {
  const id = await importing({ orgs: [{ orgId: 'refused', org: { name: 'refused' } }] }, { dryRun: true })
  await ended(id)
  const tooMany = Array.from({ length: 10_001 }, () => CONVERTED[1])
  expect((await keep(id, { entries: tooMany })).status).toBe(400)
  expect((await keep(id, { entries: [{ ...CONVERTED[0], secret: 'x' }] })).status).toBe(400)
  const large = Array.from({ length: 3_000 }, () => ({ ...CONVERTED[0], value: 'x'.repeat(2_000) }))
  expect((await keep(id, { entries: large })).status).toBe(413)
  expect((await keep(id, { entries: [] }, { Authorization: `Bearer ${ORGANIZER_TOKEN}` })).status).toBe(403)
  expect((await keep('none', { entries: [] })).status).toBe(404)
  const exported = await migration.call('POST', '/export', { orgIds: ['home'] }, { Prefer: 'respond-async' })
  const { id: exportId } = (await exported.json()) as { readonly id: string }
  const refused = await keep(exportId, { entries: [] })
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('job_not_import')])

  await migration.system.database.query({
    name: '',
    text: `UPDATE migration.job SET ended_at = now() - interval '16 minutes' WHERE job_id = $1`,
    values: [id],
  })
  const late = await keep(id, { entries: [] })
  expect([late.status, await late.text()]).toEqual([400, expect.stringContaining('job_ended')])
  expect(await listOf(id)).toEqual([])
})
