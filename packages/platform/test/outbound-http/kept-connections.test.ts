import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { createCertificateAuthority } from '@signet/testing/client-certificates'
import { afterEach, describe, expect, it } from 'vitest'
import { LOOPBACK } from '../../src/outbound-http/address-policy.ts'
import { startKeepingCalls } from '../../src/outbound-http/http-calls.ts'

type Options = Parameters<typeof startKeepingCalls>[0]
const endings: (() => unknown)[] = []
afterEach(async () => {
  for (const end of endings.splice(0)) await end()
})

function startCalls(options: Partial<Options> = {}) {
  const calls = startKeepingCalls({ allow: LOOPBACK, timeoutMs: 5_000, elapsed: () => 0, ...options })
  endings.push(calls.stop)
  return { ...calls, get: (url: string) => calls.getText(url, {}) }
}

/** Counts the connections of a server. */
async function listen<T extends Server>(server: T, event = 'connection') {
  const connections: Socket[] = []
  server.on(event, (socket: Socket) => connections.push(socket.on('error', () => undefined)))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  endings.push(() => {
    for (const connection of connections) connection.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { server, port, url: `http://127.0.0.1:${port}`, connections }
}

const listenHttp = (answer: RequestListener = (_, res) => res.end('ok')) => listen(createServer(answer))
/** A server that writes bytes for each request. */
const listenRaw = (answer: (socket: Socket, call: number) => void) => {
  let calls = 0
  const server = createTcpServer((socket) => {
    socket.on('data', () => {
      calls += 1
      answer(socket, calls)
    })
  })
  return listen(server)
}

const answerOf = (text: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`

describe('a kept connection', () => {
  it('carries calls to one origin, of each method and of both functions', async () => {
    const { url, connections } = await listenHttp((req, res) => res.end(req.method))
    const { get, fetch } = startCalls()
    const headers = {}
    expect((await get(`${url}/a`)).text).toBe('GET')
    const answer = await fetch(`${url}/b`, { method: 'POST', headers, body: 'a=b' })
    expect(await answer.text()).toBe('POST')
    expect((await get(`${url}/c`)).status).toBe(200)
    expect(connections.length).toBe(1)
  })

  it('carries one call at a time', async () => {
    const { url, connections } = await listenHttp()
    const { get } = startCalls()
    await Promise.all([get(url), get(url), get(url)])
    expect(connections.length).toBe(3)
  })

  it('outlives the time limit of the call that opened it', async () => {
    const { url, connections } = await listenHttp()
    const { get } = startCalls({ timeoutMs: 1_500 })
    await get(url)
    await new Promise((resolve) => setTimeout(resolve, 1_600))
    await get(url)
    expect(connections.length).toBe(1)
  })

  it('ends with its owner', async () => {
    const { url, connections } = await listenHttp()
    const { get, stop } = startCalls()
    await get(url)
    stop()
    await expect.poll(() => connections[0]?.destroyed).toBe(true)
  })
})

describe('addresses of kept connections [F-39]', () => {
  it('a name that resolves to another address meanwhile leads to the one that was checked, and only for a minute', async () => {
    const { port, connections } = await listenHttp()
    let address = '127.0.0.1'
    let now = 0
    const { get } = startCalls({ resolve: async () => [{ address, family: 4 }], elapsed: () => now })
    const url = `http://rebinding.example:${port}/`
    await get(url)
    address = '10.0.0.1'
    now = 59_999
    expect((await get(url)).text).toBe('ok')
    now = 60_000
    // The call ends the connection although it has traffic.
    expect((await get(url)).text).toBe('ok')
    await expect(get(url)).rejects.toMatchObject({ reason: 'address_refused' })
    expect(connections.length).toBe(1)
  })

  it('another name of the same address has a connection of its own', async () => {
    const { port, connections } = await listenHttp()
    const { get } = startCalls({
      resolve: async (name) => [{ address: name === 'a.example' ? '127.0.0.1' : '10.0.0.1', family: 4 }],
    })
    await get(`http://a.example:${port}/`)
    await expect(get(`http://b.example:${port}/`)).rejects.toMatchObject({ reason: 'address_refused' })
    expect(connections.length).toBe(1)
  })

  it('a forbidden address is refused before a connection is sought', async () => {
    const { get } = startCalls()
    await expect(get('http://169.254.169.254/')).rejects.toMatchObject({ reason: 'address_refused' })
  })
})

describe('kept connections with TLS', () => {
  async function listenTls(names = ['localhost']) {
    const authority = await createCertificateAuthority()
    const { cert, key } = await authority.issue({
      names: names.map((value) => ({ type: 'dns' as const, value })),
    })
    const server = createHttpsServer({ cert, key }, (_, res) => res.end('ok'))
    return { ...(await listen(server, 'secureConnection')), ca: authority.cert }
  }
  const resolve: Options['resolve'] = async () => [{ address: '127.0.0.1', family: 4 }]

  it('serve the next call', async () => {
    const { port, connections, ca } = await listenTls()
    const { get } = startCalls({ ca, resolve })
    await get(`https://localhost:${port}/`)
    await get(`https://localhost:${port}/`)
    expect(connections.length).toBe(1)
  })

  it('serve no calls of another authority', async () => {
    const { port, ca } = await listenTls()
    const { cert: other } = await createCertificateAuthority()
    const url = `https://localhost:${port}/`
    await startCalls({ ca, resolve }).get(url)
    await expect(startCalls({ ca: other, resolve }).get(url)).rejects.toMatchObject({
      reason: 'connection_failed',
    })
  })

  it('serve no other name, whose certificate is verified', async () => {
    const { port, ca } = await listenTls()
    const { get } = startCalls({ ca, resolve })
    await get(`https://localhost:${port}/`)
    await expect(get(`https://other.example:${port}/`)).rejects.toMatchObject({ reason: 'connection_failed' })
  })

  it('are opened with a full handshake: a certificate that is no longer trusted ends with them', async () => {
    const { server, port, ca } = await listenTls()
    const isResumed: boolean[] = []
    server.on('secureConnection', (socket: TLSSocket) => isResumed.push(socket.isSessionReused()))
    const { get } = startCalls({ ca, resolve, limits: { ageMs: 0 } })
    await get(`https://localhost:${port}/`)
    await get(`https://localhost:${port}/`)
    expect(isResumed).toEqual([false, false])
  })
})

describe('the number of connections without a call is bounded', () => {
  it('in time', async () => {
    const { url, connections } = await listenRaw((socket) => socket.write(answerOf('ok')))
    await startCalls({ limits: { idleMs: 50 } }).get(url)
    await expect.poll(() => connections[0]?.destroyed).toBe(true)
  })

  it('by the server that announces a shorter time', async () => {
    const { url, connections } = await listenRaw((socket) =>
      socket.write(answerOf('ok').replace('\r\n\r\n', '\r\nKeep-Alive: timeout=1\r\n\r\n')),
    )
    const { get } = startCalls()
    await get(url)
    await get(url)
    expect(connections.length).toBe(2)
  })

  it('for one origin', async () => {
    const { url, connections } = await listenHttp()
    const { get } = startCalls({ limits: { perOrigin: 2 } })
    await Promise.all(Array.from({ length: 6 }, () => get(url)))
    await expect.poll(() => connections.filter(({ destroyed }) => !destroyed).length).toBe(2)
  })

  it('in all: the one that waits longest is closed', async () => {
    const [first, second, third] = [await listenHttp(), await listenHttp(), await listenHttp()]
    const { get } = startCalls({ limits: { total: 2 } })
    for (const { url } of [first, second, third]) await get(url)
    await expect.poll(() => first.connections[0]?.destroyed).toBe(true)
    for (const { url } of [second, third]) await get(url)
    expect([first, second, third].map(({ connections }) => connections.length)).toEqual([1, 1, 1])
  })
})

describe('a hostile server', () => {
  it('answers no later call in advance', async () => {
    const { url, connections } = await listenRaw((socket, call) => {
      socket.write(answerOf(`answer ${call}`))
      if (call === 1) setTimeout(() => socket.write(answerOf('in advance')), 50)
    })
    const { get } = startCalls()
    await get(url)
    await expect.poll(() => connections[0]?.destroyed).toBe(true)
    expect((await get(url)).text).toBe('answer 2')
  })

  it('answers no later call with a second answer in the same bytes', async () => {
    const { url } = await listenRaw((socket, call) =>
      socket.write(answerOf(`answer ${call}`) + (call === 1 ? answerOf('in advance') : '')),
    )
    const { get } = startCalls()
    await get(url).catch(() => undefined)
    expect((await get(url)).text).toBe('answer 2')
  })

  it('that sends too much or nothing ends its connection', async () => {
    const { url, connections } = await listenHttp((req, res) => {
      if (req.url === '/long') res.end('a'.repeat(1_100_000))
      else if (req.url !== '/silent') res.end('ok')
    })
    const { get } = startCalls({ timeoutMs: 300 })
    await get(url)
    await expect(get(`${url}/long`)).rejects.toMatchObject({ reason: 'too_long' })
    await expect(get(`${url}/silent`)).rejects.toMatchObject({ reason: 'timed_out' })
    await get(url)
    expect(connections.length).toBe(3)
  })

  it('that closes a kept connection gets the call once more, on a new one', async () => {
    const { url, connections } = await listenRaw((socket, call) => {
      if (call === 2) socket.resetAndDestroy()
      else socket.write(answerOf(`answer ${call}`))
    })
    const { get, fetch } = startCalls()
    await get(url)
    const answer = await fetch(url, { method: 'POST', headers: {}, body: 'code=a' })
    expect([await answer.text(), connections.length]).toEqual(['answer 3', 2])
  })

  it('that closes each connection gets a call twice at most, however many are kept', async () => {
    let calls = 0
    const { url, connections } = await listenRaw((socket, call) => {
      calls = call
      if (call <= 3) socket.write(answerOf('ok'))
      else socket.destroy()
    })
    const { get } = startCalls()
    await Promise.all([get(url), get(url), get(url)])
    await expect(get(url)).rejects.toMatchObject({ reason: 'connection_failed' })
    expect([calls, connections.length]).toEqual([5, 4])
  })

  it('that breaks an answer off does not get the call again', async () => {
    let calls = 0
    const { url } = await listenRaw((socket, call) => {
      calls = call
      if (call === 1) socket.write(answerOf('ok'))
      else socket.write('HTTP/1.1 200 OK\r\nContent-', () => socket.destroy())
    })
    const { get } = startCalls()
    await get(url)
    await expect(get(url)).rejects.toMatchObject({ reason: 'connection_failed' })
    expect(calls).toBe(2)
  })
})
