import { Socket } from 'node:net'
import { freePort } from '@signet/testing/free-port'
import { createTestDatabase, type TestDatabase } from '@signet/testing/postgres-fixture'
import { startRoundTripCounter } from '@signet/testing/round-trips'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { Secret } from '../../src/config/settings-fields.ts'
import { createPool, type Database, type PoolOptions } from '../../src/postgres/pool.ts'

let server: TestDatabase
const opened: Database[] = []
beforeAll(async () => {
  server = await createTestDatabase({ migrations: [] })
  const setup = pool()
  await setup.query({ name: '', text: 'CREATE TABLE public.item (id integer PRIMARY KEY, big bigint)' })
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()))
})
afterAll(() => server?.drop())

function pool(options: Partial<PoolOptions> = {}): Database {
  const database = createPool({ url: server.adminUrl, applicationName: 'pool-test', ...options })
  opened.push(database)
  return database
}
const sql = (text: string, values: readonly unknown[] = [], name = '') => ({ name, text, values })

describe('query', () => {
  it('reads bigint as a number, and the number of rows that changed', async () => {
    const database = pool()
    await database.query(sql('DELETE FROM public.item'))
    const { rows, rowCount } = await database.query<{ big: number }>(
      sql('INSERT INTO public.item VALUES (1, 4102444800), (2, 0) RETURNING big'),
    )
    expect(rows).toEqual([{ big: 4_102_444_800 }, { big: 0 }])
    expect(rowCount).toBe(2)
  })

  it.each([
    ['text', ['', ' ', 'NULL', 'null', '{}', 'a,b', '"', '\\', '\\"', '\n\t', 'ä€𝄞', "'", null]],
    ['integer', [1, -2, null]],
    ['float8', [0.5, 1e300, -1e-7]],
    ['boolean', [true, false, null]],
    ['jsonb', [{ a: ['"'] }, {}]],
    ['text', []],
  ])('hands over an array of %s as it is: %j', async (type, members) => {
    const text = `SELECT array_agg(to_jsonb(m)) AS members FROM unnest($1::${type}[]) AS m`
    const { rows } = await pool().query<{ members: unknown[] | null }>(sql(text, [members]))
    expect(rows[0]?.members ?? []).toEqual(members)
  })

  it('hands over bytes and times in arrays', async () => {
    const [bytes, time] = [Buffer.from([0, 92, 34]), new Date('2026-01-01T00:00:00.5Z')]
    const text = 'SELECT ($1::bytea[])[1] AS bytes, ($2::timestamptz[])[1] AS time'
    expect((await pool().query(sql(text, [[bytes], [time]]))).rows).toEqual([{ bytes, time }])
  })

  it.each([
    [true, ['item.count']],
    [false, []],
  ])('with namedStatements %s a name prepares %j', async (namedStatements, expected) => {
    const database = pool({ namedStatements, max: 1 })
    for (let time = 0; time < 2; time += 1)
      await database.query(sql('SELECT count(*) FROM public.item', [], 'item.count'))
    const { rows } = await database.query<{ name: string }>(sql('SELECT name FROM pg_prepared_statements'))
    expect(rows.map(({ name }) => name)).toEqual(expected)
  })
})

describe('transaction', () => {
  it('commits when the work resolves and rolls back when it throws', async () => {
    const database = pool()
    await database.query(sql('DELETE FROM public.item'))
    await database.transaction((tx) => tx.query(sql('INSERT INTO public.item VALUES (1, 1)')))
    const failing = database.transaction(async (tx) => {
      await tx.query(sql('INSERT INTO public.item VALUES (2, 2)'))
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect((await database.query(sql('SELECT id FROM public.item'))).rows).toEqual([{ id: 1 }])
  })

  it('rejects where the work passes the error of a statement over, since nothing is committed', async () => {
    const database = pool()
    const work = database.transaction(async (tx) => {
      await tx.query(sql('INSERT INTO public.item VALUES (301, 1)'))
      await tx.query(sql('SELECT 1 / 0')).catch(() => undefined)
    })
    await expect(work).rejects.toThrow('nothing was committed')
    const { rows } = await database.query(sql('SELECT FROM public.item WHERE id = 301'))
    expect(rows).toEqual([])
  })

  it('returns the connection clean in every case', async () => {
    const database = pool({ max: 1 })
    for (const text of ['SELECT 1/0', 'this is no SQL']) {
      await expect(database.transaction((tx) => tx.query(sql(text)))).rejects.toThrow()
    }
    expect((await database.query(sql('SELECT 1 AS one'))).rows).toEqual([{ one: 1 }])
  })

  it('readOnly and isolation are those of the transaction only', async () => {
    const database = pool({ max: 1 })
    const write = database.transaction((tx) => tx.query(sql('DELETE FROM public.item')), { readOnly: true })
    await expect(write).rejects.toMatchObject({ cause: { code: '25006' } })
    const level = await database.transaction((tx) => tx.query(sql('SHOW transaction_isolation')), {
      isolation: 'serializable',
    })
    expect(level.rows).toEqual([{ transaction_isolation: 'serializable' }])
    expect((await database.query(sql('SHOW transaction_isolation'))).rows).toEqual([
      { transaction_isolation: 'read committed' },
    ])
  })

  it('a connection that the server cut is not used again', async () => {
    const database = pool({ max: 1, onIdleError: () => undefined })
    const cut = database.transaction((tx) => tx.query(sql('SELECT pg_terminate_backend(pg_backend_pid())')))
    await expect(cut).rejects.toMatchObject({ name: 'DependencyUnavailableError' })
    expect((await database.query(sql('SELECT 1 AS one'))).rows).toEqual([{ one: 1 }])
  })
})

describe('commit', () => {
  it('sends BEGIN, its statements and COMMIT in one round trip', async () => {
    const counter = await startRoundTripCounter(server.adminUrl)
    const database = pool({ url: counter.url, max: 1 })
    const insert = (id: number) =>
      sql('INSERT INTO public.item VALUES ($1, 1) RETURNING id', [id], 'item.insert')
    await database.transaction((tx) => tx.commit(insert(101), insert(102)))
    const both = () => database.transaction((tx) => tx.commit(insert(103), insert(104)))
    expect(await counter.of(both)).toBe(1)
    const afterOne = () =>
      database.transaction(async (tx) => {
        await tx.query(insert(105))
        await tx.commit(insert(106))
      })
    expect(await counter.of(afterOne)).toBe(2)
    await database.close()
    await counter.stop()
    opened.pop()
    const { rows } = await pool().query(sql('SELECT id FROM public.item WHERE id > 100 ORDER BY id'))
    expect(rows).toEqual([101, 102, 103, 104, 105, 106].map((id) => ({ id })))
  })

  it('writes them with one system call', async () => {
    const database = pool({ max: 1 })
    await database.query(sql('SELECT 1'))
    const writes = vi.spyOn(Socket.prototype, '_writev')
    const single = vi.spyOn(Socket.prototype, '_write')
    await database.transaction((tx) => tx.commit(sql('SELECT 1'), sql('SELECT $1::int', [2])))
    const counts = [writes.mock.calls.length, single.mock.calls.length]
    vi.restoreAllMocks()
    expect(counts).toEqual([1, 0])
  })

  it('returns the rows of each statement', async () => {
    const results = await pool().transaction((tx) =>
      tx.commit(sql('SELECT 1 AS one'), sql('SELECT 2 AS two')),
    )
    expect(results).toEqual([
      { rows: [{ one: 1 }], rowCount: 1 },
      { rows: [{ two: 2 }], rowCount: 1 },
    ])
  })

  it('commits nothing when one of its statements fails, and leaves a usable connection', async () => {
    const database = pool({ max: 1 })
    const work = database.transaction((tx) =>
      tx.commit(sql('INSERT INTO public.item VALUES (201, 1)'), sql('SELECT 1 / 0'), sql('SELECT 1')),
    )
    await expect(work).rejects.toMatchObject({ code: '22012' })
    const { rows } = await database.query(sql('SELECT id FROM public.item WHERE id = 201'))
    expect(rows).toEqual([])
  })

  it('commits nothing when the server goes away before it', async () => {
    const database = pool({ max: 1 })
    const work = database.transaction((tx) =>
      tx.commit(
        sql('INSERT INTO public.item VALUES (202, 1)'),
        sql('SELECT pg_terminate_backend(pg_backend_pid())'),
        sql('INSERT INTO public.item VALUES (203, 1)'),
      ),
    )
    await expect(work).rejects.toThrow()
    const { rows } = await pool().query(sql('SELECT id FROM public.item WHERE id IN (202, 203)'))
    expect(rows).toEqual([])
  })
})

describe('a server that is away', () => {
  it('is DependencyUnavailableError, for statements and transactions', async () => {
    const away = pool({ url: new Secret(`postgresql://postgres:x@127.0.0.1:${await freePort()}/postgres`) })
    const unavailable = { name: 'DependencyUnavailableError' }
    await expect(away.query(sql('SELECT 1'))).rejects.toMatchObject(unavailable)
    await expect(away.transaction(async () => undefined)).rejects.toMatchObject(unavailable)
  })

  it('a lock that is waited for too long is too, a broken rule is not', async () => {
    const database = pool()
    await database.query(sql('DELETE FROM public.item'))
    await database.query(sql('INSERT INTO public.item VALUES (1, 1)'))
    await database.transaction(async (tx) => {
      await tx.query(sql('SELECT FROM public.item WHERE id = 1 FOR UPDATE'))
      const waiting = pool().transaction(async (second) => {
        await second.query(sql(`SET LOCAL lock_timeout = '20ms'`))
        await second.query(sql('UPDATE public.item SET big = 2 WHERE id = 1'))
      })
      await expect(waiting).rejects.toMatchObject({ name: 'DependencyUnavailableError' })
    })
    await expect(database.query(sql('INSERT INTO public.item VALUES (1, 1)'))).rejects.toMatchObject({
      code: '23505',
    })
  })
})
