import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { Secret } from '@signet/platform/config/settings-fields'
import { createTestDatabase, type TestDatabase } from '@signet/testing/postgres-fixture'
import { startRestartablePostgres } from '@signet/testing/system/restartable-postgres'
import { startTcpRelay } from '@signet/testing/tcp-relay'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { prepareDatabase } from '../../src/postgres/migrate.ts'
import { createPool, type Pool, type PoolOptions } from '../../src/postgres/pool.ts'

const UNAVAILABLE = { name: 'DependencyUnavailableError', dependency: 'postgres' }
const sql = (text: string) => ({ name: '', text })
const one = sql('SELECT 1 AS one')

let server: TestDatabase
let admin: Pool
beforeAll(async () => {
  server = await createTestDatabase({ migrations: [] })
  admin = createPool({ url: server.adminUrl, applicationName: 'test', max: 2 })
})
afterAll(async () => {
  await admin?.close()
  await server?.drop()
})

function pool(options: Partial<PoolOptions> = {}): Pool {
  const database = createPool({
    url: server.adminUrl,
    applicationName: 'test',
    onIdleError: () => undefined,
    ...options,
  })
  onTestFinished(() => database.close())
  return database
}

/** The errors of `count` statements that run at once. */
async function errorsOf(database: Pool, count: number): Promise<unknown[]> {
  const results = await Promise.allSettled(Array.from({ length: count }, () => database.query(one)))
  return results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
}

describe('a server that stops responding', () => {
  it('costs the requests of one time-out, then every connection is a new one', async () => {
    const proxy = await startTcpRelay(server.adminUrl)
    onTestFinished(() => proxy.stop())
    const database = pool({ url: proxy.through(server.adminUrl), max: 26 })
    await Promise.all(Array.from({ length: 26 }, () => database.query(sql('SELECT pg_sleep(0.2)'))))
    expect(database.use()).toEqual({ used: 0, idle: 26, waiting: 0 })
    expect(proxy.silence()).toBe(26)
    const begun = performance.now()
    const transaction = database.transaction((tx) => tx.query(one))
    const [errors] = await Promise.all([
      errorsOf(database, 3),
      expect(transaction).rejects.toMatchObject(UNAVAILABLE),
    ])
    expect(errors).toEqual([1, 2, 3].map(() => expect.objectContaining(UNAVAILABLE)))
    expect(performance.now() - begun).toBeLessThan(8_000)
    // The other 22 are not tried one after the other.
    expect(await errorsOf(database, 26)).toEqual([])
  }, 30_000)

  it('measures how long no statement succeeded', async () => {
    let now = 0
    const database = pool({ elapsed: () => now })
    now = 20_000
    expect(database.silentMs()).toBe(20_000)
    await expect(database.query(sql('SELECT 1/0'))).rejects.toThrow('division by zero')
    expect(database.silentMs()).toBe(20_000)
    await database.query(one)
    now = 50_000
    expect(database.silentMs()).toBe(30_000)
  })
})

describe('a server that refuses', () => {
  it.each(['53100', '53200', '57014', '58030'])(
    'reports %s as unavailable and keeps the connection',
    async (state) => {
      const database = pool({ max: 1 })
      const pid = async () => (await database.query(sql('SELECT pg_backend_pid() AS pid'))).rows
      const before = await pid()
      const raise = sql(`DO $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '${state}'; END $$`)
      await expect(database.query(raise)).rejects.toMatchObject({ ...UNAVAILABLE, cause: { code: state } })
      await expect(database.transaction((tx) => tx.query(raise))).rejects.toMatchObject(UNAVAILABLE)
      expect(await pid()).toEqual(before)
    },
  )

  it('reports a read-only server as unavailable until it is not, without another start', async () => {
    const own = await createTestDatabase({ migrations: [] })
    onTestFinished(() => own.drop())
    const database = createPool({ url: own.adminUrl, applicationName: 'test', max: 2 })
    onTestFinished(() => database.close())
    const name = new URL(own.adminUrl.reveal()).pathname.slice(1)
    const write = () => database.query(sql('CREATE TABLE IF NOT EXISTS public.item (id integer)'))
    await admin.query(sql(`ALTER DATABASE ${name} SET default_transaction_read_only = on`))
    await expect(write()).rejects.toMatchObject({ ...UNAVAILABLE, cause: { code: '25006' } })
    await expect(
      database.transaction((tx) => tx.query(sql('CREATE TABLE public.thing (id integer)'))),
    ).rejects.toMatchObject(UNAVAILABLE)
    await admin.query(sql(`ALTER DATABASE ${name} RESET default_transaction_read_only`))
    await write()
  })

  it('connects with the password of the moment', async () => {
    const role = `test_${randomBytes(6).toString('hex')}`
    await admin.query(sql(`CREATE ROLE ${role} LOGIN PASSWORD 'first'`))
    const url = new URL(server.adminUrl.reveal())
    url.username = role
    url.password = 'first'
    const database = createPool({ url: { reveal: () => url.href }, applicationName: 'test', max: 1 })
    await database.query(one)
    await admin.query(sql(`ALTER ROLE ${role} PASSWORD 'second'`))
    const cut = sql(`SELECT pg_terminate_backend(pg_backend_pid())`)
    await expect(database.query(cut)).rejects.toMatchObject(UNAVAILABLE)
    await expect(database.query(one)).rejects.toMatchObject({ ...UNAVAILABLE, cause: { code: '28P01' } })
    url.password = 'second'
    await database.query(one)
    await database.close()
    await admin.query(sql(`DROP ROLE ${role}`))
  })
})

describe('time-outs of the server', () => {
  const limits = sql(`SELECT current_setting('statement_timeout') AS statement,
                             current_setting('idle_in_transaction_session_timeout') AS idle`)

  it('are those of requests, of the background and of long work', async () => {
    const database = pool({ url: server.url('signet_login'), max: 1 })
    expect((await database.query(limits)).rows).toEqual([{ statement: '4500ms', idle: '30s' }])
    const within = async (kind: 'background' | 'long') =>
      (await database.transaction((tx) => tx.query(limits), { kind })).rows
    expect(await within('background')).toEqual([{ statement: '55s', idle: '1min' }])
    expect(await within('long')).toEqual([{ statement: '0', idle: '1h' }])
    expect((await database.query(limits)).rows).toEqual([{ statement: '4500ms', idle: '30s' }])
  })

  it('end a statement of a request on the server, which keeps the connection', async () => {
    const database = pool({ url: server.url('signet_login'), max: 1 })
    await expect(database.query(sql('SELECT pg_sleep(20)'))).rejects.toMatchObject({
      ...UNAVAILABLE,
      cause: { code: '57014' },
    })
    expect(database.use()).toEqual({ used: 0, idle: 1, waiting: 0 })
  }, 15_000)
})

/** The last message of a server that accepts a connection (PostgreSQL manual, section 54.7: ReadyForQuery). */
const READY = Buffer.from('Z\0\0\0\u0005I', 'latin1')

/** The server of `url` behind a proxy that ends the first session and sends its last two messages at once, as under load. */
async function startEndingProxy(url: Secret): Promise<{ readonly url: Secret }> {
  let sessions = 0
  const proxy = createServer((client) => {
    sessions += 1
    const isFirst = sessions === 1
    const upstream = connect(Number(new URL(url.reveal()).port), '127.0.0.1')
    let held = Buffer.alloc(0)
    client.pipe(upstream)
    upstream.on('data', (chunk: Buffer) => {
      held = Buffer.concat([held, chunk])
      if (isFirst && held.subarray(-READY.length).equals(READY))
        return void admin.query(
          sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'ended'`),
        )
      client.write(held)
      held = Buffer.alloc(0)
    })
    for (const socket of [client, upstream]) socket.on('error', () => undefined)
    upstream.on('close', () => client.end())
    client.on('close', () => upstream.destroy())
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => void proxy.close())
  const through = new URL(url.reveal())
  through.port = `${(proxy.address() as AddressInfo).port}`
  return { url: new Secret(through.href) }
}

// An error without a listener ends the process; Vitest reports it as an unhandled error and fails.
it('reports a session that the server ends as it begins as unavailable, and lives on', async () => {
  const { url } = await startEndingProxy(server.adminUrl)
  const database = pool({ url, applicationName: 'ended' })
  await expect(database.query(one)).rejects.toMatchObject(UNAVAILABLE)
  expect((await database.query(one)).rows).toEqual([{ one: 1 }])
})

it('refuses a server in recovery until it is promoted', async () => {
  const standby = await startRestartablePostgres()
  onTestFinished(() => standby.stop())
  await standby.becomeStandby()
  const database = pool({ url: standby.url })
  const reason = /is in recovery; the address has to lead to the primary/
  await expect(database.query(one)).rejects.toMatchObject({
    ...UNAVAILABLE,
    message: expect.stringMatching(reason),
  })
  const prepared = prepareDatabase({ adminUrl: standby.url, passwords: {} as never, migrations: [] })
  await expect(prepared).rejects.toMatchObject({
    name: 'StartFailure',
    message: expect.stringMatching(reason),
  })
  const superuser = new pg.Client({ connectionString: standby.url.reveal() })
  await superuser.connect()
  await superuser.query('SELECT pg_promote()')
  await superuser.end()
  await database.query(one)
}, 30_000)
