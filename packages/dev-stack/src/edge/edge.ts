import {
  Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestListener,
  request,
  type ServerResponse,
} from 'node:http'
import { listenHttp } from '@signet/platform/process/http-listener'
import { type Repetition, repeat } from '@signet/platform/runtime/clock'
import { type Route, type RouteOwner, routeFor } from '@signet/protocol/routes'

export interface EdgeOptions {
  readonly host: string
  readonly port: number
  /** Every replica of each service. */
  readonly upstreams: Readonly<Partial<Record<RouteOwner, readonly Upstream[]>>>
}

export interface Edge {
  readonly port: number
  /** Names of the services of which a replica is not ready. */
  notReady(): readonly RouteOwner[]
  stop(): Promise<void>
}

/** How long running requests get when the edge stops; milliseconds. */
const DRAIN_MS = 5_000

/**
 * Sends each request to a ready replica of the service that owns its path, in turn, under the limits of the route
 * table. It stands in for an ingress on a developer's machine and in tests. Throws StartFailure for a taken port.
 */
export async function startEdge({ host, port, upstreams }: EdgeOptions): Promise<Edge> {
  const services = new Map(
    Object.entries(upstreams).map(([name, replicas]) => [name as RouteOwner, watchUpstreams(replicas)]),
  )
  // The agent closes an idle connection before the service does, as its Keep-Alive header says.
  const agent = new Agent({ keepAlive: true })
  const http = await listenHttp({ listener: createProxy((name) => services.get(name), agent), host, port })
  return {
    port: http.port,
    notReady: () => [...services].flatMap(([name, replicas]) => (replicas.allReady() ? [] : [name])),
    async stop() {
      await Promise.all([...services.values()].map((replicas) => replicas.stop()))
      await http.close(DRAIN_MS)
      agent.destroy()
    },
  }
}

/** RFC 9110 section 7.6.1: the headers that concern one connection only. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Passes requests and answers on piece by piece; nothing is collected, so it serves unbuffered routes too. */
function createProxy(
  upstreamsOf: (service: RouteOwner) => Upstreams | undefined,
  agent: Agent,
): RequestListener {
  return (req, res) => {
    const route = routeFor((req.url ?? '').split('?', 1)[0] ?? '')
    const upstreams = route && upstreamsOf(route.service)
    if (route === undefined || upstreams === undefined) return answer(req, res, 404, 'nothing is served here')
    if (Number(req.headers['content-length'] ?? 0) > route.bodyLimitBytes) return tooLarge(req, res, route)
    send({ req, res, route, upstreams, agent, candidates: upstreams.inTurn() })
  }
}

interface Exchange {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly route: Route
  readonly upstreams: Upstreams
  readonly agent: Agent
  readonly candidates: readonly Upstream[]
}

function send(exchange: Exchange): void {
  const { req, res, route, upstreams, agent, candidates } = exchange
  const [upstream, ...others] = candidates
  if (upstream === undefined) {
    answer(req, res, 503, `no replica of ${route.service} is ready`)
    return
  }
  const { host, port } = upstream
  const outgoing = request({
    host,
    port,
    method: req.method,
    path: req.url,
    headers: { ...endToEnd(req.headers), ...forwarded(req) },
    agent,
  })
  outgoing.setTimeout(route.readTimeoutSeconds * 1000, () => {
    answer(req, res, 504, `${route.service} did not answer in time`)
    outgoing.destroy()
  })
  const goOnWaiting = upstreams.whenSilent(upstream, () => outgoing.destroy(new SilentUpstreamError()))
  outgoing.once('close', goOnWaiting)
  outgoing.once('response', (incoming) => {
    goOnWaiting()
    passOn(incoming, res)
  })
  outgoing.once('error', (error: NodeJS.ErrnoException) => {
    // This side has answered already and cut the request itself.
    if (res.writableEnded) return
    const isSilent = error instanceof SilentUpstreamError
    if (res.headersSent) res.destroy()
    else if (error.code === 'ECONNREFUSED') {
      // Nothing was sent, not even the body: another replica may take it.
      upstreams.suspect(upstream)
      send({ ...exchange, candidates: others })
    } else if (isSafe(req) && !isSilent && outgoing.reusedSocket) {
      // A service that restarts closes connections that wait for a request.
      send(exchange)
    } else if (isSafe(req) && others.length > 0) send({ ...exchange, candidates: others })
    else if (isSilent) answer(req, res, 504, `${route.service} does not respond`)
    else answer(req, res, 502, `${route.service} closed the connection`)
  })
  res.once('close', () => outgoing.destroy())
  outgoing.once('socket', (socket) => {
    if (socket.connecting) socket.once('connect', () => passBody(exchange, outgoing))
    else passBody(exchange, outgoing)
  })
}

/** The replica of a request without a response does not answer its probes any more. */
class SilentUpstreamError extends Error {}

/** RFC 9110 section 9.2.1: such a request may be sent twice. */
const isSafe = ({ method }: IncomingMessage) => method === 'GET' || method === 'HEAD'

function passBody({ req, res, route }: Exchange, outgoing: ClientRequest): void {
  let received = 0
  req.on('data', (chunk: Buffer) => {
    received += chunk.length
    if (received <= route.bodyLimitBytes) return
    tooLarge(req, res, route)
    outgoing.destroy()
  })
  // It has ended when another replica got it first.
  if (req.readableEnded) outgoing.end()
  else req.pipe(outgoing)
}

function passOn(incoming: IncomingMessage, res: ServerResponse): void {
  res.writeHead(incoming.statusCode ?? 502, endToEnd(incoming.headers))
  res.flushHeaders()
  incoming.pipe(res)
  incoming.once('error', () => res.destroy())
}

function endToEnd(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name)))
}

/** The client's own claims are replaced: this is the first proxy. */
function forwarded({ socket }: IncomingMessage): OutgoingHttpHeaders {
  return { 'x-forwarded-for': socket.remoteAddress, 'x-forwarded-proto': 'http' }
}

function tooLarge(req: IncomingMessage, res: ServerResponse, { bodyLimitBytes }: Route): void {
  answer(req, res, 413, `the body may have ${bodyLimitBytes} bytes at most`)
}

function answer(req: IncomingMessage, res: ServerResponse, status: number, text: string): void {
  if (res.headersSent || res.destroyed) return
  const unread = !req.complete
  res.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Cache-Control': 'no-store',
    ...(status === 503 && { 'Retry-After': '1' }),
    // The rest of the body is not worth reading.
    ...(unread && { Connection: 'close' }),
  })
  res.end(`${text}\n`)
  if (unread) req.resume()
}

/** Replica of a service. */
interface Upstream {
  readonly host: string
  readonly port: number
  /** Port of `/readyz`. */
  readonly operationsPort: number
}

interface Upstreams {
  /** The ready replicas, beginning with the one whose turn it is. */
  inTurn(): readonly Upstream[]
  allReady(): boolean
  /** Sends no request there until the replica is ready again. */
  suspect(upstream: Upstream): void
  /** Calls back once it answers no more; returns what takes that back. */
  whenSilent(upstream: Upstream, giveUp: () => void): () => void
  stop(): Promise<void>
}

const ROUND_MS = 200
const ANSWER_MS = 1_000
/** Like a kubelet's probe: one question without an answer says nothing about the replica, three in a row do. */
const UNANSWERED_ROUNDS = 3

/** Asks every replica again and again whether it is ready. */
function watchUpstreams(replicas: readonly Upstream[]): Upstreams {
  const ready = new Set<Upstream>()
  const waiting = new Map(replicas.map((replica) => [replica, new Set<() => void>()]))
  let turn = 0
  const rounds: Repetition[] = replicas.map((replica) => {
    let unanswered = 0
    return repeat(
      ROUND_MS,
      async () => {
        const answer = await isReady(replica)
        unanswered = 0
        if (answer) ready.add(replica)
        else ready.delete(replica)
      },
      () => {
        unanswered += 1
        if (unanswered < UNANSWERED_ROUNDS) return
        ready.delete(replica)
        for (const giveUp of waiting.get(replica) ?? []) giveUp()
      },
    )
  })
  return {
    inTurn() {
      turn += 1
      const usable = replicas.filter((replica) => ready.has(replica))
      const first = usable.length === 0 ? 0 : turn % usable.length
      return [...usable.slice(first), ...usable.slice(0, first)]
    },
    allReady: () => ready.size === replicas.length,
    suspect: (upstream) => void ready.delete(upstream),
    whenSilent(upstream, giveUp) {
      waiting.get(upstream)?.add(giveUp)
      return () => void waiting.get(upstream)?.delete(giveUp)
    },
    async stop() {
      await Promise.all(rounds.map((round) => round.stop()))
    },
  }
}

async function isReady({ host, operationsPort }: Upstream): Promise<boolean> {
  const response = await fetch(`http://${host}:${operationsPort}/readyz`, {
    signal: AbortSignal.timeout(ANSWER_MS),
  })
  await response.body?.cancel()
  return response.ok
}
