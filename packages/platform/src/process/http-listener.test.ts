import { once } from 'node:events'
import { Agent, get, type IncomingMessage, type ServerResponse } from 'node:http'
import { createConnection } from 'node:net'
import { setImmediate as turnOfEventLoop } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, it } from 'vitest'
import {
  availableHost,
  createOperationsListener,
  type HttpListener,
  listenHttp,
  localhostAddresses,
} from './http-listener.ts'
import { StartFailure } from './service.ts'

const listeners: HttpListener[] = []
const agents: Agent[] = []
afterEach(async () => {
  for (const agent of agents.splice(0)) agent.destroy()
  await Promise.all(listeners.splice(0).map((listener) => listener.close(0)))
})

async function listen(
  listener: (req: IncomingMessage, res: ServerResponse) => void,
  port = 0,
): Promise<HttpListener> {
  const listening = await listenHttp({ listener, port, host: '127.0.0.1' })
  listeners.push(listening)
  return listening
}

async function fetchKeptAlive(port: number): Promise<{ body: string; connection: string | undefined }> {
  const agent = new Agent({ keepAlive: true })
  agents.push(agent)
  const [res] = (await once(get({ port, host: '127.0.0.1', agent }), 'response')) as [IncomingMessage]
  let body = ''
  for await (const chunk of res.setEncoding('utf8')) body += chunk
  return { body, connection: res.headers.connection }
}

/** Sends a request once it is connected, and posts all that it receives, or the code of the error. */
const CLIENT = `
const { parentPort, workerData: { port, connected } } = require('node:worker_threads')
let received = ''
const socket = require('node:net').connect(port, '127.0.0.1', () => {
  socket.write('GET / HTTP/1.1\\r\\nHost: here\\r\\n\\r\\n')
  Atomics.store(connected, 0, 1)
  Atomics.notify(connected, 0)
})
socket.on('data', (data) => { received += data })
socket.on('error', ({ code }) => parentPort.postMessage(code))
socket.on('end', () => parentPort.postMessage(received))
`

describe('http listener', () => {
  it.each([
    ['EAFNOSUPPORT', '::', '0.0.0.0'],
    ['EADDRNOTAVAIL', '::', '0.0.0.0'],
    ['EMFILE', '::', '::'],
    [undefined, '::', '::'],
    ['EADDRNOTAVAIL', '::1', '::1'],
  ])('listens on IPv4 alone only where IPv6 is missing: %s on %s gives %s', async (code, host, expected) => {
    expect(await availableHost(host, async () => code)).toBe(expected)
  })

  it.each([
    [undefined, ['127.0.0.1', '::1']],
    ['EADDRNOTAVAIL', ['127.0.0.1']],
  ])('listens on both addresses of localhost where the machine has them: %s', async (code, addresses) => {
    expect(await localhostAddresses(async () => code)).toEqual(addresses)
  })

  it('tries the address on this machine', async () => {
    const listening = await listenHttp({
      listener: (_req, res) => res.end('here'),
      port: 0,
      host: await availableHost('::'),
    })
    listeners.push(listening)
    expect((await fetchKeptAlive(listening.port)).body).toBe('here')
  })

  it.each([
    [
      'a header block over 16 KiB',
      `GET / HTTP/1.1\r\nHost: a\r\nCookie: ${'c'.repeat(40_000)}\r\n\r\n`,
      431,
      '16 KiB',
    ],
    ['an address over 16 KiB', `GET /?${'q'.repeat(40_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431, 'by POST'],
    ['no HTTP', 'hello\r\n\r\n', 400, 'not valid HTTP'],
  ])('answers %s with a line of text', async (_what, sent, status, text) => {
    const { port } = await listen((_req, res) => res.end('read'))
    const socket = createConnection(port, '127.0.0.1')
    socket.write(sent)
    let response = ''
    for await (const chunk of socket.setEncoding('utf8')) response += chunk
    expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status} [\\s\\S]*\\r\\n\\r\\n.*${text}.*\\n$`))
  })

  it('reports a taken port in one line with the remedy', async () => {
    const { port } = await listen((_req, res) => res.end())
    const second = listen((_req, res) => res.end(), port)
    await expect(second).rejects.toThrow(StartFailure)
    await expect(second).rejects.toThrow(
      `port ${port} is taken by another process; stop it or choose another port`,
    )
  })

  it.each([
    ['two equal ones', 'Host: a\r\nHost: a', 400],
    ['two different ones', 'Host: a\r\nX: y\r\nhOST: b', 400],
    ['none', 'X: y', 400],
    ['one', 'Host: a', 200],
  ])('RFC 9112 section 3.2: a request with %s of the Host header', async (_what, headers, status) => {
    let calls = 0
    const { port } = await listen((_req, res) => {
      calls += 1
      res.end()
    })
    const socket = createConnection(port, '127.0.0.1')
    socket.end(`GET / HTTP/1.1\r\n${headers}\r\nConnection: close\r\n\r\n`)
    let text = ''
    for await (const chunk of socket.setEncoding('latin1')) text += chunk
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(calls).toBe(status === 200 ? 1 : 0)
  })

  it('an unusable certificate is a start failure', async () => {
    const tls = { cert: 'not a certificate', key: 'not a key' }
    await expect(listenHttp({ listener: () => undefined, port: 0, host: '127.0.0.1', tls })).rejects.toThrow(
      StartFailure,
    )
  })

  it('close lets a running request finish, refuses new ones and drops idle connections', async () => {
    const arrived = Promise.withResolvers<ServerResponse>()
    const listener = await listen((req, res) =>
      req.url === '/' && waiting ? arrived.resolve(res) : void res.end('quick'),
    )
    let waiting = false
    await fetchKeptAlive(listener.port)
    waiting = true
    const running = fetchKeptAlive(listener.port)
    const response = await arrived.promise
    const closed = listener.close(60_000)
    // The connections of the kernel are accepted first.
    await turnOfEventLoop()
    await turnOfEventLoop()
    const refused = createConnection(listener.port, '127.0.0.1')
    await expect(once(refused, 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    response.end('late')
    expect(await running).toEqual({ body: 'late', connection: 'close' })
    expect(await closed).toBe(true)
  })

  it('close responds to a request on a connection that the process had not accepted yet', async () => {
    const listening = await listen((_req, res) => res.end('done'))
    const connected = new Int32Array(new SharedArrayBuffer(4))
    const client = new Worker(CLIENT, { eval: true, workerData: { port: listening.port, connected } })
    const response = once(client, 'message')
    // This process is busy until the kernel has completed the connection.
    Atomics.wait(connected, 0, 0)
    const closed = listening.close(5_000)
    expect(await response).toEqual([expect.stringMatching(/^HTTP\/1.1 200 [\s\S]*done/)])
    expect(await closed).toBe(true)
  })

  it('can end its connections with their next response before it closes', async () => {
    const listening = await listen((_req, res) => res.end('done'))
    expect(await fetchKeptAlive(listening.port)).toEqual({ body: 'done', connection: 'keep-alive' })
    listening.endConnections()
    expect(await fetchKeptAlive(listening.port)).toEqual({ body: 'done', connection: 'close' })
  })

  it('close ends although a keep-alive response had already begun', async () => {
    const arrived = Promise.withResolvers<ServerResponse>()
    const listener = await listen((_req, res) => {
      res.write('begun ')
      arrived.resolve(res)
    })
    const running = fetchKeptAlive(listener.port)
    const response = await arrived.promise
    const closed = listener.close(60_000)
    response.end('done')
    expect((await running).body).toBe('begun done')
    expect(await closed).toBe(true)
  })

  it('close cuts running requests at the deadline, and says so on every call', async () => {
    const arrived = Promise.withResolvers<void>()
    const listener = await listen(() => arrived.resolve())
    const running = fetchKeptAlive(listener.port)
    const cut = expect(running).rejects.toThrow()
    await arrived.promise
    const answers = await Promise.all([listener.close(10), listener.close(10)])
    await cut
    expect(answers).toEqual([false, false])
  })
})

describe('operations listener', () => {
  it('is always live, and ready once nothing is missing', async () => {
    let missing = ['postgres']
    const { port } = await listen(
      createOperationsListener(async () => missing, {
        text: async () => 'signet_up 1\n',
        openMetrics: async () => 'signet_up 1\n# EOF\n',
      }),
    )
    const at = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`)
      return [response.status, await response.json()]
    }
    expect(await at('/healthz')).toEqual([200, { alive: true }])
    expect(await at('/readyz')).toEqual([503, { ready: false, notReady: ['postgres'] }])
    missing = []
    expect(await at('/readyz')).toEqual([200, { ready: true, notReady: [] }])
    expect((await at('/else'))[0]).toBe(404)
    const metrics = await fetch(`http://127.0.0.1:${port}/metrics`)
    expect(metrics.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(await metrics.text()).toBe('signet_up 1\n')
    const accept = 'application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5'
    const open = await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { accept } })
    expect(open.headers.get('content-type')).toBe(
      'application/openmetrics-text; version=1.0.0; charset=utf-8',
    )
    expect(await open.text()).toBe('signet_up 1\n# EOF\n')
  })

  it('is not ready when the readiness check fails', async () => {
    const { port } = await listen(
      createOperationsListener(() => Promise.reject(new Error('hidden')), {
        text: async () => '',
        openMetrics: async () => '',
      }),
    )
    const response = await fetch(`http://127.0.0.1:${port}/readyz`)
    expect(response.status).toBe(503)
    expect(await response.text()).not.toContain('hidden')
  })
})
