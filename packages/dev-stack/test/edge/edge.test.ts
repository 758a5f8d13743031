import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  request,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from 'vitest'
import { type Edge, startEdge } from '../../src/edge/edge.ts'

const closings: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closings.splice(0).reverse()) await close()
})

interface Replica {
  readonly host: string
  readonly port: number
  readonly operationsPort: number
  ready: boolean
  /** Number of readiness checks that are cut off, from now on. */
  deaf: number
  /** Refuses connections from now on. */
  end(): Promise<void>
}

async function listen(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const end = async () => {
    server.closeAllConnections()
    if (server.listening) await new Promise((resolve) => server.close(resolve))
  }
  closings.push(end)
  return { port: (server.address() as AddressInfo).port, end }
}

async function startReplica(listener: RequestListener): Promise<Replica> {
  const service = await listen(listener)
  const operations = await listen((_req, res) => {
    if (replica.deaf === 0) return res.writeHead(replica.ready ? 200 : 503).end()
    replica.deaf -= 1
    return res.destroy()
  })
  const replica = {
    host: '127.0.0.1',
    port: service.port,
    operationsPort: operations.port,
    ready: true,
    deaf: 0,
    end: service.end,
  }
  return replica
}

async function edgeTo(...token: readonly Replica[]): Promise<Edge & { url(path: string): string }> {
  const edge = await startEdge({
    host: '127.0.0.1',
    port: 0,
    upstreams: { token, migration: token, keys: [] },
  })
  closings.push(() => edge.stop())
  await expect.poll(() => edge.notReady()).toEqual([])
  return { ...edge, url: (path) => `http://127.0.0.1:${edge.port}${path}` }
}

const named = (name: string) => startReplica((_req, res) => res.end(name))
const ask = async (url: string) => (await fetch(url)).text()

describe('edge', () => {
  it('keeps connections to a service alive, and sends a request again whose connection the service closed', async () => {
    const connections = new Set<Socket>()
    const replica = await startReplica(async (req, res) => {
      connections.add(req.socket)
      res.end((await buffer(req)).toString() || 'empty')
    })
    const edge = await edgeTo(replica)
    const url = edge.url('/oauth/v2/token')
    for (let at = 0; at < 20; at += 1) {
      expect(await (await fetch(url, { method: 'POST', body: `body ${at}` })).text()).toBe(`body ${at}`)
      expect(await ask(url)).toBe('empty')
    }
    expect(connections.size).toBe(1)
    for (const connection of connections) connection.resetAndDestroy()
    expect(await Promise.all([ask(url), ask(url)])).toEqual(['empty', 'empty'])
    expect(connections.size).toBeGreaterThan(1)
  })

  it('forwards method, path, headers and body, and the response', async () => {
    const seen: { req?: IncomingMessage; body?: string } = {}
    const replica = await startReplica(async (req, res) => {
      seen.req = req
      seen.body = (await buffer(req)).toString()
      res.writeHead(303, { Location: '/x', 'Set-Cookie': ['a=1', 'b=2'] }).end('later')
    })
    const edge = await edgeTo(replica)
    const response = await fetch(edge.url('/oauth/v2/token?a=b'), {
      method: 'POST',
      redirect: 'manual',
      headers: { 'X-Forwarded-For': '203.0.113.7', Authorization: 'Basic eA==' },
      body: new URLSearchParams({ grant_type: 'x' }),
    })
    expect([response.status, response.headers.get('location'), await response.text()]).toEqual([
      303,
      '/x',
      'later',
    ])
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    expect(seen.req?.method).toBe('POST')
    expect(seen.req?.url).toBe('/oauth/v2/token?a=b')
    expect(seen.req?.headers).toMatchObject({
      authorization: 'Basic eA==',
      host: `127.0.0.1:${edge.port}`,
      'x-forwarded-for': '127.0.0.1',
    })
    expect(seen.body).toBe('grant_type=x')
  })

  it('takes ready replicas in turn', async () => {
    const [one, two, three] = await Promise.all([named('one'), named('two'), named('three')])
    const edge = await edgeTo(one, two, three)
    three.ready = false
    await expect.poll(() => edge.notReady()).toEqual(['token', 'migration'])
    await expect.poll(() => ask(edge.url('/oauth/v2/token'))).toBe('two')
    const answers: string[] = []
    for (let call = 0; call < 4; call += 1) answers.push(await ask(edge.url('/oauth/v2/token')))
    expect(answers).toEqual(['one', 'two', 'one', 'two'])
  })

  it('asks another replica when one refuses the connection, with the whole body', async () => {
    const [one, two] = await Promise.all([
      named('one'),
      startReplica(async (req, res) => res.end(await buffer(req))),
    ])
    const edge = await edgeTo(one, two)
    await one.end()
    for (let call = 0; call < 4; call += 1) {
      const response = await fetch(edge.url('/oauth/v2/token'), { method: 'POST', body: 'whole' })
      expect([response.status, await response.text()]).toEqual([200, 'whole'])
    }
  })

  it('sends what a replica that hangs has not answered to another one, when it is safe, else returns 504', async () => {
    const received: (string | undefined)[] = []
    const [one, two] = await Promise.all([startReplica((req) => received.push(req.method)), named('two')])
    const edge = await edgeTo(one, two)
    const send = async (method: string) => {
      const response = await fetch(edge.url('/oauth/v2/token'), { method })
      return `${response.status} ${await response.text()}`
    }
    // Two of each, so that each replica gets one.
    const reads = [send('GET'), send('GET')]
    await expect.poll(() => received).toEqual(['GET'])
    const writes = [send('POST'), send('POST')]
    await expect.poll(() => received).toEqual(['GET', 'POST'])
    one.deaf = Number.POSITIVE_INFINITY
    expect(await Promise.all(reads)).toEqual(['200 two', '200 two'])
    expect((await Promise.all(writes)).toSorted()).toEqual(['200 two', '504 token does not respond\n'])
  })

  it('sends a safe request to another replica when one cuts it off', async () => {
    const [one, two] = await Promise.all([startReplica((req) => req.destroy()), named('two')])
    const edge = await edgeTo(one, two)
    const reads = await Promise.all([1, 2].map(() => ask(edge.url('/oauth/v2/token'))))
    expect(reads).toEqual(['two', 'two'])
    const post = async () => (await fetch(edge.url('/oauth/v2/token'), { method: 'POST' })).status
    expect((await Promise.all([post(), post()])).toSorted()).toEqual([200, 502])
  })

  it('returns 404, 413, 502 and 503 itself', async () => {
    const replica = await startReplica((req) => req.destroy())
    const edge = await edgeTo(replica)
    const post = async (path: string, body: string | ReadableStream) => {
      const init = { method: 'POST', body, duplex: 'half' } as RequestInit
      return (await fetch(edge.url(path), init)).status
    }
    expect((await fetch(edge.url('/nothing'))).status).toBe(404)
    expect((await fetch(edge.url('/oauth/v2/keys'))).status).toBe(503)
    expect(await post('/oauth/v2/token', 'x'.repeat(65_537))).toBe(413)
    expect(await post('/oauth/v2/token', 'x')).toBe(502)
  })

  it('413 also for a body without a declared length', async () => {
    const edge = await edgeTo(
      await startReplica(async (req, res) => res.end(await buffer(req).catch(() => ''))),
    )
    const outgoing = request(edge.url('/oauth/v2/token'), { method: 'POST' })
    outgoing.on('error', () => undefined)
    for (let chunk = 0; chunk < 9; chunk += 1) outgoing.write(Buffer.alloc(8_192))
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
    expect(response.statusCode).toBe(413)
    outgoing.destroy()
  })

  it('forwards a streamed response as it arrives, and the disconnect of the reader', async () => {
    const arrived = Promise.withResolvers<ServerResponse>()
    const edge = await edgeTo(
      await startReplica((_req, res) => {
        res.write('first')
        arrived.resolve(res)
      }),
    )
    const giveUp = new AbortController()
    const response = await fetch(edge.url('/admin/v1/jobs/7/events'), { signal: giveUp.signal })
    const reader = response.body?.getReader()
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('first')
    const upstream = await arrived.promise
    upstream.write('second')
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('second')
    const closed = once(upstream, 'close')
    giveUp.abort()
    await closed
  })

  it('keeps a replica after one failed probe, and drops it after several', async () => {
    const replica = await startReplica((_req, res) => res.end())
    const edge = await edgeTo(replica)
    const deafFor = async (questions: number) => {
      replica.deaf = questions
      const missing = new Set<string>()
      await expect
        .poll(() => {
          for (const name of edge.notReady()) missing.add(name)
          return replica.deaf
        })
        .toBe(0)
      return missing.size
    }
    expect(await deafFor(2)).toBe(0)
    await expect.poll(() => edge.notReady()).toEqual([])
    replica.deaf = Number.POSITIVE_INFINITY
    await expect.poll(() => edge.notReady()).not.toEqual([])
    replica.deaf = 0
    await expect.poll(() => edge.notReady()).toEqual([])
  })

  it('stops sending to a replica that is not ready any more', async () => {
    const [one, two] = await Promise.all([named('one'), named('two')])
    const edge = await edgeTo(one, two)
    one.ready = false
    await expect
      .poll(async () => [await ask(edge.url('/oauth/v2/token')), await ask(edge.url('/oauth/v2/token'))])
      .toEqual(['two', 'two'])
  })
})
