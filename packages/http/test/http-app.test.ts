import { once } from 'node:events'
import { BlockList, createConnection } from 'node:net'
import { createLogger } from '@signet/platform/logger/logger'
import { createMetrics } from '@signet/platform/metrics/metrics'
import { type HttpListener, listenHttp } from '@signet/platform/process/http-listener'
import { InvalidClientError } from '@signet/protocol/errors'
import { ENDPOINT_PATHS } from '@signet/protocol/routes'
import { Router } from 'express'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createHttpApp } from '../src/app.ts'
import { publicCors, registeredCors } from '../src/cors.ts'
import { type Endpoint, jsonAnswer, NO_STORE } from '../src/endpoint.ts'
import { createFormBodyParser, queryParameters, readForm } from '../src/forms.ts'
import { createMeasuredListener, measureAsGrant } from '../src/instrumentation.ts'
import { oauthErrorHandler } from '../src/oauth-error-handler.ts'
import { clientAddress, setClientId } from '../src/request-context.ts'
import { noStore } from '../src/response-headers.ts'

const lines: Record<string, unknown>[] = []
const logger = createLogger({
  service: 'token',
  level: 'debug',
  destination: { write: (line) => void lines.push(JSON.parse(line)) },
})
const loopback = new BlockList()
loopback.addAddress('127.0.0.1')

const metrics = createMetrics()
/** Resolves when a request has come that is never answered. */
const never = Promise.withResolvers<void>()

const routes = [
  Router().post('/grant', (req, res) => {
    measureAsGrant(req, 'password')
    res.end()
  }),
  Router().post(
    '/form',
    noStore,
    createFormBodyParser({ limitBytes: 1000 }),
    (req, res) => void res.json(req.body),
  ),
  Router().get('/query', (req, res) => void res.json(queryParameters(req))),
  Router().get('/address', (req, res) => void res.json(clientAddress(req))),
  Router().get('/things/:id', (req, res) => void res.json(req.params.id)),
  Router().get(
    '/zod',
    () =>
      void z.object({ grant_type: z.string(), code: z.string() }).parse({ grant_type: 'canary', code: 1 }),
  ),
  Router().get('/client', () => {
    throw new InvalidClientError('The client is not known', { reason: 'client_unknown', basicTried: true })
  }),
  Router().get('/defect', async () => {
    await Promise.reject(new Error('canary: relation "grant" does not exist'))
  }),
  Router().get('/half', (_req, res) => {
    res.write('half')
    throw new Error('too late')
  }),
]

const endpoints: readonly Endpoint[] = [
  { path: '/keys', cors: publicCors, methods: { GET: () => jsonAnswer({ keys: [] }) } },
  {
    path: '/direct',
    cors: registeredCors(async (origin) => origin === 'https://app.example', ['GET', 'POST'], logger),
    methods: {
      GET(req) {
        setClientId(req, 'shop')
        throw new InvalidClientError('The client is not known', {
          reason: 'client_unknown',
          basicTried: true,
        })
      },
      async POST(req) {
        measureAsGrant(req, 'direct')
        return jsonAnswer(
          { ...(await readForm(req, { limitBytes: 1_000 })), from: clientAddress(req) },
          NO_STORE,
        )
      },
    },
  },
  {
    path: ENDPOINT_PATHS.userinfo,
    methods: {
      GET: ({ headers }) => ({ status: headers.authorization ? 200 : 401, headers: [], body: '' }),
    },
  },
  {
    path: ENDPOINT_PATHS.discovery,
    methods: {
      GET() {
        never.resolve()
        return new Promise(() => undefined)
      },
    },
  },
  {
    path: '/broken',
    methods: {
      GET: () => Promise.reject(new Error('canary: relation "grant" does not exist')),
    },
  },
]

const issuer = 'http://localhost'
let listener: HttpListener
let base: string
beforeAll(async () => {
  const app = createHttpApp({
    logger,
    issuer,
    trustedProxies: loopback,
    routes,
    endpoints,
    onError: oauthErrorHandler(logger),
  })
  listener = await listenHttp({ listener: createMeasuredListener(app, metrics), port: 0, host: '127.0.0.1' })
  base = `http://127.0.0.1:${listener.port}`
})
afterAll(() => listener.close(0))
beforeEach(() => void lines.splice(0))

const form = 'application/x-www-form-urlencoded'
const post = (
  body: BodyInit | null,
  contentType: string | undefined = form,
  headers: Record<string, string> = {},
) =>
  fetch(`${base}/form`, {
    method: 'POST',
    body,
    headers: { ...(contentType ? { 'content-type': contentType } : {}), ...headers },
  })

/** Sends bytes as they are and answers what came back until the connection ended. */
async function raw(text: string, thenEnd = true): Promise<string> {
  const socket = createConnection(listener.port, '127.0.0.1')
  let answer = ''
  socket.setEncoding('latin1').on('data', (chunk) => {
    answer += chunk
  })
  socket.on('error', () => undefined)
  socket.write(text, 'latin1')
  if (thenEnd) socket.end()
  await once(socket, 'close')
  return answer
}

describe('form bodies', () => {
  it('are read as strings', async () => {
    const response = await post('grant_type=authorization_code&code=a%2Bb+c&x=%E2%82%AC')
    expect(await response.json()).toEqual({ grant_type: 'authorization_code', code: 'a+b c', x: '€' })
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  it('may state their charset, be empty or be absent', async () => {
    expect(await (await post('a=1', `${form}; charset=UTF-8`)).json()).toEqual({ a: '1' })
    expect(await (await post('')).json()).toEqual({})
    expect(await (await fetch(`${base}/form`, { method: 'POST' })).json()).toEqual({})
  })

  it.each([
    ['application/json', '{"a":1}'],
    ['text/plain', 'a=1'],
    [`${form}; charset=iso-8859-1`, 'a=1'],
    [`${form}-not`, 'a=1'],
    ['multipart/form-data; boundary=x', 'a=1'],
  ])('RFC 6749 section 4.1.3: content type %s is invalid_request', async (contentType, body) => {
    const response = await post(body, contentType)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: 'invalid_request' })
  })

  it('RFC 6749 section 3.1: a repeated parameter is invalid_request', async () => {
    const response = await post('scope=a&scope=b')
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({
      error: 'invalid_request',
      error_description: 'the parameter scope is given more than once',
    })
  })

  it('broken UTF-8, raw or encoded, is invalid_request', async () => {
    for (const body of [Buffer.from('a=\xff', 'latin1'), 'a=%ff']) {
      expect([await post(body)].map(({ status }) => status)).toEqual([400])
    }
  })

  it('a compressed body is invalid_request', async () => {
    expect((await post('a=1', form, { 'content-encoding': 'gzip' })).status).toBe(400)
  })

  it('are read up to the limit; above it the response is 413 and the connection closes', async () => {
    expect((await post(`a=${'x'.repeat(998)}`)).status).toBe(200)
    const response = await post(`a=${'x'.repeat(999)}`)
    expect(response.status).toBe(413)
    expect(response.headers.get('connection')).toBe('close')
    expect(await response.json()).toMatchObject({ error: 'invalid_request' })
  })

  it('counts a body of unknown length while it arrives', async () => {
    const chunk = `400\r\n${'a'.repeat(1024)}\r\n`
    const head = `POST /form HTTP/1.1\r\nHost: x\r\nContent-Type: ${form}\r\nTransfer-Encoding: chunked\r\n\r\n`
    expect(await raw(head + chunk, false)).toMatch(/^HTTP\/1\.1 413 /)
  })

  it('a connection that breaks off in the middle of a request affects no other', async () => {
    const head = `POST /form HTTP/1.1\r\nHost: x\r\nContent-Type: ${form}\r\nContent-Length: 100\r\n\r\na=1`
    await raw(head)
    await expect.poll(() => lines.map(({ event }) => event)).toContain('http_request')
    expect(lines.filter(({ level }) => level === 'error')).toEqual([])
    expect((await post('a=1')).status).toBe(200)
  })
})

describe('query parameters', () => {
  it('RFC 6749 section 3.1: follow the rules of form bodies', async () => {
    expect(await (await fetch(`${base}/query?a=1&b=&c%5B%5D=x+y`)).json()).toEqual({ a: '1', 'c[]': 'x y' })
    expect((await fetch(`${base}/query?a=1&a=2`)).status).toBe(400)
    expect((await fetch(`${base}/query?a=%ff`)).status).toBe(400)
  })
})

describe('every response', () => {
  it('carries the security headers and no word about the software', async () => {
    const { headers } = await fetch(`${base}/query`)
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'")
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('x-powered-by')).toBeNull()
  })

  it('is one log line with its request id and never the URL, a header or a body', async () => {
    const response = await fetch(`${base}/things/canary1?code=canary2`, {
      headers: { authorization: 'Bearer canary3' },
    })
    await expect.poll(() => lines).toHaveLength(1)
    expect(lines[0]).toMatchObject({
      event: 'http_request',
      method: 'GET',
      route: '/things/:id',
      status: 200,
      outcome: 'answered',
      requestId: response.headers.get('x-request-id'),
      durationMs: expect.any(Number),
    })
    expect(JSON.stringify(lines)).not.toContain('canary')
  })

  it('logs frequent requests at debug level only, unless they are refused', async () => {
    await fetch(base + ENDPOINT_PATHS.userinfo, { headers: { authorization: 'Bearer canary' } })
    await fetch(base + ENDPOINT_PATHS.userinfo)
    await expect
      .poll(() => lines)
      .toMatchObject([
        { level: 'debug', event: 'http_request', route: ENDPOINT_PATHS.userinfo, status: 200 },
        { level: 'info', event: 'http_request', route: ENDPOINT_PATHS.userinfo, status: 401 },
      ])
  })

  it('logs a frequent request only when its client had to wait', async () => {
    const socket = createConnection(listener.port, '127.0.0.1')
    socket.write(`GET ${ENDPOINT_PATHS.discovery} HTTP/1.1\r\nHost: x\r\n\r\n`)
    await never.promise
    socket.destroy()
    await expect
      .poll(() => lines)
      .toMatchObject([{ level: 'info', event: 'http_request', status: 200, outcome: 'client_gone' }])
  })

  it('returns the client behind a trusted proxy [F-43]', async () => {
    const response = await fetch(`${base}/address`, { headers: { 'x-forwarded-for': '203.0.113.5' } })
    expect(await response.json()).toBe('203.0.113.5')
  })
})

describe('errors', () => {
  it('RFC 6749 section 5.2: an OAuthError is sent with its status, headers and public text', async () => {
    const response = await fetch(`${base}/client`)
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toMatch(/^Basic /)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.json()).toEqual({
      error: 'invalid_client',
      error_description: 'The client is not known',
    })
    expect(lines).toContainEqual(
      expect.objectContaining({ event: 'request_refused', code: 'invalid_client', reason: 'client_unknown' }),
    )
  })

  it('a schema names the parameters and not their values', async () => {
    const response = await fetch(`${base}/zod`)
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({
      error: 'invalid_request',
      error_description: 'missing or invalid: code',
    })
  })

  it('a defect is server_error outside and an error line inside', async () => {
    const response = await fetch(`${base}/defect`)
    expect(response.status).toBe(500)
    const body = await response.text()
    expect(JSON.parse(body)).toMatchObject({ error: 'server_error' })
    expect(body).not.toContain('canary')
    expect(lines).toContainEqual(expect.objectContaining({ level: 'error', event: 'request_failed' }))
  })

  it('a response that breaks in the middle ends the connection', async () => {
    await expect(fetch(`${base}/half`).then((response) => response.text())).rejects.toThrow()
  })

  it('an undecodable path is 400', async () => {
    expect((await fetch(`${base}/things/%ff`)).status).toBe(400)
  })

  it('RFC 9110 section 15.5.6: a known path names its methods, an unknown one is 404', async () => {
    const wrong = await fetch(`${base}/form`)
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST'])
    const deep = await fetch(`${base}/things/7`, { method: 'DELETE' })
    expect([deep.status, deep.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    const unknown = await fetch(`${base}/nothing`)
    expect(unknown.status).toBe(404)
    expect(await unknown.json()).toMatchObject({ error: 'invalid_request' })
  })
})

describe('CORS of public documents', () => {
  it('any origin may read, none with credentials', async () => {
    const response = await fetch(`${base}/keys`, { headers: { origin: 'https://app.example' } })
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-allow-credentials')).toBeNull()
    const preflight = await fetch(`${base}/keys`, {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example' },
    })
    expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([
      204,
      'GET, HEAD',
    ])
  })
})

describe('endpoints', () => {
  const ask = (path: string, init: RequestInit = {}) => fetch(base + path, init)
  const page = { origin: 'https://app.example' }

  it.each([
    ['word for word', '/direct?x=1'],
    ['with a slash at the end', '/direct/'],
    ['in capitals', '/Direct'],
  ])('respond to a path %s with all headers, a log line and a metric', async (_how, path) => {
    const response = await ask(path, {
      method: 'POST',
      body: new URLSearchParams({ a: 'ü' }),
      headers: { ...page, 'x-forwarded-for': '203.0.113.5' },
    })
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'access-control-allow-origin': 'https://app.example',
      'access-control-expose-headers': 'WWW-Authenticate, DPoP-Nonce, Retry-After, X-Request-Id',
      'cache-control': 'no-store',
      'content-length': '31',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'content-type': 'application/json; charset=utf-8',
      'referrer-policy': 'no-referrer',
      vary: 'Origin',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect(await response.json()).toEqual({ a: 'ü', from: '203.0.113.5' })
    // Errors of the tests before are counted, and may be logged now.
    await expect
      .poll(() => lines.filter(({ event }) => event === 'http_request'))
      .toMatchObject([
        { event: 'http_request', route: '/direct', requestId: response.headers.get('x-request-id') },
      ])
    expect(await metrics.text()).toContain('route="/direct",grant_type="direct",status="2xx"')
  })

  it('log the client of a refusal', async () => {
    await ask('/direct', {})
    expect(lines).toContainEqual(expect.objectContaining({ event: 'request_refused', clientId: 'shop' }))
  })

  it('log an origin that no application has registered', async () => {
    const response = await ask('/direct', { headers: { origin: 'https://other.example' } })
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
    expect(lines).toContainEqual(
      expect.objectContaining({ event: 'origin_not_allowed', received: 'https://other.example' }),
    )
  })

  it('respond to errors in the same way, also for browsers', async () => {
    for (const path of ['/direct', '/direct/']) {
      const response = await ask(path, { headers: page })
      expect(response.status).toBe(401)
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'access-control-allow-origin': 'https://app.example',
        'cache-control': 'no-store',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        vary: 'Origin',
        'www-authenticate': expect.stringMatching(/^Basic /),
        'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      })
      expect(await response.json()).toMatchObject({ error: 'invalid_client' })
    }
    const broken = await ask('/broken')
    expect([broken.status, await broken.text()]).toEqual([500, expect.not.stringContaining('canary')])
    const long = await ask('/direct', { method: 'POST', body: new URLSearchParams({ a: 'x'.repeat(999) }) })
    expect([long.status, long.headers.get('connection')]).toEqual([413, 'close'])
  })

  it.each([
    ['https://id.example.com', 'max-age=31536000'],
    ['http://localhost', null],
  ])(
    'RFC 6797: every response of the issuer %s has Strict-Transport-Security %s',
    async (origin, expected) => {
      const app = createHttpApp({
        logger,
        issuer: origin,
        trustedProxies: loopback,
        routes,
        endpoints,
        onError: oauthErrorHandler(logger),
      })
      const other = await listenHttp({ listener: app, port: 0, host: '127.0.0.1' })
      for (const path of ['/direct', '/Direct', '/broken', '/form', '/nowhere']) {
        const { headers } = await fetch(`http://127.0.0.1:${other.port}${path}`)
        expect(headers.get('strict-transport-security'), path).toBe(expected)
      }
      await other.close(0)
    },
  )

  it('end the connection when sending the error response fails, and log it', async () => {
    const failing = createHttpApp({
      logger,
      issuer,
      trustedProxies: loopback,
      routes: [],
      endpoints,
      onError: () => {
        throw new Error('the second defect')
      },
    })
    const second = await listenHttp({ listener: failing, port: 0, host: '127.0.0.1' })
    await expect(fetch(`http://127.0.0.1:${second.port}/broken`)).rejects.toThrow()
    await expect
      .poll(() => lines)
      .toContainEqual(
        expect.objectContaining({
          event: 'request_failed',
          error: expect.objectContaining({ message: 'the second defect' }),
        }),
      )
    await second.close(0)
  })

  it('end their connection when the server is closing', async () => {
    const begun = Promise.withResolvers<void>()
    const answered = Promise.withResolvers<void>()
    const slow: Endpoint = {
      path: '/slow',
      methods: {
        async GET() {
          begun.resolve()
          await answered.promise
          return jsonAnswer({ late: true })
        },
      },
    }
    const onError = oauthErrorHandler(logger)
    const app = createHttpApp({
      logger,
      issuer,
      trustedProxies: loopback,
      routes: [],
      endpoints: [slow],
      onError,
    })
    const closing = await listenHttp({ listener: app, port: 0, host: '127.0.0.1' })
    const response = fetch(`http://127.0.0.1:${closing.port}/slow`)
    await begun.promise
    const closed = closing.close(5_000)
    answered.resolve()
    const { status, headers } = await response
    expect([status, headers.get('connection')]).toEqual([200, 'close'])
    expect(await closed).toBe(true)
  })

  it('have no other methods; HEAD is GET without the body', async () => {
    const wrong = await ask('/direct', { method: 'DELETE' })
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'OPTIONS, GET, HEAD, POST'])
    const head = await ask('/keys', { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '11', ''])
  })

  it('respond to preflight requests of registered origins', async () => {
    const preflight = async (origin: string) => {
      const { status, headers } = await ask('/direct', { method: 'OPTIONS', headers: { origin } })
      return [status, headers.get('access-control-allow-origin'), headers.get('access-control-allow-methods')]
    }
    expect(await preflight(page.origin)).toEqual([204, page.origin, 'GET, POST'])
    expect(await preflight('https://other.example')).toEqual([204, null, null])
    expect(await preflight(`https://${'x'.repeat(300)}`)).toEqual([204, null, null])
  })
})

describe('metrics', () => {
  it('count every request by pattern, grant type and class of status, and never show a URL [fault.metric-labels]', async () => {
    await fetch(`${base}/things/canary?code=canary`)
    await fetch(`${base}/canary`)
    await fetch(`${base}/grant`, { method: 'POST' })
    await fetch(`${base}/defect`)
    const counts = async () =>
      (await metrics.text())
        .split('\n')
        .filter((line) => line.startsWith('signet_http') && / [1-9]/.test(line))
    const count = (labels: string) =>
      expect.stringContaining(`signet_http_request_duration_seconds_count{${labels}}`)
    await expect
      .poll(counts)
      .toEqual(
        expect.arrayContaining([
          count('method="GET",route="/things/:id",grant_type="",status="2xx"'),
          count('method="GET",route="none",grant_type="",status="4xx"'),
          count('method="POST",route="/grant",grant_type="password",status="2xx"'),
          count('method="GET",route="/defect",grant_type="",status="5xx"'),
        ]),
      )
    expect(await metrics.text()).not.toContain('canary')
  })

  it('counts a client that disconnects before the response as gone', async () => {
    await raw('GET /half HTTP/1.1\r\nHost: x\r\n\r\n')
    await expect.poll(() => metrics.text()).toContain('route="/half",grant_type="",status="gone"')
  })
})
