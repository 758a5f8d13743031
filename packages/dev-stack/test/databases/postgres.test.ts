import { randomBytes } from 'node:crypto'
import { access, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { removeDataDirectory } from '../../src/databases/data-directory.ts'
import { type EmbeddedPostgres, type PostgresOptions, startPostgres } from '../../src/databases/postgres.ts'
import { dataDirectory } from './fixtures/data-directory.ts'
import { end, ownerProcess } from './fixtures/owner-process.ts'
import { processesWith } from './fixtures/processes.ts'

const asRoot = process.getuid?.() === 0

async function start(options: PostgresOptions): Promise<EmbeddedPostgres> {
  const postgres = await startPostgres({ durable: false, ...options })
  onTestFinished(() => postgres.discard())
  return postgres
}

/** Returns the folder of the database of the server: as root not in the data directory when the way to it is closed. */
async function clusterOf(folder: string): Promise<string> {
  return join(
    (await readFile(join(folder, 'postgres-location'), 'utf8').catch(() => folder)).trim(),
    'postgres',
  )
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query({ text, rowMode: 'array' })).rows.flat()
  } finally {
    await client.end()
  }
}

describe('startPostgres', () => {
  it('keeps the data over a restart', async () => {
    const folder = await dataDirectory()
    const first = await start({ dataDirectory: folder, durable: true })
    await query(first.url.reveal(), 'CREATE TABLE kept AS SELECT 42 AS answer')
    await first.stop()
    expect(processesWith(await clusterOf(folder))).toEqual([])

    const second = await start({ dataDirectory: folder })
    await expect(query(second.url.reveal(), 'SELECT answer FROM kept')).resolves.toEqual([42])
  })

  it('listens on the loopback interface only and asks for the password, which only the owner can read', async () => {
    const folder = await dataDirectory()
    const { url } = await start({ dataDirectory: folder })
    const settings =
      'SELECT setting FROM pg_settings WHERE name IN ($$listen_addresses$$, $$unix_socket_directories$$) ORDER BY name'
    await expect(query(url.reveal(), settings)).resolves.toEqual(['127.0.0.1', ''])
    const wrong = new URL(url.reveal())
    wrong.password = 'wrong'
    await expect(query(wrong.href, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' })
    expect((await stat(join(folder, 'postgres-password'))).mode & 0o777).toBe(0o600)
    expect(`${url}`).not.toContain(await readFile(join(folder, 'postgres-password'), 'utf8'))
  })

  it('refuses a data directory that another running process owns, and leaves that one alone', async () => {
    const folder = await dataDirectory()
    const { url } = await start({ dataDirectory: folder })
    await expect(startPostgres({ dataDirectory: folder })).rejects.toThrow(
      /in use by another running process/,
    )
    await expect(query(url.reveal(), 'SELECT 1')).resolves.toEqual([1])
  })

  it('ends the server when its owner is killed, and starts again on the same data', async () => {
    const folder = await dataDirectory()
    const { child, urls } = await ownerProcess(folder, 'postgres')
    await query(urls.postgres, 'CREATE TABLE kept AS SELECT 42 AS answer')
    const cluster = await clusterOf(folder)
    expect(processesWith(cluster)).not.toEqual([])
    await end(child, 'SIGKILL')
    await expect.poll(() => processesWith(cluster), { timeout: 10_000 }).toEqual([])
    const next = await start({ dataDirectory: folder })
    await expect(query(next.url.reveal(), 'SELECT answer FROM kept')).resolves.toEqual([42])
  })

  it('stops a server that outlived both its owner and its guardian, then starts', async () => {
    const folder = await dataDirectory()
    const { child, urls } = await ownerProcess(folder, 'postgres')
    await query(urls.postgres, 'CREATE TABLE kept AS SELECT 42 AS answer')
    const pid = (await readFile(join(await clusterOf(folder), 'postmaster.pid'), 'utf8')).split('\n')[0]
    for (const line of processesWith(`sh ${pid} INT`)) process.kill(Number.parseInt(line, 10), 'SIGKILL')
    await end(child, 'SIGKILL')
    await expect(query(urls.postgres, 'SELECT 1')).resolves.toEqual([1])

    const next = await start({ dataDirectory: folder })
    await expect(query(next.url.reveal(), 'SELECT answer FROM kept')).resolves.toEqual([42])
    await expect(query(urls.postgres, 'SELECT 1')).rejects.toThrow()
  })

  it('recovers after every process was killed, with a process id file that names a stranger', async () => {
    const folder = await dataDirectory()
    const first = await start({ dataDirectory: folder })
    await query(first.url.reveal(), 'CREATE TABLE kept AS SELECT 42 AS answer')
    await query(first.url.reveal(), 'CHECKPOINT')
    const pidFile = join(await clusterOf(folder), 'postmaster.pid')
    const content = await readFile(pidFile, 'utf8')
    await first.stop()
    await writeFile(pidFile, content.replace(/^\d+/, `${process.pid}`))
    const second = await start({ dataDirectory: folder })
    await expect(query(second.url.reveal(), 'SELECT answer FROM kept')).resolves.toEqual([42])
  })

  it('reports a server that is killed, and none that is stopped', async () => {
    const problems: string[] = []
    const onUnexpectedEnd = (problem: string) => void problems.push(problem)
    const folder = await dataDirectory()
    await (await start({ dataDirectory: folder, onUnexpectedEnd })).stop()
    expect(problems).toEqual([])
    await start({ dataDirectory: folder, onUnexpectedEnd })
    const pid = (await readFile(join(await clusterOf(folder), 'postmaster.pid'), 'utf8')).split('\n')[0]
    process.kill(Number(pid), 'SIGQUIT')
    await expect.poll(() => problems).toEqual([`PostgreSQL has ended; its log is ${folder}/postgres.log`])
  })

  it('names the versions when the cluster was made by another major version', async () => {
    const folder = await dataDirectory()
    await (await start({ dataDirectory: folder })).stop()
    await writeFile(join(await clusterOf(folder), 'PG_VERSION'), '15\n')
    await expect(startPostgres({ dataDirectory: folder })).rejects.toThrow(
      /made by PostgreSQL 15, this is 18/,
    )
  })

  it('deletes all files of a discarded database, copied binaries included', async () => {
    const folder = await dataDirectory()
    const postgres = await startPostgres({ dataDirectory: folder, durable: false })
    await postgres.discard()
    expect(await readdir(folder)).toEqual(['postgres.log'])
  })

  it.runIf(asRoot)(
    'moves to the relocation folder when the system user cannot enter the data directory',
    async () => {
      const folder = await dataDirectory(0o700)
      const relocationRoot = join(tmpdir(), `signet-relocated-${randomBytes(4).toString('hex')}`)
      onTestFinished(() => rm(relocationRoot, { recursive: true, force: true }))
      const options = { dataDirectory: folder, relocationRoot }

      const first = await start(options)
      await query(first.url.reveal(), 'CREATE TABLE kept AS SELECT 42 AS answer')
      await first.stop()
      const location = (await readFile(join(folder, 'postgres-location'), 'utf8')).trim()
      expect(location.startsWith(relocationRoot)).toBe(true)
      expect((await stat(join(location, 'postgres'))).mode & 0o777).toBe(0o700)

      const second = await start(options)
      await expect(query(second.url.reveal(), 'SELECT answer FROM kept')).resolves.toEqual([42])
      await second.stop()

      await rm(join(folder, 'postgres-location'))
      const fresh = await start(options)
      await expect(query(fresh.url.reveal(), 'SELECT answer FROM kept')).rejects.toMatchObject({
        code: '42P01',
      })
      await fresh.discard()
      await expect(access(location)).rejects.toThrow()

      const last = await start(options)
      await last.stop()
      await access(location)
      await removeDataDirectory(folder)
      for (const gone of [location, folder]) await expect(access(gone)).rejects.toThrow()
    },
  )
})
