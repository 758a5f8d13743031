import { randomBytes } from 'node:crypto'
import { homeOrganization } from '@signet/testing/home-organization'
import type { ProcessSystem } from '@signet/testing/system/process-system'
import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createBackgroundCall } from './background-call.ts'

const ADMIN_TOKEN = randomBytes(32).toString('base64url')
/** A batch takes 2,000 people: those from here on are in the second one. */
const FIRST_OF_SECOND = 2_000
const USERS = FIRST_OF_SECOND + 10

let system: ProcessSystem
beforeAll(async () => {
  system = await startSystem({
    mode: 'processes',
    document: { organizations: [homeOrganization(ADMIN_TOKEN)] },
    env: { SIGNET_MIGRATION_STALL_SECONDS: '2' },
  })
}, 120_000)
afterAll(() => system?.stop(), 60_000)

const call = createBackgroundCall(() => system.issuer, ADMIN_TOKEN)

const query = <R>(text: string) => system.database.query<R>({ name: '', text }).then(({ rows }) => rows)

interface Job {
  readonly id: string
  readonly state: string
  readonly counts: Record<string, number>
}

/** Undefined while the api starts again. */
async function jobOf(id: string): Promise<Job | undefined> {
  try {
    const answer = await call('GET', `/jobs/${id}`)
    return answer.ok ? ((await answer.json()) as Job) : undefined
  } catch {
    return undefined
  }
}

const SLEEPING = `FROM pg_stat_activity WHERE wait_event = 'PgSleep'`
const isWritten = () =>
  expect.poll(() => query(`SELECT pid ${SLEEPING}`), { timeout: 60_000 }).toHaveLength(1)
/** The batch that is being written is claimed by a worker, after so many others were lost with it. */
const isClaimedAfter = (id: string, lost: number) =>
  expect
    .poll(
      () =>
        query(`SELECT cardinality(b.lost_workers) AS lost
                 FROM migration.staged_batch b JOIN migration.worker w ON w.worker_id = b.claimed_by
                WHERE b.job_id = '${id}' AND b.outcomes IS NULL AND b.first_index = ${FIRST_OF_SECOND}`),
      { timeout: 60_000 },
    )
    .toEqual([{ lost }])
const breakConnection = () => query(`SELECT pg_terminate_backend(pid) ${SLEEPING}`)

/** Makes PostgreSQL take ten minutes for the row of a person, until it is disposed of. */
async function slowRow(userId: string): Promise<AsyncDisposable> {
  await query(`
    CREATE FUNCTION public.write_slowly() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_sleep(600);
      RETURN NEW;
    END $$;
    CREATE TRIGGER write_slowly BEFORE INSERT ON directory.account
      FOR EACH ROW WHEN (NEW.user_id = '${userId}') EXECUTE FUNCTION public.write_slowly()`)
  return {
    async [Symbol.asyncDispose]() {
      // Waits for the transaction that writes the row.
      await breakConnection()
      await query('DROP FUNCTION public.write_slowly CASCADE')
    },
  }
}

const peopleOf = (orgId: string) =>
  Array.from({ length: USERS }, (_, at) => ({
    userId: `${orgId}-${at}`,
    user: { userName: `${orgId}-${at}`, profile: { firstName: 'Given', lastName: 'Family' } },
  }))

/** The id of an import that is accepted: while the services are still finding each other a call stores nothing. */
async function accept(orgId: string): Promise<string> {
  const document = { orgs: [{ orgId, org: { name: orgId }, humanUsers: peopleOf(orgId) }] }
  let id = ''
  const send = async () => {
    const answer = await call('POST', '/import', JSON.stringify({ timeout: '1h', data_orgs: document }))
    id = ((await answer.json()) as Job).id
    return answer.status
  }
  await expect.poll(send, { timeout: 60_000 }).toBe(202)
  return id
}

it('a batch that ends its worker three times is set aside, and the others are written', async () => {
  await using disposables = new AsyncDisposableStack()
  disposables.use(await slowRow(`aside-${FIRST_OF_SECOND + 3}`))
  const humanUsers = peopleOf('aside')
  const id = await accept('aside')
  for (const lost of [0, 1, 2]) {
    await isClaimedAfter(id, lost)
    await isWritten()
    expect((await jobOf(id))?.state ?? 'running').toBe('running')
    for (const replica of system.processes.replicas('migration')) {
      await replica.end('SIGKILL')
      await breakConnection()
      await replica.start()
    }
  }
  await expect.poll(async () => (await jobOf(id))?.state, { timeout: 120_000 }).toBe('partial')
  expect(await query(`SELECT pid ${SLEEPING}`)).toEqual([])
  const failed = USERS - FIRST_OF_SECOND
  const rule = 'the worker ended three times while it wrote these records'
  expect(await jobOf(id)).toMatchObject({
    counts: { total: USERS + 1, done: USERS + 1, created: FIRST_OF_SECOND + 1, failed },
    resumable: true,
    notes: expect.arrayContaining([
      `set aside: humanUsers[${FIRST_OF_SECOND}] to humanUsers[${USERS - 1}] of organization aside: ${rule}; signet jobs resume tries them again`,
    ]),
  })
  const report = await (await call('GET', `/jobs/${id}/report`)).text()
  const lines = report
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.filter(({ outcome }) => outcome === 'failed').map(({ id: user }) => user)).toEqual(
    humanUsers.slice(FIRST_OF_SECOND).map(({ userId }) => userId),
  )
  expect(lines.filter(({ message }) => message === rule)).toHaveLength(failed)

  await disposables.disposeAsync()
  expect((await call('POST', `/jobs/${id}/resume`, '{}')).status).toBe(202)
  await expect.poll(async () => (await jobOf(id))?.state, { timeout: 60_000 }).toBe('succeeded')
  expect(await jobOf(id)).toMatchObject({ counts: { created: USERS + 1, failed: 0 }, resumable: false })
  const [accounts] = await query<{ count: number }>(
    `SELECT count(*)::int AS count FROM directory_read.account_life_v1 WHERE organization_id = 'aside'`,
  )
  expect(accounts).toEqual({ count: USERS })
}, 300_000)

it('a batch is not set aside for lost connections to PostgreSQL and workers that stop', async () => {
  await using disposables = new AsyncDisposableStack()
  disposables.use(await slowRow(`stays-${FIRST_OF_SECOND + 3}`))
  const id = await accept('stays')
  for (const _ of [1, 2, 3, 4]) {
    await isWritten()
    await breakConnection()
  }
  for (const _ of [1, 2, 3, 4]) {
    await isWritten()
    for (const replica of system.processes.replicas('migration')) {
      const ended = replica.end('SIGTERM')
      await breakConnection()
      await ended
      await replica.start()
    }
  }
  await isWritten()
  expect(
    await query(`SELECT batch FROM migration.staged_batch WHERE job_id = '${id}' AND lost_workers <> '{}'`),
  ).toEqual([])
  await disposables.disposeAsync()
  await expect.poll(async () => (await jobOf(id))?.state, { timeout: 60_000 }).toBe('succeeded')
}, 300_000)
