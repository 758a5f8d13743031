import { size } from '@signet/testing/sizes'
import { startSystem } from '@signet/testing/system/start-system'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createMigrationClient,
  type MigrationClient,
  migrationSystem,
  ORGANIZER_TOKEN,
} from './migration-client.ts'
import { deletions, documents, keyOfLine, stateOf, text, undone } from './migration-undo-model.ts'

type Json = Record<string, unknown>

const OTHER_HASH = '$2a$14$WzQ8nYtq3RkVf0sXe1uBhOgWwE3LaJUoLEdr.s.9CXS/2OTSCh9Pz'
const HASH = '$2a$14$WzQ8nYtq3RkVf0sXe1uBhOgWwE3LaJUoLEdr.s.9CXS/2OTSCh9Py'

let migration: MigrationClient
beforeAll(async () => {
  migration = createMigrationClient(await startSystem(migrationSystem()))
})
afterAll(() => migration?.system.stop())

const query = <R = Record<string, unknown>>(statement: string, ...values: unknown[]) =>
  migration.system.database.query<R>({ name: '', text: statement, values }).then(({ rows }) => rows)
const undo = (id: string, body: object = {}, headers?: Record<string, string>) =>
  migration.call('POST', `/jobs/${id}/undo`, body, headers)
const job = async (id: string) => (await migration.call('GET', `/jobs/${id}`)).json() as Promise<Json>

/** Imports and returns the id of the job. */
async function importOf(document: Json, more: object = {}): Promise<string> {
  const answer = await migration.call('POST', '/import', { data_orgs: { orgs: [document] }, ...more })
  expect(answer.status, await answer.clone().text()).toBe(200)
  return answer.headers.get('x-signet-job') ?? ''
}
async function linesOf(id: string): Promise<readonly Json[]> {
  const report = await (await migration.call('GET', `/jobs/${id}/report`)).text()
  const lines = report
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Json)
  return lines.filter(({ type }) => type !== undefined)
}
async function exported(orgId: string): Promise<Json | undefined> {
  const found = await query('SELECT FROM directory_read.organization_v1 WHERE organization_id = $1', orgId)
  if (found.length === 0) return undefined
  const { orgs } = await migration.export({ org_ids: [orgId], excludedOrgIds: [] })
  return orgs.find((organization) => organization.orgId === orgId)
}

const LISTS: Readonly<Record<string, string>> = {
  org: 'organization',
  human_user: 'humanUsers',
  machine_user: 'machineUsers',
  project: 'projects',
  user_metadata: 'userMetadata',
  project_role: 'projectRoles',
  oidc_app: 'oidcApps',
  user_grant: 'userGrants',
  org_member: 'orgMembers',
}

/** The keys of the records of a document that a job left with this outcome. */
async function keysWith(id: string, document: Json, outcome: string): Promise<Set<string>> {
  const lines = (await linesOf(id)).filter((line) => line.outcome === outcome && line.type !== 'domain')
  return new Set(
    lines.map(({ type, index }) => keyOfLine(document, LISTS[String(type)] ?? '', Number(index))),
  )
}

let organizations = 0

it('after random imports and changes an undo leaves the records that the model names', async () => {
  const any = 'any-organization'
  const cases = fc.record({
    first: fc.option(documents(any), { nil: undefined }),
    imported: documents(any),
    change: fc.option(documents(any), { nil: undefined }),
    deleted: deletions(any),
    force: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(cases, async ({ first, imported, change, deleted, force }) => {
      // Each run, also of a shrunk case, has an organization of its own.
      organizations += 1
      const orgId = `undone-${organizations}`
      const renamed = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll(any, orgId))
      const document = renamed(imported)
      if (first) await importOf(renamed(first))
      const before = stateOf(await exported(orgId))
      const id = await importOf(document, { on_conflict: 'update' })
      const after = stateOf(await exported(orgId))
      const created = await keysWith(id, document, 'created')
      const updated = await keysWith(id, document, 'updated')
      if (change) await importOf(renamed(change), { on_conflict: 'update' })
      for (const path of renamed(deleted)) {
        const { status } = await migration.manage('DELETE', path)
        expect([204, 404], path).toContain(status)
      }
      const present = stateOf(await exported(orgId))

      const answer = await undo(id, { force })
      const result = (await answer.json()) as { kept: Json[] }
      expect(answer.status, JSON.stringify(result)).toBe(200)
      const expected = undone({ before, after, present, created, updated, force })
      const left = stateOf(await exported(orgId))
      const texts = (state: typeof left) =>
        [...state].map(([key, record]) => `${key} ${text(record)}`).toSorted()
      expect(texts(left)).toEqual(texts(expected.state))
      const undoId = answer.headers.get('x-signet-job') ?? ''
      const kept = await keysWith(undoId, document, 'kept')
      expect([...kept].toSorted()).toEqual(expected.kept)
      expect(result.kept).toHaveLength(kept.size)
      expect((await job(undoId)).state).toBe(kept.size === 0 ? 'succeeded' : 'partial')
    }),
    { numRuns: size('undoneImports') },
  )
}, 3_600_000)

const person = (userId: string, more: object = {}) => ({
  userId,
  user: { userName: userId, profile: { firstName: 'Given', lastName: userId }, ...more },
})
const organization = (orgId: string, more: object = {}) => ({ orgId, org: { name: orgId }, ...more })

describe('an undo of an import', () => {
  it('ends the tokens of the users that it deletes before it responds', async () => {
    const document = organization('ended', {
      machineUsers: [{ userId: 'ended-m', user: { userName: 'ended-m', name: 'M' } }],
      orgMembers: [{ userId: 'ended-m', roles: ['ORG_OWNER'] }],
    })
    const id = await importOf(document)
    const made = await migration.manage('POST', '/users/ended-m/tokens', {})
    const { token } = (await made.json()) as { token: string }
    const asMachine = () =>
      fetch(`${migration.system.base}/management/v1/organizations/ended`, {
        headers: { Authorization: `Bearer ${token}` },
      })
    expect((await asMachine()).status).toBe(200)
    const kept = (await (await undo(id)).json()) as { kept: Json[] }
    expect(kept.kept).toEqual([
      {
        type: 'machine_user',
        id: 'ended-m',
        message: 'it has 1 personal access tokens that this undo does not delete',
      },
      { type: 'org', id: 'ended', message: 'it has 1 users that this undo does not delete' },
    ])
    // Its role is taken back, and the token still is one of the user.
    expect((await asMachine()).status).toBe(403)
    expect(await (await undo(id, { force: true })).json()).toEqual({
      deleted: 2,
      restored: 0,
      skipped: 1,
      kept: [],
    })
    expect((await asMachine()).status).toBe(401)
  })

  it('ends what was made under a password that it takes back', async () => {
    const epochs = () =>
      query<{ user_id: string; token_epoch: number }>(
        `SELECT user_id, token_epoch FROM directory_read.account_life_v1 WHERE organization_id = 'epochs' ORDER BY user_id`,
      )
    await importOf(
      organization('epochs', {
        humanUsers: [
          person('epochs-a', { hashedPassword: { value: HASH } }),
          person('epochs-b'),
          person('epochs-c'),
        ],
      }),
    )
    const changed = ['epochs-a', 'epochs-b'].map((userId) =>
      person(userId, { hashedPassword: { value: OTHER_HASH } }),
    )
    const id = await importOf(organization('epochs', { humanUsers: [...changed, person('epochs-c')] }), {
      on_conflict: 'update',
    })
    const before = await epochs()
    expect((await undo(id)).status).toBe(200)
    const risen = before.map(({ user_id, token_epoch }) => ({
      user_id,
      token_epoch: token_epoch + (user_id === 'epochs-c' ? 0 : 1),
    }))
    expect(await epochs()).toEqual(risen)
    const hashes = await query(
      `SELECT user_id, hash FROM directory.account_password JOIN directory.account USING (user_id) WHERE organization_id = 'epochs'`,
    )
    expect(hashes).toEqual([{ user_id: 'epochs-a', hash: HASH }])
  })

  it('ends the sessions of people whose identity links it takes back', async () => {
    const epochOf = async () => {
      const statement = 'SELECT token_epoch FROM directory_read.account_life_v1 WHERE user_id = $1'
      const [row] = await query<{ token_epoch: number }>(statement, 'linked-a')
      return row?.token_epoch ?? Number.NaN
    }
    const idp = {
      name: 'Corporate',
      issuer: 'https://idp.example',
      clientId: 'signet',
      clientSecret: 'x'.repeat(40),
    }
    const oidcIdps = [{ idpId: 'linked-idp', idp }]
    await importOf(organization('linked', { humanUsers: [person('linked-a')], oidcIdps }))
    const link = { userId: 'linked-a', idpId: 'linked-idp', providedUserId: '77' }
    const id = await importOf(organization('linked', { userLinks: [link] }), { on_conflict: 'update' })
    const links = async () =>
      (await (await migration.manage('GET', '/users/linked-a/identity-links')).json()) as Json
    expect(await links()).toMatchObject({ items: [{ subject: '77' }] })
    const before = await epochOf()
    expect((await undo(id)).status).toBe(200)
    expect(await links()).toMatchObject({ items: [] })
    expect(await epochOf()).toBe(before + 1)
  })

  it('takes back metadata of an organization, alone and with the organization', async () => {
    const metadata = (value: string) => ({ orgMetadata: [{ key: 'tier', value: btoa(value) }] })
    const values = async () => {
      const answer = await migration.manage('GET', '/organizations/noted/metadata')
      const { items = [] } = (await answer.json()) as { items?: { value: string }[] }
      return items.map(({ value }) => atob(value))
    }
    const first = await importOf(organization('noted', metadata('gold')))
    const second = await importOf(organization('noted', metadata('lead')), { on_conflict: 'update' })
    expect(await values()).toEqual(['lead'])
    // The record of the organization was updated, too.
    expect(await (await undo(second)).json()).toMatchObject({ restored: 2, kept: [] })
    expect(await values()).toEqual(['gold'])
    expect(await (await undo(first)).json()).toMatchObject({ deleted: 2, kept: [] })
    expect(await values()).toEqual([])
    expect((await migration.manage('GET', '/organizations/noted')).status).toBe(404)
  })

  it('gives a membership that two organizations repeat its role from before the import', async () => {
    const owner = { userId: 'twice-u', projectId: 'twice-p' }
    const members = (...roles: string[]) => ({ projectMembers: [{ ...owner, roles }] })
    const orgs = (role: string) => [
      organization('twice-1', {
        humanUsers: [person('twice-u')],
        projects: [{ projectId: 'twice-p', project: { name: 'P' } }],
        ...members(role),
      }),
      organization('twice-2', members(role)),
    ]
    const both = async (role: string, more: object) => {
      const body = { data_orgs: { orgs: orgs(role) }, ...more }
      const answer = await migration.call('POST', '/import', body)
      expect(answer.status, await answer.clone().text()).toBe(200)
      return answer.headers.get('x-signet-job') ?? ''
    }
    const roles = async () =>
      (
        await query<{ role: string }>(`SELECT role FROM directory_read.member_v1 WHERE user_id = 'twice-u'`)
      ).map(({ role }) => role)
    await both('PROJECT_OWNER_VIEWER', {})
    const plan = await both('PROJECT_OWNER', { on_conflict: 'update', dry_run: true })
    expect((await migration.call('POST', `/jobs/${plan}/apply`)).status).toBe(200)
    expect(await roles()).toEqual(['PROJECT_OWNER'])
    expect(await (await undo(plan, { force: true })).json()).toMatchObject({ kept: [] })
    expect(await roles()).toEqual(['PROJECT_OWNER_VIEWER'])
  })

  it('is one at a time', async () => {
    const id = await importOf(
      organization('race', { humanUsers: [0, 1, 2].map((at) => person(`race-${at}`)) }),
    )
    const answers = await Promise.all([undo(id), undo(id), undo(id)])
    const statuses = answers.map(({ status }) => status).toSorted()
    expect(statuses[0]).toBe(200)
    const deleted = await Promise.all(
      answers.map(async (answer) => ((await answer.json()) as { deleted?: number }).deleted ?? 0),
    )
    expect(deleted.reduce((sum, count) => sum + count, 0)).toBe(4)
    // Those that found the first one at work.
    expect(statuses.slice(1).every((status) => status === 409 || status === 200)).toBe(true)
    expect(await exported('race')).toBeUndefined()
    expect(await (await undo(id)).json()).toEqual({ deleted: 0, restored: 0, skipped: 4, kept: [] })
    const again = await importOf(organization('race', { humanUsers: [person('race-0')] }))
    expect((await job(again)).counts).toMatchObject({ created: 2 })
  })

  it('is refused of jobs that wrote nothing or still run, and to everyone but an IAM_OWNER', async () => {
    const dry = await importOf(organization('none'), { dry_run: true })
    expect([(await undo(dry)).status, (await undo('unknown')).status]).toEqual([400, 404])
    const id = await importOf(organization('none', { humanUsers: [person('none-a')] }))
    const refused = await undo(id, {}, { Authorization: `Bearer ${ORGANIZER_TOKEN}` })
    expect(refused.status).toBe(403)
    expect((await undo(id, { force: 'yes' })).status).toBe(400)
    // A job that was dispatched after now is not given to a worker.
    await query(
      `UPDATE migration.job SET state = 'running', ended_at = NULL, dispatched_at = now() + interval '1 hour' WHERE job_id = $1`,
      id,
    )
    expect(await (await undo(id)).json()).toMatchObject({ details: [{ id: 'job_running' }] })
    await query(`UPDATE migration.job SET state = 'cancelled', ended_at = now() WHERE job_id = $1`, id)
    expect((await job(id)).resumable).toBe(true)
    expect((await undo(id)).status).toBe(200)
    expect(await job(id)).toMatchObject({ resumable: false, isUndone: true })
    expect((await migration.call('POST', `/jobs/${id}/resume`)).status).toBe(400)
  })

  it('names the records of a document from which others were left out', async () => {
    const humanUsers = ['a', 'a', 'b', 'c'].map((letter) => person(`twice-${letter}`))
    const id = await importOf(organization('twice', { humanUsers }), { on_invalid: 'skip' })
    expect((await migration.manage('PATCH', '/users/twice-b', { profile: { nickName: 'N' } })).status).toBe(
      200,
    )
    const undoId = (await undo(id)).headers.get('x-signet-job') ?? ''
    expect((await job(undoId)).counts).toMatchObject({ total: 4, done: 4, deleted: 2, kept: 2 })
    const lines = (await linesOf(undoId)).map(({ id: record, index, outcome }) => [record, index, outcome])
    expect(lines).toEqual([
      ['twice-a', 0, 'deleted'],
      ['twice-b', 2, 'kept'],
      ['twice-c', 3, 'deleted'],
      ['twice', 0, 'kept'],
    ])
  })

  it('is found by the id of its request as long as it runs', async () => {
    const hourAgo = Date.now() - 3_600_000
    const requestId = `${hourAgo
      .toString(16)
      .padStart(12, '0')
      .replace(/^(.{8})/, '$1-')}-7000-8000-000000000001`
    const add = (schema: string, action: string, minutesAgo: number) =>
      query(
        `INSERT INTO ${schema}.audit_event (at, actor_kind, action, target_kind, target_id, result, details)
         VALUES (now() - $1 * interval '1 minute', 'service', $2, 'job', 'long-undo', 'success', jsonb_build_object('request_id', $3::text))`,
        ...[minutesAgo, action, requestId],
      )
    // An hour ago may have been in the month before the first partition.
    await query(`SELECT directory_audit.settle(now() - interval '1 hour', 0)`)
    await add('migration_audit', 'undo.start', 60)
    await add('directory_audit', 'undo.batch', 30)
    const found = async () => {
      const answer = await migration.manage('GET', `/audit?requestId=${requestId}`)
      return ((await answer.json()) as { items: Json[] }).items.map(({ action }) => action)
    }
    expect(await found()).toEqual(['undo.batch', 'undo.start'])
    await add('migration_audit', 'undo.end', 20)
    await add('directory_audit', 'undo.copied', 10)
    expect(await found()).toEqual(['undo.end', 'undo.batch', 'undo.start'])
  })

  it('is a job with a report and audit events, and its records are sealed', async () => {
    const id = await importOf(
      organization('told-undo', { humanUsers: [person('told-undo-a', { hashedPassword: { value: HASH } })] }),
    )
    const [{ sealed = '' } = {}] = await query<{ sealed: string }>(
      `SELECT string_agg(encode(sealed, 'escape'), '') AS sealed FROM directory.undo_batch WHERE job_id = $1`,
      id,
    )
    expect(sealed.length).toBeGreaterThan(100)
    expect(sealed).not.toMatch(/told-undo|WzQ8nYtq3/)
    const answer = await undo(id, {}, { Prefer: 'respond-async' })
    expect(answer.status).toBe(202)
    const { id: undoId } = (await answer.json()) as { id: string }
    await expect.poll(async () => (await job(undoId)).state).toBe('succeeded')
    expect(await job(undoId)).toMatchObject({
      kind: 'undo',
      undoOf: id,
      counts: { total: 2, done: 2, deleted: 2, restored: 0, kept: 0, skipped: 0 },
    })
    expect((await linesOf(undoId)).map(({ type, id, outcome }) => [type, id, outcome])).toEqual([
      ['human_user', 'told-undo-a', 'deleted'],
      ['org', 'told-undo', 'deleted'],
    ])
    const events = async (filter: string) =>
      ((await (await migration.manage('GET', `/audit?${filter}`)).json()) as { items: Json[] }).items
    const ofRequest = await events(`requestId=${answer.headers.get('x-request-id')}`)
    expect(ofRequest.map(({ action }) => action)).toEqual([
      'undo.end',
      'undo.batch',
      'undo.batch',
      'undo.start',
    ])
    const ofJob = await events(`targetId=${undoId}`)
    expect(ofJob).toMatchObject([
      { service: 'migration', action: 'undo.end' },
      { service: 'migration', action: 'undo.start', details: { import: id, force: false } },
    ])
    const batches = (await events('action=undo.batch')).filter(
      ({ details }) => (details as Json).job_id === undoId,
    )
    expect(batches).toHaveLength(2)
    const [{ left = 0 } = {}] = await query<{ left: number }>(
      'SELECT sum(length(sealed))::int AS left FROM directory.undo_batch WHERE job_id = $1',
      id,
    )
    expect(left).toBeLessThan(sealed.length / 2)
  })
})
