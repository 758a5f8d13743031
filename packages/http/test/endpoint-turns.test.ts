import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { BlockList, createConnection, type Socket } from 'node:net'
import { silentLogger } from '@signet/platform/logger/logger'
import { type HttpListener, listenHttp } from '@signet/platform/process/http-listener'
import { openTracing } from '@signet/platform/tracing/open-tracing'
import type { Tracing } from '@signet/platform/tracing/tracing'
import { readTracingSettings } from '@signet/platform/tracing/tracing-settings'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createHttpApp } from '../src/app.ts'
import { jsonAnswer } from '../src/endpoint.ts'
import { readForm } from '../src/forms.ts'
import { createTracedListener } from '../src/instrumentation.ts'
import { oauthErrorHandler } from '../src/oauth-error-handler.ts'

const steps: string[] = []
/** Runs with a request before the app sees it. */
let arrived: (req: IncomingMessage) => void
/** The result of reading a form. */
let read: PromiseWithResolvers<unknown>
let listener: HttpListener
const sockets: Socket[] = []
let tracing: Tracing

beforeAll(async () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_BSP_SCHEDULE_DELAY: '600000' }
  const settings = readTracingSettings(env, { service: 'signet', version: '1' })
  if (settings === undefined) throw new Error('no endpoint')
  tracing = await openTracing(settings, () => silentLogger)
})

beforeEach(async () => {
  steps.splice(0)
  arrived = () => undefined
  read = Promise.withResolvers()
  const app = createHttpApp({
    logger: silentLogger,
    issuer: 'http://localhost',
    trustedProxies: new BlockList(),
    routes: [],
    endpoints: [
      {
        path: '/steps',
        methods: {
          async GET({ headers }) {
            steps.push(`begin ${headers.from}`)
            await Promise.resolve()
            steps.push(`end ${headers.from}`)
            return jsonAnswer({})
          },
        },
      },
      {
        path: '/form',
        methods: {
          async POST(req) {
            const form = readForm(req, { limitBytes: 1_000 })
            form.then(read.resolve, read.resolve)
            return jsonAnswer(await form)
          },
        },
      },
      {
        path: '/trace',
        methods: {
          async POST(req) {
            const before = tracing.traceId()
            await readForm(req)
            return jsonAnswer({ before, after: tracing.traceId() })
          },
        },
      },
    ],
    onError: oauthErrorHandler(silentLogger),
  })
  listener = await listenHttp({
    listener: createTracedListener((req, res) => {
      arrived(req)
      app(req, res)
    }, tracing),
    port: 0,
    host: '127.0.0.1',
  })
})
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await listener.close(0)
})

async function connect(): Promise<Socket> {
  const socket = createConnection(listener.port, '127.0.0.1')
  sockets.push(socket)
  await once(socket, 'connect')
  return socket.setEncoding('latin1')
}

const answerOf = async (socket: Socket): Promise<string> => (await once(socket, 'data'))[0]

const POST = 'POST /form HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n'
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`

describe('requests that arrive together', () => {
  it('take each step together', async () => {
    const clients = await Promise.all(
      ['a', 'b', 'c'].map(async (name) => ({ name, socket: await connect() })),
    )
    for (const { socket } of clients) {
      // The server has accepted every connection before the requests that count.
      socket.write('GET /steps HTTP/1.1\r\nHost: x\r\nFrom: first\r\n\r\n')
      await answerOf(socket)
    }
    steps.splice(0)
    for (const { name, socket } of clients) {
      socket.write(`GET /steps HTTP/1.1\r\nHost: x\r\nFrom: ${name}\r\n\r\n`)
    }
    await Promise.all(clients.map(({ socket }) => answerOf(socket)))
    expect(steps.map((step) => step.split(' ')[0])).toEqual(['begin', 'begin', 'begin', 'end', 'end', 'end'])
    expect(new Set(steps).size).toBe(6)
  })

  it('belong each to its own trace', async () => {
    const clients = await Promise.all(
      ['a', 'b', 'c'].map(async (digit) => ({ trace: digit.repeat(32), socket: await connect() })),
    )
    const ask = (socket: Socket, trace: string) =>
      socket.write(
        `POST /trace HTTP/1.1\r\nHost: x\r\nTraceparent: 00-${trace}-${'1'.repeat(16)}-01\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 3\r\n\r\na=1`,
      )
    for (const { socket } of clients) {
      ask(socket, 'd'.repeat(32))
      await answerOf(socket)
    }
    for (const { trace, socket } of clients) ask(socket, trace)
    for (const { trace, answer } of await Promise.all(
      clients.map(async ({ trace, socket }) => ({ trace, answer: await answerOf(socket) })),
    )) {
      expect(answer).toContain(`{"before":"${trace}","after":"${trace}"}`)
    }
  })
})

describe('the form of an endpoint', () => {
  it('is read when it arrived with its headers, repeatedly on one connection', async () => {
    const socket = await connect()
    for (const value of ['1', '2']) {
      socket.write(`${POST}Content-Length: 3\r\n\r\na=${value}`)
      expect(await answerOf(socket)).toMatch(new RegExp(`^HTTP/1.1 200 .*{"a":"${value}"}$`, 's'))
    }
  })

  it('is read when it arrives in chunks', async () => {
    const socket = await connect()
    const begun = Promise.withResolvers<void>()
    arrived = () => void setImmediate(() => setImmediate(begun.resolve))
    socket.write(`${POST}Content-Length: 7\r\n\r\na=1&`)
    await begun.promise
    socket.write('b=2')
    expect(await answerOf(socket)).toContain('{"a":"1","b":"2"}')
  })

  it('may be empty without a Content-Length', async () => {
    const socket = await connect()
    socket.write(`${POST}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`)
    expect(await answerOf(socket)).toMatch(/^HTTP\/1.1 200 .*{}$/s)
  })

  it('may have 1,000 bytes and not 1,001 without a Content-Length', async () => {
    for (const [length, status] of [
      [1_000, '200'],
      [1_001, '413'],
    ] as const) {
      const socket = await connect()
      const body = chunk(`a=${'x'.repeat(400)}`) + chunk('x'.repeat(length - 402))
      socket.write(`${POST}Transfer-Encoding: chunked\r\n\r\n${body}0\r\n\r\n`)
      expect(await answerOf(socket)).toContain(`HTTP/1.1 ${status} `)
    }
  })

  it('is refused when its sender has disconnected before it is read', async () => {
    arrived = (req) => void req.destroy()
    const socket = await connect()
    socket.on('error', () => undefined)
    socket.write(`${POST}Content-Length: 3\r\n\r\na=1`)
    expect(await read.promise).toMatchObject({ message: 'the body ended early' })
  })
})
