import { createHash, randomBytes } from 'node:crypto'
import type { ServiceName } from '@signet/platform/process/service'
import { createRedis } from '@signet/platform/redis/client'
import type { Redis } from '@signet/platform/redis/connection'
import { startFaultProxy } from '@signet/testing/fault-proxy'
import { homeOrganization } from '@signet/testing/home-organization'
import { startS3Server } from '@signet/testing/s3-server'
import { size } from '@signet/testing/sizes'
import { createPreparedDataDirectory } from '@signet/testing/system/prepared-data'
import type { ProcessSystem } from '@signet/testing/system/process-system'
import {
  type RestartablePostgres,
  startRestartablePostgres,
} from '@signet/testing/system/restartable-postgres'
import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBackgroundCall } from './background-call.ts'

const ADMIN_TOKEN = randomBytes(32).toString('base64url')

let postgres: RestartablePostgres
let system: ProcessSystem
let redis: Redis
beforeAll(async () => {
  postgres = await startRestartablePostgres(await createPreparedDataDirectory())
  system = await startSystem({
    mode: 'processes',
    document: { organizations: [homeOrganization(ADMIN_TOKEN)] },
    postgresUrl: postgres.url,
    env: { SIGNET_MIGRATION_STALL_SECONDS: '2' },
  })
  redis = createRedis({ url: system.redisUrl, name: 'test' })
  await redis.connect()
}, 120_000)
afterAll(async () => {
  redis?.disconnect()
  await system?.stop()
  await postgres?.stop()
}, 60_000)

/** Returns a document of an organization whose every id begins with `name`. */
function documentOf(name: string, users: number) {
  const creationDate = '2025-01-01T00:00:00Z'
  const all = Array.from({ length: users }, (_, index) => `${name}-${index}`)
  return {
    orgs: [
      {
        orgId: name,
        org: { name },
        domains: [{ domainName: `${name}.example`, isVerified: true, isPrimary: true }],
        humanUsers: withInvalid(
          name,
          all.map((userId) => ({
            userId,
            user: {
              userName: userId,
              profile: { firstName: 'Given', lastName: userId },
              email: { email: `${userId}@${name}.example`, isEmailVerified: true },
              hashedPassword: { value: '$2a$14$WzQ8nYtq3RkVf0sXe1uBhOgWwE3LaJUoLEdr.s.9CXS/2OTSCh9Py' },
              otpCode: 'JBSWY3DPEHPK3PXP',
            },
            state: 'USER_STATE_ACTIVE',
            creationDate,
          })),
        ),
        projects: [{ projectId: `${name}-project`, project: { name } }],
        projectRoles: [{ projectId: `${name}-project`, roleKey: 'reader' }],
        userMetadata: all.map((id) => ({ id, key: 'k', value: Buffer.from('v').toString('base64') })),
        userGrants: all.map((userId) => ({ userId, projectId: `${name}-project`, roleKeys: ['reader'] })),
      },
    ],
  }
}

const INVALID_RECORDS = 12

/** Adds some records that break a rule and some duplicates among the others. */
function withInvalid(name: string, users: readonly { readonly userId: string }[]): readonly object[] {
  const invalid = Array.from({ length: INVALID_RECORDS / 2 }, (_, at) => [
    { userId: `${name}-invalid-${at}`, user: { userName: '' } },
    users[at * 7] ?? {},
  ])
  const half = Math.floor(users.length / 2)
  return [...users.slice(0, half), ...invalid.flat(), ...users.slice(half)]
}

const call = createBackgroundCall(() => system.issuer, ADMIN_TOKEN)

/** Repeats the call while services are still finding each other: a call that was not accepted stores nothing. */
async function accept(name: string, users: number): Promise<string> {
  return await acceptDocument(documentOf(name, users))
}

const acceptDocument = async (document: object, more: object = {}) =>
  (await accepted('/import', { timeout: '1h', on_invalid: 'skip', data_orgs: document, ...more })).id

async function accepted(path: string, body: object): Promise<Job & { readonly id: string }> {
  let job: (Job & { readonly id: string }) | undefined
  await expect
    .poll(
      async () => {
        const answer = await call('POST', path, JSON.stringify(body))
        const json = await answer.json()
        if (answer.status === 202) job = json as typeof job
        return { status: answer.status, json }
      },
      { timeout: 60_000 },
    )
    .toMatchObject({ status: 202 })
  if (job === undefined) throw new Error(`${path} was not accepted`)
  return job
}

interface Job {
  readonly state: string
  readonly counts: {
    readonly total: number
    readonly done: number
    readonly created: number
    readonly invalid: number
  }
}

/** The state of a job, also while processes are being killed. */
async function jobOf(id: string): Promise<Job | undefined> {
  try {
    const answer = await call('GET', `/jobs/${id}`)
    if (!answer.ok) return undefined
    return (await answer.json()) as Job
  } catch {
    return undefined
  }
}

/** A job that has failed will not come any further. */
async function unlessFailed(id: string): Promise<Job | undefined> {
  const job = await jobOf(id)
  if (job?.state === 'failed') expect.fail(JSON.stringify(job))
  return job
}

/** Every row that an import made, without the moment of the import and the name of the organization. */
async function rowsOf(
  name: string,
): Promise<Record<string, { readonly count: number; readonly digest: string }>> {
  const tables: Readonly<Record<string, string>> = {
    account: `SELECT to_jsonb(t) - 'token_epoch' AS row FROM directory.account t WHERE organization_id = $1`,
    account_password: `SELECT to_jsonb(t) - 'changed_at' AS row FROM directory.account_password t JOIN directory.account USING (user_id) WHERE organization_id = $1`,
    account_totp: `SELECT to_jsonb(t) - 'sealed_seed' AS row FROM directory.account_totp t JOIN directory.account USING (user_id) WHERE organization_id = $1`,
    principal: `SELECT to_jsonb(t) AS row FROM directory.principal t WHERE owner_id LIKE $1 || '%'`,
    user_metadata:
      'SELECT to_jsonb(t) AS row FROM directory.user_metadata t JOIN directory.account USING (user_id) WHERE organization_id = $1',
    user_grant: `SELECT to_jsonb(t) - 'created_at' - 'user_grant_id' AS row FROM directory.user_grant t JOIN directory.account USING (user_id) WHERE organization_id = $1`,
    user_grant_role:
      'SELECT to_jsonb(t) AS row FROM directory.user_grant_role t JOIN directory.account USING (user_id) WHERE organization_id = $1',
    project: `SELECT to_jsonb(t) - 'created_at' AS row FROM directory.project t WHERE organization_id = $1`,
    project_role:
      'SELECT to_jsonb(t) AS row FROM directory.project_role t JOIN directory.project USING (project_id) WHERE organization_id = $1',
    organization: `SELECT to_jsonb(t) - 'created_at' - 'imported_at' - 'import_job_id' AS row FROM directory.organization t WHERE organization_id = $1`,
    applied_batch: `SELECT jsonb_build_object('batch', batch, 'outcomes', outcomes) AS row FROM directory.applied_batch
                     WHERE job_id = (SELECT job_id FROM migration.staged_organization WHERE organization_id = $1)`,
    rejected_batch: `SELECT to_jsonb(r) - 'sealed' - 'job_id' AS row FROM migration.rejected_batch r
                      WHERE job_id = (SELECT job_id FROM migration.staged_organization WHERE organization_id = $1)`,
  }
  const digests: Record<string, { count: number; digest: string }> = {}
  for (const [table, text] of Object.entries(tables)) {
    const { rows } = await system.database.query<{ row: object }>({ name: '', text, values: [name] })
    const lines = rows.map(({ row }) => JSON.stringify(row).replaceAll(name, '@')).sort()
    digests[table] = {
      count: lines.length,
      digest: createHash('sha256').update(lines.join('\n')).digest('hex'),
    }
  }
  return digests
}

/** The rejects document of a job, without the name of the organization. */
async function rejectsOf(id: string, name: string): Promise<string> {
  const answer = await call('GET', `/jobs/${id}/rejects`)
  expect(answer.status).toBe(200)
  return (await answer.text()).replaceAll(name, '@')
}

async function kill(service: ServiceName): Promise<void> {
  for (const replica of system.processes.replicas(service)) {
    await replica.end('SIGKILL')
    await replica.start()
  }
}

/** The faults that may happen at any moment. Redis comes back empty, as one without persistence does. */
const DISTURBANCES: readonly (readonly [string, () => Promise<void>])[] = [
  ['kill -9 of api and worker', () => kill('migration')],
  ['kill -9 of the directory', () => kill('directory')],
  ['restart of PostgreSQL', () => postgres.restart()],
  [
    'loss of Redis',
    async () => {
      await redis.flushall()
      await redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
    },
  ],
]

/**
 * Disturbs an import, spread over the whole of the job, from before its first batch on. The validation of the soak size begins again
 * after the first disturbance, and takes two minutes on a busy machine.
 */
async function disturbImport(id: string, total: number): Promise<void> {
  const kills = size('importKills')
  for (let turn = 0; turn < kills; turn += 1) {
    const moment = (total * turn) / kills
    await expect
      .poll(async () => (await unlessFailed(id))?.counts.done ?? -1, { timeout: 300_000, interval: 10 })
      .toBeGreaterThanOrEqual(moment)
    const [, disturb] = DISTURBANCES[turn % DISTURBANCES.length] ?? ['', async () => undefined]
    await disturb()
  }
}

it('an accepted import ends the same, row by row, with any process killed on the way', async () => {
  const users = size('importedUsers')
  const undisturbed = await accept('calm', users)
  await expect.poll(async () => (await jobOf(undisturbed))?.state, { timeout: 600_000 }).toBe('partial')

  const disturbed = await accept('wild', users)
  const total = 3 * users + 3
  await disturbImport(disturbed, total)
  await expect.poll(async () => (await jobOf(disturbed))?.state, { timeout: 600_000 }).toBe('partial')
  const counts = { total, done: total, created: total, invalid: INVALID_RECORDS }
  expect((await jobOf(disturbed))?.counts).toMatchObject(counts)
  const [calm, wild] = [await rowsOf('calm'), await rowsOf('wild')]
  expect(calm.account?.count).toBe(users)
  expect(wild).toEqual(calm)
  const [kept, given] = await Promise.all([rejectsOf(disturbed, 'wild'), rejectsOf(undisturbed, 'calm')])
  expect(kept).toEqual(given)
}, 1_200_000)

it('an import of many organizations writes each record once, with any process killed on the way', async () => {
  const organizations = size('importedUsers') / 20
  const names = Array.from({ length: organizations }, (_, at) => `many-${at}`)
  const orgs = names.flatMap((name) => documentOf(name, 20).orgs)
  const id = await acceptDocument({ orgs })
  const total = organizations * 63
  await disturbImport(id, total)
  await expect.poll(async () => (await jobOf(id))?.state, { timeout: 600_000 }).toBe('partial')
  const counts = { total, done: total, created: total, invalid: INVALID_RECORDS * organizations }
  expect((await jobOf(id))?.counts).toMatchObject(counts)
  const { rows } = await system.database.query<{ users: number; grants: number; entries: number }>({
    name: '',
    text: `SELECT count(*)::int AS users, count(g.user_id)::int AS grants, count(m.user_id)::int AS entries
             FROM directory.account a
             LEFT JOIN directory.user_grant_role g USING (user_id) LEFT JOIN directory.user_metadata m USING (user_id)
            WHERE a.organization_id = ANY ($1::text[]) GROUP BY a.organization_id`,
    values: [names],
  })
  expect(rows).toEqual(names.map(() => ({ users: 20, grants: 20, entries: 20 })))
  const audited = await system.database.query<{ created: number }>({
    name: '',
    text: `SELECT sum((details ->> 'created')::int)::int AS created FROM directory.audit_event
            WHERE action = 'import.batch' AND details ->> 'job_id' = $1`,
    values: [id],
  })
  expect(audited.rows).toEqual([{ created: total }])
}, 1_200_000)

/** The rows of an organization that an undo restores; it touches the time of the last change. */
async function restoredRowsOf(name: string): Promise<readonly string[]> {
  const texts = [
    `SELECT to_jsonb(t) - 'token_epoch' - 'updated_at' AS row FROM directory.account t WHERE organization_id = $1`,
    'SELECT to_jsonb(t) AS row FROM directory.account_password t JOIN directory.account USING (user_id) WHERE organization_id = $1',
    'SELECT to_jsonb(t) AS row FROM directory.account_totp t JOIN directory.account USING (user_id) WHERE organization_id = $1',
    'SELECT to_jsonb(t) AS row FROM directory.user_metadata t JOIN directory.account USING (user_id) WHERE organization_id = $1',
    'SELECT to_jsonb(t) AS row FROM directory.user_grant_role t JOIN directory.account USING (user_id) WHERE organization_id = $1',
    `SELECT to_jsonb(t) AS row FROM directory.principal t WHERE owner_id LIKE $1 || '-%'`,
    'SELECT to_jsonb(t) AS row FROM directory.project t WHERE organization_id = $1',
  ]
  const results = await Promise.all(
    texts.map((text) => system.database.query<{ row: object }>({ name: '', text, values: [name] })),
  )
  return results.flatMap(({ rows }) => rows.map(({ row }) => JSON.stringify(row))).toSorted()
}

it('an undo ends with the rows from before its import, with any process killed on the way', async () => {
  const users = size('importedUsers') / 4
  const ended = async (id: string) =>
    await expect
      .poll(async () => (await unlessFailed(id))?.state, { timeout: 600_000 })
      .toMatch(/^(succeeded|partial)$/)
  await ended(await accept('back', users / 2))
  const before = await restoredRowsOf('back')
  const document = documentOf('back', users)
  for (const record of document.orgs[0]?.humanUsers ?? [])
    Object.assign(record, { state: 'USER_STATE_INACTIVE' })
  const id = await acceptDocument(document, { on_conflict: 'update', org_ids: ['back'] })
  await ended(id)
  expect(await restoredRowsOf('back')).not.toEqual(before)

  const undo = await accepted(`/jobs/${id}/undo`, { timeout: '1h' })
  const kills = size('undoKills')
  for (let turn = 0; turn < kills; turn += 1) {
    const moment = (undo.counts.total * turn) / kills
    await expect
      .poll(async () => (await unlessFailed(undo.id))?.counts.done ?? -1, { timeout: 120_000, interval: 5 })
      .toBeGreaterThanOrEqual(moment)
    const [, disturb] = DISTURBANCES[turn % DISTURBANCES.length] ?? ['', async () => undefined]
    await disturb()
  }
  await ended(undo.id)
  expect(await jobOf(undo.id)).toMatchObject({
    state: 'succeeded',
    counts: { total: 3 * users + 3, deleted: (3 * users) / 2, restored: (3 * users) / 2 + 3, kept: 0 },
  })
  expect(await restoredRowsOf('back')).toEqual(before)
}, 1_200_000)

describe.each([
  ['may read what they create', 200],
  ['may only create', 403],
])('an export to a storage whose credentials %s', (_, headStatus) => {
  it('recognizes the object that it completed when its worker was killed before it stored that', async () => {
    const storage = await startS3Server()
    const proxy = await startFaultProxy(storage.url)
    const path = `completed-${headStatus}.json`
    let completed = 0
    proxy.failWith(({ method, headers }) => {
      if (method === 'HEAD') return headStatus === 200 ? undefined : { answer: { status: headStatus } }
      if (headers['if-none-match'] === undefined) return undefined
      completed += 1
      return completed === 1 ? { stallAfterBytes: 0 } : { answer: { status: 412 } }
    })
    const place = {
      path,
      bucket: storage.bucket,
      endpoint: proxy.url,
      accessKeyId: 'id',
      secretAccessKey: 'key',
    }
    const { id } = await accepted('/export', { org_ids: ['home'], s3_output: place })
    const stored = async () => (await fetch(`${storage.url}/${storage.bucket}/${path}`)).status
    await expect.poll(stored, { timeout: 60_000 }).toBe(200)
    await kill('migration')
    await expect.poll(async () => (await jobOf(id))?.state, { timeout: 60_000 }).not.toMatch(/queued|running/)
    expect(await jobOf(id)).toMatchObject({ state: 'succeeded', result: { storage: 's3Output' } })
    expect(completed).toBe(headStatus === 200 ? 1 : 2)
    await proxy.stop()
    await storage.stop()
  }, 120_000)
})
