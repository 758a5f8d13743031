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
}

interface Piece {
  readonly description: SpanDescription
  readonly begunAt: number
  endedAt: number
}

interface TracedRequest {
  name: string
  readonly pieces: Piece[]
}

/** A span that knows the request of its work. */
interface RequestSpan extends Span {
  readonly request: TracedRequest
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
  const byTraceparent = new Map<string, TracedRequest>()
  const spanOf = (request: TracedRequest, end: Span['end']): RequestSpan => {
    const traceparent = `counted-${byTraceparent.size}`
    byTraceparent.set(traceparent, request)
    return { request, traceparent, end }
  }

  function beginRequest({ name }: SpanDescription): RequestSpan {
    const request: TracedRequest = { name, pieces: [] }
    known.push(request)
    open.add(request)
    return spanOf(request, (how) => {
      request.name = how?.name ?? request.name
      open.delete(request)
    })
  }

  const tracing: Tracing = {
    continueFrom(traceparent, description) {
      const caller = byTraceparent.get(traceparent ?? '')
      return caller === undefined ? beginRequest(description) : spanOf(caller, () => {})
    },
    below(description) {
      const request = current.getStore()?.request
      if (request === undefined) return undefined
      const piece: Piece = { description, begunAt: ++time, endedAt: Number.POSITIVE_INFINITY }
      request.pieces.push(piece)
      return spanOf(request, () => {
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
  }
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
