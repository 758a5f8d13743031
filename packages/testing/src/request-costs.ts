// Counts what each HTTP request asks of Redis, PostgreSQL and other services, by the traces of the services.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Span, SpanDescription, Tracing } from '@signet/platform/tracing/tracing'

/** Use of a store by one request. */
interface StoreCost {
  /** Names of the commands or statements, in the order in which they were sent. */
  readonly sent: readonly string[]
  /** Number of waits for the store. All that is sent before the first response arrives is one. */
  readonly waits: number
}

export interface RequestCost {
  /** Method and route. */
  readonly request: string
  readonly redis: StoreCost
  readonly postgres: StoreCost
  /** Names of the called gRPC methods, without package and service. */
  readonly calls: readonly string[]
  /** Number of waits that follow one another: a wait for a store is one, a call is one and those of its callee. */
  readonly waitsInARow: number
}

/** A command, a statement, a transaction or a call. */
interface Piece {
  readonly description: SpanDescription
  readonly begunAt: number
  endedAt: number
  /** The call or the transaction that it is a part of; undefined: the request itself. */
  readonly within: Piece | undefined
}

interface TracedRequest {
  name: string
  readonly pieces: Piece[]
}

/** A span that knows the request of its work, and its piece. */
interface RequestSpan extends Span {
  readonly request: TracedRequest
  readonly piece: Piece | undefined
}

export interface RequestCounter {
  /** Tracing of the services; it sends nothing. */
  readonly tracing: Tracing
  /** Returns the costs of the requests since the last call, once all of them have ended. */
  take(): Promise<readonly RequestCost[]>
}

export function createRequestCounter(): RequestCounter {
  const current = new AsyncLocalStorage<RequestSpan>()
  // Stands in for a clock, so that work in one turn of the event loop has an order.
  let time = 0
  let known: TracedRequest[] = []
  const open = new Set<TracedRequest>()
  const byTraceparent = new Map<string, Pick<RequestSpan, 'request' | 'piece'>>()
  const spanOf = (request: TracedRequest, piece: Piece | undefined, end: Span['end']): RequestSpan => {
    const traceparent = `counted-${byTraceparent.size}`
    byTraceparent.set(traceparent, { request, piece })
    return { request, piece, traceparent, end }
  }

  function beginRequest({ name }: SpanDescription): RequestSpan {
    const request: TracedRequest = { name, pieces: [] }
    known.push(request)
    open.add(request)
    return spanOf(request, undefined, (how) => {
      request.name = how?.name ?? request.name
      open.delete(request)
    })
  }

  const tracing: Tracing = {
    continueFrom(traceparent, description) {
      const caller = byTraceparent.get(traceparent ?? '')
      return caller === undefined ? beginRequest(description) : spanOf(caller.request, caller.piece, () => {})
    },
    below(description) {
      const { request, piece: within } = current.getStore() ?? {}
      if (request === undefined) return undefined
      const piece: Piece = { description, begunAt: ++time, endedAt: Number.POSITIVE_INFINITY, within }
      request.pieces.push(piece)
      return spanOf(request, piece, () => {
        piece.endedAt = ++time
      })
    },
    during: (span, work) => current.run(span as RequestSpan, work),
    traceId: () => undefined,
    keptTraceId: () => undefined,
    close: async () => {},
  }
  return {
    tracing,
    async take() {
      while (open.size > 0) await new Promise((resolve) => setImmediate(resolve))
      const ended = known
      known = []
      byTraceparent.clear()
      return ended.map(costOf)
    },
  }
}

function costOf({ name, pieces }: TracedRequest): RequestCost {
  const of = (system: string) =>
    storeCost(
      pieces.filter(
        ({ description }) =>
          description.attributes['db.system.name'] === system && description.name !== 'transaction',
      ),
    )
  return {
    request: name,
    redis: of('redis'),
    postgres: of('postgresql'),
    calls: pieces.flatMap(({ description }) =>
      description.attributes['rpc.system'] === undefined ? [] : [description.name.replace(/^.*\//, '')],
    ),
    waitsInARow: waitsWithin(undefined, pieces),
  }
}

/** The longest chain of waits in a request, a call or a transaction. */
function waitsWithin(whole: Piece | undefined, pieces: readonly Piece[]): number {
  const ended: { readonly piece: Piece; readonly waits: number }[] = []
  const parts = pieces.filter(({ within }) => within === whole)
  for (const piece of parts.toSorted((one, other) => one.begunAt - other.begunAt)) {
    const before = ended.filter((each) => each.piece.endedAt < piece.begunAt)
    const own = piece.description.name === 'transaction' ? 0 : 1
    const waits = own + waitsWithin(piece, pieces) + Math.max(0, ...before.map((each) => each.waits))
    ended.push({ piece, waits })
  }
  return Math.max(0, ...ended.map(({ waits }) => waits))
}

function storeCost(pieces: readonly Piece[]): StoreCost {
  let waits = 0
  let respondedAt = 0
  for (const { begunAt, endedAt } of pieces.toSorted((one, other) => one.endedAt - other.endedAt)) {
    if (begunAt < respondedAt) continue
    waits += 1
    respondedAt = endedAt
  }
  return { sent: pieces.map(({ description }) => description.name), waits }
}
