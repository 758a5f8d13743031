import { constants } from 'node:crypto'
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { setImmediate as turnOfEventLoop } from 'node:timers/promises'
import { startHandshakeTracking } from './handshakes.ts'
import { StartFailure } from './service.ts'

interface ListenOptions {
  readonly listener: RequestListener
  /** 0 takes a free port. */
  readonly port: number
  readonly host: string
  /** https when given. */
  readonly tls?: TlsOptions
}

interface TlsOptions extends TlsTexts {
  /** Asks clients for a certificate and takes any: the request decides whether it counts (RFC 8705 section 2). */
  readonly asksForCertificate?: true
}

/** PEM texts. */
interface TlsTexts {
  readonly cert: string | Buffer
  readonly key: string | Buffer
}

export interface HttpListener {
  readonly port: number
  /**
   * Ends each connection with its next response. A proxy that keeps connections sends later requests to another process then, and
   * none on a connection that `close` closes at the same moment.
   */
  endConnections(): void
  /** Uses another certificate for the connections that are made from now on. */
  renew(tls: TlsTexts): void
  /**
   * Stops accepting, closes idle connections and waits for the running requests. After `deadlineMs` their connections
   * are cut; answers whether that was not needed. Calling it again waits for the same end.
   */
  close(deadlineMs: number): Promise<boolean>
}

/** Node takes the first of several `Host` headers; a proxy in front may have taken another one. */
function namesOneHost({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0
  for (let n = 0; n < rawHeaders.length; n += 2) {
    const name = rawHeaders[n]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  // That there is one at all is checked by Node.
  return hosts < 2
}

/** RFC 9112 section 3.2. */
function refuseSeveralHosts(res: ServerResponse): void {
  res.writeHead(400, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' })
  res.end('A request has one Host header.\n')
}

/** The responses to requests that Node cannot read, by its error code. Its own ones have no text. */
const UNREADABLE: Readonly<Record<string, readonly [status: string, text: string]>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'The address and the headers of a request may have 16 KiB together. Send long parameters by POST, or delete the cookies of this site.',
  ],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['413 Payload Too Large', 'The chunk extensions of a request are too long.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
}

function refuseUnreadable(
  { code = '' }: NodeJS.ErrnoException,
  socket: Socket,
  running: ServerResponse | undefined,
): void {
  if (!socket.writable || code === 'ECONNRESET' || running?.headersSent) {
    socket.destroy()
    return
  }
  const [status, text] = UNREADABLE[code] ?? ['400 Bad Request', 'The request is not valid HTTP.']
  const head = [
    'Connection: close',
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${text.length + 1}`,
  ]
  socket.end(`HTTP/1.1 ${status}\r\n${head.join('\r\n')}\r\n\r\n${text}\n`)
  // A connection that is closed with unread bytes is reset, and the client loses the response.
  socket.resume()
  socket.setTimeout(UNREADABLE_MS, () => socket.destroy())
}

const UNREADABLE_MS = 2_000

/** How long the handshake of a connection may take, and the headers of each request. */
const HEADERS_MS = 15_000

/**
 * `host`, but `0.0.0.0` instead of `::` on a machine without IPv6, where listening on `::` fails with EAFNOSUPPORT or
 * EADDRNOTAVAIL. Any other problem is left to the listener that uses the address.
 */
export async function availableHost(host: string, tryHost = tryListening): Promise<string> {
  if (host !== '::') return host
  const code = await tryHost(host)
  return code === 'EAFNOSUPPORT' || code === 'EADDRNOTAVAIL' ? '0.0.0.0' : host
}

/** The addresses that `localhost` can mean to a browser: some try `::1` alone. Without IPv6 there is one. */
export async function localhostAddresses(tryHost = tryListening): Promise<readonly string[]> {
  return (await tryHost('::1')) === undefined ? ['127.0.0.1', '::1'] : ['127.0.0.1']
}

/** The code of the error of listening on a free port of `host`; undefined when that works. */
function tryListening(host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createTcpServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code))
    server.listen(0, host, () => server.close(() => resolve(undefined)))
  })
}

/** Listens, or throws a `StartFailure` that says why it cannot. */
export async function listenHttp({ listener, port, host, tls }: ListenOptions): Promise<HttpListener> {
  // The response that each connection waits for. A set of responses that come and go would be rebuilt every few
  // dozen: V8 links the old table to the new one, so one that grew old would keep all responses since from the young
  // collector.
  const running = new Map<Socket, ServerResponse | undefined>()
  let ending = false
  let closing = false
  const tracked: RequestListener = (req, res) => {
    const { socket } = req
    if (running.has(socket)) running.set(socket, res)
    if (ending) res.setHeader('Connection', 'close')
    res.on('close', () => {
      if (running.get(socket) === res) running.set(socket, undefined)
      // Otherwise a kept-alive connection whose last request ends now would hold the server open.
      if (closing) server.closeIdleConnections()
    })
    if (namesOneHost(req)) listener(req, res)
    else refuseSeveralHosts(res)
  }
  const server = createServer(tracked, tls)
  const cutHandshakes = tls === undefined ? () => undefined : startHandshakeTracking(server)
  server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
    running.set(socket, undefined)
    socket.once('close', () => running.delete(socket))
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    refuseUnreadable(error, socket as Socket, running.get(socket as Socket))
  })
  // Longer than the idle time of usual load balancers, which must never reuse a connection that is being closed.
  server.keepAliveTimeout = 75_000
  server.headersTimeout = HEADERS_MS
  await listen(server, port, host)

  const endConnections = () => {
    ending = true
    for (const res of running.values()) if (res?.headersSent === false) res.setHeader('Connection', 'close')
  }
  const drain = async (deadlineMs: number): Promise<boolean> => {
    endConnections()
    await acceptWaiting()
    closing = true
    cutHandshakes()
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    let inTime = true
    const deadline = setTimeout(() => {
      inTime = false
      server.closeAllConnections()
    }, deadlineMs)
    await closed
    clearTimeout(deadline)
    return inTime
  }
  let drained: Promise<boolean> | undefined
  return {
    port: (server.address() as AddressInfo).port,
    endConnections,
    renew: (texts) => (server as HttpsServer).setSecureContext(secureContext({ ...tls, ...texts })),
    close: (deadlineMs) => {
      drained ??= drain(deadlineMs)
      return drained
    },
  }
}

/**
 * The kernel completes connections that a busy process has not accepted yet. Closing the port resets them, with the requests that
 * their clients have sent. The first turn may have looked at the port already; the second one accepts what is there.
 */
async function acceptWaiting(): Promise<void> {
  await turnOfEventLoop()
  await turnOfEventLoop()
}

// RFC 9325 section 4.2: TLS 1.3, and of TLS 1.2 only suites with forward secrecy and authenticated encryption.
const TLS = {
  minVersion: 'TLSv1.2',
  honorCipherOrder: true,
  ciphers: [
    'TLS_AES_128_GCM_SHA256',
    'TLS_AES_256_GCM_SHA384',
    'TLS_CHACHA20_POLY1305_SHA256',
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-RSA-AES128-GCM-SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-RSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305',
    'ECDHE-RSA-CHACHA20-POLY1305',
  ].join(':'),
} as const

/**
 * No authorities: their names would keep clients from sending a self-signed certificate (RFC 8705 section 7.2). No resumption with
 * certificates either: a resumed connection has no chain, and its proof may be hours old.
 */
function secureContext({ cert, key, asksForCertificate }: TlsOptions) {
  return { cert, key, ...TLS, ...(asksForCertificate && { secureOptions: constants.SSL_OP_NO_TICKET }) }
}

function createServer(listener: RequestListener, tls: ListenOptions['tls']): Server {
  if (tls === undefined) return createHttpServer(listener)
  try {
    const { asksForCertificate = false } = tls
    const options = { ...secureContext(tls), requestCert: asksForCertificate, rejectUnauthorized: false }
    return createHttpsServer({ ...options, handshakeTimeout: HEADERS_MS }, listener)
  } catch (cause) {
    throw new StartFailure(
      'the TLS certificate and key cannot be used; check that both are PEM and belong together',
      { cause },
    )
  }
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new StartFailure(listenProblem(error, port, host), { cause: error })),
    )
    server.listen(port, host, () => resolve())
  })
}

function listenProblem({ code }: NodeJS.ErrnoException, port: number, host: string): string {
  if (code === 'EADDRINUSE') return `port ${port} is taken by another process; stop it or choose another port`
  if (code === 'EACCES') return `port ${port} may not be opened by this user; choose a port above 1023`
  return `cannot listen on ${host} port ${port} (${code})`
}

interface Answer {
  readonly status: number
  readonly type: string
  readonly body: string
}

/**
 * `/healthz`: the process runs. `/readyz`: it can serve, or 503 with the names of what it waits for. `/metrics`: its
 * numbers, in the text format of Prometheus, or in that of OpenMetrics with exemplars where it is accepted. For a port of its own that is not public.
 */
export function createOperationsListener(
  notReady: () => Promise<readonly string[]>,
  metrics: { readonly text: () => Promise<string>; readonly openMetrics: () => Promise<string> },
): RequestListener {
  const answers: Record<string, (req: IncomingMessage) => Promise<Answer>> = {
    '/healthz': async () => json(200, { alive: true }),
    '/metrics': async ({ headers: { accept = '' } }) =>
      accept.includes('application/openmetrics-text')
        ? {
            status: 200,
            type: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
            body: await metrics.openMetrics(),
          }
        : { status: 200, type: 'text/plain; version=0.0.4; charset=utf-8', body: await metrics.text() },
    '/readyz': async () => {
      const missing = await notReady()
      return json(missing.length === 0 ? 200 : 503, { ready: missing.length === 0, notReady: missing })
    },
  }
  return (req, res) => {
    const answer = answers[req.url ?? ''] ?? (async () => json(404, {}))
    const send = ({ status, type, body }: Answer) => {
      res.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(body)
    }
    answer(req).then(send, () => send(json(503, { ready: false, notReady: ['readiness check'] })))
  }
}

function json(status: number, body: object): Answer {
  return { status, type: 'application/json', body: JSON.stringify(body) }
}
