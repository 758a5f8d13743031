import { startServerWithSmallDisk } from '@signet/testing/server-with-small-disk'
import { expect, it, onTestFinished } from 'vitest'
import { createPool } from '../../src/postgres/pool.ts'

const sql = (text: string) => ({ name: '', text })
const UNAVAILABLE = { name: 'DependencyUnavailableError', cause: { code: '53100' } }

it('reports a full disk as unavailable, reads on, and writes again when there is space', async () => {
  const server = await startServerWithSmallDisk(24)
  onTestFinished(() => server.stop())
  const pool = createPool({ url: server.url, applicationName: 'test', max: 1, onIdleError: () => undefined })
  onTestFinished(() => pool.close())
  for (const table of ['kept', 'filler'])
    await pool.query(sql(`CREATE TABLE public.${table} (id integer, text text) TABLESPACE small`))
  await pool.query(sql(`INSERT INTO public.kept VALUES (1, 'kept')`))
  const fill = sql(`INSERT INTO public.filler SELECT n, repeat('x', 1000) FROM generate_series(1, 2000) AS n`)
  const untilFull = async () => {
    for (;;) await pool.query(fill)
  }
  await expect(untilFull()).rejects.toMatchObject(UNAVAILABLE)
  await expect(pool.transaction((tx) => tx.query(fill))).rejects.toMatchObject(UNAVAILABLE)
  expect((await pool.query(sql('SELECT id FROM public.kept'))).rows).toEqual([{ id: 1 }])
  await pool.query(sql('DROP TABLE public.filler'))
  await pool.query(
    sql(`INSERT INTO public.kept SELECT n, repeat('x', 1000) FROM generate_series(1, 2000) AS n`),
  )
}, 60_000)
