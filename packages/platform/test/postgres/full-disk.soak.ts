import { execFile } from 'node:child_process'
import { chown, rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import { startRestartablePostgres } from '@signet/testing/system/restartable-postgres'
import { temporaryFolder } from '@signet/testing/temporary-folder'
import { expect, it, onTestFinished } from 'vitest'
import type { Secret } from '../../src/config/settings-fields.ts'
import { createPool } from '../../src/postgres/pool.ts'

const run = promisify(execFile)
const sql = (text: string) => ({ name: '', text })
const UNAVAILABLE = { name: 'DependencyUnavailableError', cause: { code: '53100' } }

/**
 * Starts a PostgreSQL whose tablespace `small` lies on a tmpfs of this many mebibytes. Mounting it takes the rights of
 * root; rejects without them.
 */
async function startServerWithSmallDisk(mebibytes: number): Promise<Secret> {
  const disk = await temporaryFolder('small-disk')
  onTestFinished(() => rm(disk, { recursive: true, force: true }))
  await run('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', disk])
  onTestFinished(async () => void (await run('umount', [disk])))
  const server = await startRestartablePostgres()
  onTestFinished(() => server.stop())
  const pool = createPool({ url: server.url, applicationName: 'test', max: 1 })
  const { rows } = await pool.query<{ path: string }>(sql(`SELECT current_setting('data_directory') AS path`))
  const { stdout } = await run('stat', ['--format', '%u %g', rows[0]?.path ?? ''])
  const [uid = 0, gid = 0] = stdout.trim().split(' ').map(Number)
  await chown(disk, uid, gid)
  await pool.query(sql(`CREATE TABLESPACE small LOCATION '${disk}'`))
  await pool.close()
  return server.url
}

it('reports a full disk as unavailable, reads on, and writes again when there is space', async () => {
  const url = await startServerWithSmallDisk(24)
  const pool = createPool({ url, applicationName: 'test', max: 1, onIdleError: () => undefined })
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
