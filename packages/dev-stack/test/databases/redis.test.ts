import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type EmbeddedRedis, startRedis } from '../../src/databases/redis.ts'
import { dataDirectory } from './fixtures/data-directory.ts'
import { end, ownerProcess } from './fixtures/owner-process.ts'
import { processesWith } from './fixtures/processes.ts'

async function start(folder: string): Promise<EmbeddedRedis> {
  const redis = await startRedis({ dataDirectory: folder })
  onTestFinished(() => redis.discard())
  return redis
}

async function withClient<T>(url: string, work: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null })
  client.on('error', () => {})
  try {
    await client.connect()
    return await work(client)
  } finally {
    client.disconnect()
  }
}

/** The first response of the server to a client without the password. */
async function firstAnswer(port: number, command: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(`${command}\r\n`)
  const [answer] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  return answer.toString()
}

describe('startRedis', () => {
  it('keeps the data over a restart and never evicts', async () => {
    const folder = await dataDirectory()
    const first = await start(folder)
    await withClient(first.url.reveal(), (client) => client.set('kept', '42'))
    await first.stop()
    expect(processesWith(folder)).toEqual([])
    const second = await start(folder)
    await withClient(second.url.reveal(), async (client) => {
      await expect(client.get('kept')).resolves.toBe('42')
      await expect(client.config('GET', 'maxmemory-policy')).resolves.toEqual([
        'maxmemory-policy',
        'noeviction',
      ])
    })
  })

  it('reports a server that is killed, and none that is stopped', async () => {
    const problems: string[] = []
    const onUnexpectedEnd = (problem: string) => void problems.push(problem)
    const folder = await dataDirectory()
    await (await startRedis({ dataDirectory: folder, onUnexpectedEnd })).stop()
    expect(problems).toEqual([])
    const { url, discard } = await startRedis({ dataDirectory: folder, onUnexpectedEnd })
    onTestFinished(discard)
    await withClient(url.reveal(), (client) => client.call('SHUTDOWN', 'NOSAVE').catch(() => {}))
    await expect.poll(() => problems).toEqual([`Redis has ended; its log is ${folder}/redis/redis.log`])
  })

  it('asks for the password, which only the owner can read and no list of processes shows', async () => {
    const folder = await dataDirectory()
    const { url } = await start(folder)
    const { password, port } = new URL(url.reveal())
    await expect(firstAnswer(Number(port), 'PING')).resolves.toMatch(/^-NOAUTH/)
    for (const file of ['redis-password', 'redis/redis.conf']) {
      expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600)
    }
    expect(processesWith(password)).toEqual([])
  })

  it('refuses a data directory that another running process owns, and leaves that one alone', async () => {
    const folder = await dataDirectory()
    const { url } = await start(folder)
    await expect(startRedis({ dataDirectory: folder })).rejects.toThrow(/in use by another running process/)
    await expect(withClient(url.reveal(), (client) => client.ping())).resolves.toBe('PONG')
  })

  it('ends the server when its owner is killed, and starts again on the same data', async () => {
    const folder = await dataDirectory()
    const { child, urls } = await ownerProcess(folder, 'redis')
    await withClient(urls.redis, (client) => client.set('kept', '42'))
    await end(child, 'SIGKILL')
    await expect
      .poll(() => withClient(urls.redis, (client) => client.ping()).catch(() => 'gone'))
      .toBe('gone')
    const next = await start(folder)
    await expect(withClient(next.url.reveal(), (client) => client.get('kept'))).resolves.toBe('42')
  })

  it('stops a server that outlived both its owner and its guardian, then starts', async () => {
    const folder = await dataDirectory()
    const { child, urls } = await ownerProcess(folder, 'redis')
    const pid = await withClient(urls.redis, async (client) => {
      await client.set('kept', '42')
      return /^process_id:(\d+)/m.exec(await client.info('server'))?.[1]
    })
    for (const line of processesWith(`sh ${pid} TERM`)) process.kill(Number.parseInt(line, 10), 'SIGKILL')
    await end(child, 'SIGKILL')
    await expect(withClient(urls.redis, (client) => client.get('kept'))).resolves.toBe('42')

    const next = await start(folder)
    await expect(withClient(next.url.reveal(), (client) => client.get('kept'))).resolves.toBe('42')
    await expect(withClient(urls.redis, (client) => client.ping())).rejects.toThrow()
  })
})
