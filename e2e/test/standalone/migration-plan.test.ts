import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createMigrationClient,
  type MigrationClient,
  migrationSystem,
  ORGANIZER_TOKEN,
} from './migration-client.ts'

interface Line {
  readonly id: string
  readonly type: string
  readonly outcome: string
  readonly action?: string
  readonly fields?: readonly string[]
  readonly message?: string
}

const HASH = '$2a$14$WzQ8nYtq3RkVf0sXe1uBhOgWwE3LaJUoLEdr.s.9CXS/2OTSCh9Py'
const user = (userId: string, more: object = {}) => ({
  userId,
  user: { userName: userId, profile: { firstName: 'Given', lastName: userId }, ...more },
})

let migration: MigrationClient
beforeAll(async () => {
  migration = createMigrationClient(await startSystem(migrationSystem()))
})
afterAll(() => migration?.system.stop())

/** The id of the plan that a dry run makes, with the response. */
async function plan(document: object, more: object = {}) {
  const answer = await migration.call('POST', '/import', { data_orgs: document, dry_run: true, ...more })
  expect(answer.status).toBe(200)
  const body = (await answer.json()) as { plan: { id: string } & Record<string, unknown> }
  return { id: body.plan.id, body, report: await report(body.plan.id) }
}
async function report(id: string): Promise<readonly Line[]> {
  const text = await (await migration.call('GET', `/jobs/${id}/report`)).text()
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter((line) => line.type !== undefined)
}
const apply = (id: string, headers?: Record<string, string>) =>
  migration.call('POST', `/jobs/${id}/apply`, {}, headers)
/** Applies a plan, which has to work. */
async function applied(id: string): Promise<void> {
  const answer = await apply(id)
  expect([answer.status, answer.ok || (await answer.json())]).toEqual([200, true])
}
const job = async (id: string) =>
  (await migration.call('GET', `/jobs/${id}`)).json() as Promise<Record<string, unknown>>
const query = <R = Record<string, unknown>>(text: string, ...values: unknown[]) =>
  migration.system.database.query<R>({ name: '', text, values }).then(({ rows }) => rows)
const namesOf = async (organizationId: string) =>
  (
    await query<{ user_id: string; name: string }>(
      'SELECT user_id, name FROM directory_read.account_claims_v1 WHERE organization_id = $1 ORDER BY user_id',
      organizationId,
    )
  ).map(({ user_id, name }) => `${user_id}: ${name}`)

/** An organization with two people, and a document that changes one, skips nothing and adds one. */
async function prepare(orgId: string) {
  const ids = ['a', 'b', 'c'].map((letter) => `${orgId}-${letter}`)
  const [first = '', second = '', third = ''] = ids
  await migration.import({ orgs: [{ orgId, org: { name: orgId }, humanUsers: [user(first), user(second)] }] })
  const changed = user(first, {
    profile: { firstName: 'Other', lastName: first, displayName: `Other ${first}` },
    hashedPassword: { value: HASH },
    otpCode: 'JBSWY3DPEHPK3PXP',
  })
  const humanUsers = [changed, user(second), user(third)]
  return { first, second, third, document: { orgs: [{ orgId, org: { name: orgId }, humanUsers }] } }
}

describe('a dry run is a plan', () => {
  it('names the action of each record, and the fields of updates without their values', async () => {
    const { first, second, third, document } = await prepare('told')
    const planned = await plan(document, { on_conflict: 'update' })
    expect(planned.body.plan).toEqual({
      id: expect.any(String),
      create: 1,
      update: 3,
      skip: 0,
      conflict: 0,
      blocked: 0,
      expiresAt: expect.any(String),
    })
    const lines = new Map(planned.report.map((line) => [line.id, line]))
    const fields = ['user.hashedPassword', 'user.otpCode', 'user.passwordChangeRequired']
    expect(lines.get(first)).toMatchObject({
      action: 'update',
      fields: [...fields, 'user.profile.displayName', 'user.profile.firstName'].toSorted(),
    })
    expect(lines.get(second)).toMatchObject({ action: 'update', fields: [] })
    expect(lines.get(third)).toMatchObject({ action: 'create' })
    expect(JSON.stringify(planned.report)).not.toContain(HASH)
    expect(await job(planned.id)).toMatchObject({ plan: { id: planned.id, update: 3 } })
    expect((await plan(document)).body.plan).toMatchObject({ create: 1, update: 0, skip: 3 })
    expect((await plan(document, { on_conflict: 'fail' })).body.plan).toMatchObject({
      create: 1,
      conflict: 3,
    })
  })

  it('names the members of records that are stored sealed, and only those that differ', async () => {
    const machine = (description: string) => ({
      orgId: 'carried',
      org: { name: 'carried' },
      machineUsers: [{ userId: 'carried-m', user: { userName: 'carried-m', name: 'M', description } }],
      actions: [{ actionId: 'carried-a', action: { name: 'a', script: description } }],
    })
    await migration.import({ orgs: [machine('One')] })
    const { report: lines } = await plan({ orgs: [machine('Two')] }, { on_conflict: 'update' })
    expect(lines.map(({ type, fields }) => [type, fields])).toEqual([
      ['action', ['action']],
      ['machine_user', ['description']],
      ['org', []],
    ])
    expect(JSON.stringify(lines)).not.toContain('Two')
  })

  it('is applied by its id without a second upload, once', async () => {
    const { document } = await prepare('once')
    const { id } = await plan(document, { on_conflict: 'update' })
    const answers = await Promise.all([apply(id), apply(id), apply(id)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
    const refused = answers.find(({ status }) => status === 409)
    expect(await refused?.json()).toMatchObject({ details: [{ id: 'plan_applied' }] })
    expect(await namesOf('once')).toEqual([
      'once-a: Other once-a',
      'once-b: Given once-b',
      'once-c: Given once-c',
    ])
    expect(await job(id)).toMatchObject({
      state: 'succeeded',
      counts: { total: 4, done: 4, created: 1, updated: 3 },
    })
    expect((await report(id)).find(({ id: record }) => record === 'once-c')).toEqual({
      orgId: 'once',
      type: 'human_user',
      id: 'once-c',
      index: 2,
      outcome: 'created',
    })
    expect((await apply(id)).status).toBe(409)
    const [sealed] = await query(
      'SELECT count(*)::int AS left FROM migration.staged_batch WHERE job_id = $1 AND (sealed IS NOT NULL OR plan IS NOT NULL)',
      id,
    )
    expect(sealed).toEqual({ left: 0 })
  })

  it.each<[string, string, (organizationId: string) => Promise<unknown>]>([
    [
      'a record that it updates was changed',
      'it was changed since the plan was made',
      (id) => migration.manage('PATCH', `/users/${id}-a`, { profile: { nickName: 'Nick' } }),
    ],
    [
      'a record that it creates exists',
      'it was planned as created and would now be updated',
      (id) => migration.import({ orgs: [{ orgId: id, org: { name: id }, humanUsers: [user(`${id}-c`)] }] }),
    ],
    [
      'a record that it updates is gone',
      'it was planned as updated and would now be created',
      (id) => migration.manage('DELETE', `/users/${id}-b`),
    ],
    [
      'the user name of a record belongs to another user',
      'it was planned as created and would now be in conflict',
      (id) =>
        migration.import({
          orgs: [
            { orgId: id, org: { name: id }, humanUsers: [user(`${id}-other`, { userName: `${id}-c` })] },
          ],
        }),
    ],
  ])('is refused when %s, and writes nothing', async (_, message, change) => {
    const id = `changed-${message.length}`
    const { document } = await prepare(id)
    const planned = await plan(document, { on_conflict: 'update' })
    await change(id)
    const before = await namesOf(id)
    const answer = await apply(planned.id)
    expect(answer.status).toBe(409)
    expect(await answer.json()).toMatchObject({
      details: [{ id: 'plan_outdated', list: 'humanUsers', organizationId: id, message, jobId: planned.id }],
    })
    expect(await namesOf(id)).toEqual(before)
    expect(await job(planned.id)).toMatchObject({ state: 'failed', resumable: false })
    const outcomes = (await report(planned.id)).map(({ type, outcome }) => `${type} ${outcome}`)
    expect(outcomes.toSorted()).toEqual([
      'human_user failed',
      'human_user pending',
      'human_user pending',
      'org pending',
    ])
    // The plan is spent; the target as it is now needs a new one.
    expect((await apply(planned.id)).status).toBe(409)
    const again = await plan(document, { on_conflict: 'update' })
    await applied(again.id)
  })

  it('is refused in the transaction of a batch when the target changes after it was compared', async () => {
    const { first, document } = await prepare('between')
    const { id } = await plan(document, { on_conflict: 'update' })
    await migration.system.database.transaction(async (tx) => {
      // A comparison does not need the table: the first batch waits.
      await tx.query({ name: '', text: 'LOCK TABLE directory.applied_batch IN EXCLUSIVE MODE' })
      expect((await apply(id, { Prefer: 'respond-async' })).status).toBe(202)
      await expect.poll(async () => (await job(id)).phase).toBe('applying')
      await query(`UPDATE directory.account SET nickname = 'Nick' WHERE user_id = $1`, first)
    })
    await expect.poll(async () => (await job(id)).state).toBe('failed')
    expect(await job(id)).toMatchObject({
      error: {
        message: expect.stringContaining('Take back what is written'),
        details: [{ id: 'plan_outdated', recordId: first }],
      },
    })
    expect(await namesOf('between')).toEqual(['between-a: Given between-a', 'between-b: Given between-b'])
  })

  it('holds when records that it skips were changed', async () => {
    const { first, document } = await prepare('skipped')
    const { id } = await plan(document)
    expect((await migration.manage('PATCH', `/users/${first}`, { profile: { nickName: 'N' } })).status).toBe(
      200,
    )
    await applied(id)
    expect(await job(id)).toMatchObject({ counts: { created: 1, skipped: 3 } })
  })

  it('of records that fail holds for the records that refer to them', async () => {
    await migration.import({
      orgs: [{ orgId: 'refs', org: { name: 'refs' }, humanUsers: [user('refs-taken')] }],
    })
    const document = {
      orgs: [
        {
          orgId: 'refs',
          org: { name: 'refs' },
          humanUsers: [user('refs-one', { userName: 'refs-taken' }), user('refs-two')],
          userMetadata: ['refs-one', 'refs-two'].map((id) => ({ id, key: 'k', value: 'dg==' })),
        },
      ],
    }
    const { id, body } = await plan(document)
    expect(body.plan).toMatchObject({ create: 2, skip: 1, conflict: 1, blocked: 1 })
    await applied(id)
    expect(await job(id)).toMatchObject({
      state: 'partial',
      counts: { created: 2, skipped: 1, failed: 1, blocked: 1 },
    })
  })

  it('is refused a day after its end, and of jobs that are no plan', async () => {
    const { document } = await prepare('late')
    const { id } = await plan(document)
    await query(`UPDATE migration.job SET ended_at = now() - interval '25 hours' WHERE job_id = $1`, id)
    const late = await apply(id)
    expect([late.status, await late.json()]).toMatchObject([400, { details: [{ id: 'plan_expired' }] }])
    const wet = await migration.call('POST', '/import', { data_orgs: document })
    const other = await apply(wet.headers.get('x-signet-job') ?? '')
    expect([other.status, await other.json()]).toMatchObject([400, { details: [{ id: 'job_not_plan' }] }])
    expect((await apply('unknown')).status).toBe(404)
  })

  it.each([
    ['sealed', 'SIGNET_MIGRATION_MASTER_KEY'],
    ['plan', 'SIGNET_DIRECTORY_MASTER_KEY'],
  ])(
    'names the setting when no key opens its %s data, and is resumed with the key',
    async (column, setting) => {
      const { document } = await prepare(`keyless-${column}`)
      const { id } = await plan(document, { on_conflict: 'update' })
      // The first bytes name the key.
      const changeKey = () =>
        query(
          `UPDATE migration.staged_batch SET ${column} = set_byte(${column}, 1, get_byte(${column}, 1) # 255) WHERE job_id = $1`,
          id,
        )
      await changeKey()
      const refused = await apply(id)
      expect([refused.status, await refused.json()]).toMatchObject([
        400,
        { message: expect.stringContaining(setting), details: [{ id: 'master_key_unknown', setting }] },
      ])
      expect(await job(id)).toMatchObject({ state: 'failed', resumable: true, counts: { done: 0 } })
      await changeKey()
      expect((await migration.call('POST', `/jobs/${id}/resume`, {})).status).toBe(202)
      await expect.poll(async () => (await job(id)).state).toBe('succeeded')
      expect(await job(id)).toMatchObject({ counts: { created: 1, updated: 3 } })
    },
  )

  it('is applied by an IAM_OWNER only, who is in the audit log', async () => {
    const { document } = await prepare('audited')
    const { id } = await plan(document)
    expect((await apply(id, { Authorization: `Bearer ${ORGANIZER_TOKEN}` })).status).toBe(403)
    expect((await apply(id, { Prefer: 'respond-async' })).status).toBe(202)
    await expect.poll(async () => (await job(id)).state).toBe('succeeded')
    const events = await query<{ action: string; result: string; actor_id: string }>(
      'SELECT action, result, actor_id FROM migration_read.audit_event_v1 WHERE target_id = $1 ORDER BY at',
      id,
    )
    expect(events.map(({ action, result, actor_id }) => [action, result, actor_id])).toEqual([
      ['import.start', 'success', 'migrator'],
      ['import.end', 'success', null],
      ['job.apply', 'refused', 'organizer'],
      ['import.apply', 'success', 'migrator'],
      ['import.end', 'success', null],
    ])
  })
})
