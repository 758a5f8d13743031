import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, BlockList } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { LOOPBACK } from '../../src/outbound-http/address-policy.ts'
import { createGetText, createPostForm, startKeepingCalls } from '../../src/outbound-http/http-calls.ts'

const NOTHING = new BlockList()
const servers: Server[] = []

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

/** A server on loopback that counts connections. */
async function listen(answer: RequestListener): Promise<{ port: number; visits: string[] }> {
  const visits: string[] = []
  const server = createServer((req, res) => {
    visits.push(req.url ?? '')
    answer(req, res)
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as AddressInfo).port, visits }
}

const post = (allow: BlockList, timeoutMs = 5_000) => createPostForm({ allow, timeoutMs })
const resolving = (...addresses: readonly string[]) =>
  createPostForm({
    allow: LOOPBACK,
    timeoutMs: 5_000,
    resolve: async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  })

describe('a text', () => {
  const getText = (allow: BlockList, timeoutMs = 5_000) => createGetText({ allow, timeoutMs })

  it('is read with its status and under the headers of the caller', async () => {
    const { port } = await listen((req, res) => void res.end(`${req.method} ${req.headers['add-padding']}`))
    expect(await getText(LOOPBACK)(`http://127.0.0.1:${port}/`, { 'Add-Padding': 'true' })).toEqual({
      status: 200,
      text: 'GET true',
    })
  })

  it('is refused when it is too long, comes too late, breaks off or comes from a forbidden address', async () => {
    const { port } = await listen((req, res) => {
      if (req.url === '/long') res.end('a'.repeat(1_100_000))
      else if (req.url === '/broken') res.write('a', () => res.destroy())
      else res.write('a')
    })
    const get = getText(LOOPBACK, 500)
    await expect(get(`http://127.0.0.1:${port}/long`, {})).rejects.toMatchObject({ reason: 'too_long' })
    await expect(get(`http://127.0.0.1:${port}/broken`, {})).rejects.toMatchObject({
      reason: 'connection_failed',
    })
    await expect(get(`http://127.0.0.1:${port}/slow`, {})).rejects.toMatchObject({ reason: 'timed_out' })
    await expect(getText(NOTHING)(`http://127.0.0.1:${port}/`, {})).rejects.toMatchObject({
      reason: 'address_refused',
    })
  })
})

describe('the fetch function for libraries', () => {
  const headers = { accept: 'application/json' }
  const fetchOf = (allow: BlockList, timeoutMs = 5_000) =>
    startKeepingCalls({ allow, timeoutMs, elapsed: () => performance.now() }).fetch

  it('sends method, headers and a form, and returns status, type and text', async () => {
    const { port } = await listen(async (req, res) => {
      let body = ''
      for await (const chunk of req) body += chunk
      res.writeHead(400, { 'Content-Type': 'application/json', 'Set-Cookie': 'a=b' })
      res.end(JSON.stringify([req.method, req.headers.accept, body]))
    })
    const url = `http://127.0.0.1:${port}/`
    const request = { method: 'POST', headers, body: new URLSearchParams({ code: 'a b' }) }
    const answer = await fetchOf(LOOPBACK)(url, request)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([400, 'application/json'])
    expect([...answer.headers.keys()]).toEqual(['content-type'])
    expect(await answer.json()).toEqual(['POST', 'application/json', 'code=a+b'])
  })

  it('returns a redirect, and a status without content', async () => {
    const { port, visits } = await listen((req, res) => {
      res.writeHead(req.url === '/empty' ? 204 : 302, { location: '/elsewhere' }).end()
    })
    const get = (path: string) =>
      fetchOf(LOOPBACK)(`http://127.0.0.1:${port}${path}`, { method: 'GET', headers })
    expect((await get('/')).status).toBe(302)
    expect((await get('/empty')).status).toBe(204)
    expect(visits).toEqual(['/', '/empty'])
  })

  it('refuses an answer that is too long, a forbidden address and other methods', async () => {
    const { port } = await listen((_req, res) => {
      res.end('a'.repeat(1_100_000))
    })
    const url = `http://127.0.0.1:${port}/`
    const request = { method: 'GET', headers }
    await expect(fetchOf(LOOPBACK)(url, request)).rejects.toMatchObject({ reason: 'too_long' })
    await expect(fetchOf(NOTHING)(url, request)).rejects.toMatchObject({ reason: 'address_refused' })
    await expect(fetchOf(LOOPBACK)('http://169.254.169.254/', request)).rejects.toMatchObject({
      reason: 'address_refused',
    })
    expect(() => fetchOf(LOOPBACK)(url, { method: 'DELETE', headers })).toThrow('DELETE is not called')
  })

  it('ends with the signal of its caller', async () => {
    const { port } = await listen(() => undefined)
    const signal = AbortSignal.timeout(50)
    const call = fetchOf(LOOPBACK)(`http://127.0.0.1:${port}/`, { method: 'GET', headers, signal })
    await expect(call).rejects.toMatchObject({ reason: 'timed_out' })
  })

  it('refuses a status that no response has', async () => {
    const { port } = await listen((_req, res) => void res.writeHead(999).end())
    const call = fetchOf(LOOPBACK)(`http://127.0.0.1:${port}/`, { method: 'GET', headers })
    await expect(call).rejects.toMatchObject({ reason: 'connection_failed' })
  })
})

describe('a call that is permitted', () => {
  it('sends a form and returns the status', async () => {
    let received = ''
    const { port } = await listen(async (req, res) => {
      for await (const chunk of req) received += chunk
      received += ` ${req.method} ${req.headers['content-type']}`
      res.writeHead(204).end()
    })
    expect(await post(LOOPBACK)(`http://127.0.0.1:${port}/`, { one: 'a b', two: '&' })).toBe(204)
    expect(received).toBe('one=a+b&two=%26 POST application/x-www-form-urlencoded')
  })

  it('a redirect is answered and not followed [F-39]', async () => {
    const { port, visits } = await listen((_req, res) => {
      res.writeHead(307, { location: '/elsewhere' }).end()
    })
    expect(await post(LOOPBACK)(`http://127.0.0.1:${port}/first`, {})).toBe(307)
    expect(visits).toEqual(['/first'])
  })

  it('reads a bounded part of an endless response', async () => {
    let written = 0
    const { port } = await listen((_req, res) => {
      const write = () => {
        while (!res.destroyed && res.write('x'.repeat(10_000))) written += 10_000
      }
      res.on('drain', write)
      write()
    })
    expect(await post(LOOPBACK)(`http://127.0.0.1:${port}/`, {})).toBe(200)
    expect(written).toBeLessThan(50_000_000)
  })

  it('gives up when no response arrives in time', async () => {
    const { port } = await listen(() => undefined)
    await expect(post(LOOPBACK, 50)(`http://127.0.0.1:${port}/`, {})).rejects.toMatchObject({
      reason: 'timed_out',
    })
  })

  it('reports that the connection is refused', async () => {
    const { port } = await listen(() => undefined)
    await new Promise((resolve) => servers.splice(0)[0]?.close(resolve))
    await expect(post(LOOPBACK)(`http://127.0.0.1:${port}/`, {})).rejects.toMatchObject({
      reason: 'connection_failed',
    })
  })
})

describe('a call that is refused makes no connection [F-39]', () => {
  it.each(['127.0.0.1', '127.1', '2130706433', '0x7f.1', '017700000001', 'localhost'])(
    'to loopback written as %s',
    async (host) => {
      const { port, visits } = await listen((_req, res) => res.end())
      await expect(post(NOTHING)(`http://${host}:${port}/`, {})).rejects.toMatchObject({
        reason: 'address_refused',
      })
      expect(visits).toEqual([])
    },
  )

  it.each(['http://[::1]/', 'http://[::ffff:127.0.0.1]/', 'http://169.254.169.254/latest/meta-data/'])(
    'to %s',
    async (url) => {
      await expect(post(NOTHING)(url, {})).rejects.toMatchObject({ reason: 'address_refused' })
    },
  )

  it('to a name that leads inside', async () => {
    await expect(resolving('10.0.0.1', 'fe80::1')('http://inside.example/', {})).rejects.toMatchObject({
      reason: 'address_refused',
    })
  })

  it.each(['file:///etc/passwd', 'gopher://127.0.0.1/', 'not a url', ''])('to %j', async (url) => {
    await expect(post(LOOPBACK)(url, {})).rejects.toMatchObject({ reason: 'url_invalid' })
  })
})

describe('DNS rebinding [F-39]', () => {
  it('of several addresses only those are tried that may be called', async () => {
    const { port, visits } = await listen((_req, res) => res.end())
    expect(await resolving('10.255.255.1', '127.0.0.1')(`http://mixed.example:${port}/`, {})).toBe(200)
    expect(visits).toEqual(['/'])
  })

  it('connects to the address that was checked: a name is resolved once for each call', async () => {
    const { port } = await listen((_req, res) => res.end())
    let asked = 0
    const rebinding = createPostForm({
      allow: LOOPBACK,
      timeoutMs: 5_000,
      async resolve() {
        asked += 1
        return [{ address: asked === 1 ? '127.0.0.1' : '10.0.0.1', family: 4 }]
      },
    })
    expect(await rebinding(`http://rebinding.example:${port}/`, {})).toBe(200)
    expect(asked).toBe(1)
    await expect(rebinding(`http://rebinding.example:${port}/`, {})).rejects.toMatchObject({
      reason: 'address_refused',
    })
  })
})
